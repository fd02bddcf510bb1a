// Keeps what the person did: settings on the server, the steps to undo in this tab; both survive a reload.

import { complain } from "./notices.js";
import { patch } from "./server.js";

const SAVE_AFTER = 400; // milliseconds without a change
const DEEPEST = 50; // steps to undo that survive a reload

/** A value in one spelling: the server fills in what usual settings leave out. */
function canonical({ text, settings }) {
  const { speed, length, balance = 0.5, ramp = "normal", corrections = [] } = settings;
  const spelt = corrections.map((c) => [
    c.kind,
    c.sentence ?? -1,
    c.start ?? -1,
    c.end ?? -1,
    c.speed ?? 1,
    c.weight ?? 1,
  ]);
  return JSON.stringify([text, speed ?? null, length ?? null, balance, ramp, spelt]);
}

const key = (id) => `saffa.history.${id}`;

export class Keeper {
  constructor() {
    this.timer = null;
    this.run = null;
    window.addEventListener("pagehide", () => this.flush(true));
  }

  /** Store the settings of a project soon; `settings()` is asked when it happens. */
  save(id, settings) {
    clearTimeout(this.timer);
    this.run = (keepalive = false) => {
      this.run = null;
      patch(`projects/${id}`, { settings: settings() }, { keepalive }).catch((error) => complain(error, "save"));
    };
    this.timer = setTimeout(() => this.run?.(), SAVE_AFTER);
  }

  /** Store at once what still waits; `leaving` lets the request outlive the page. */
  flush(leaving = false) {
    clearTimeout(this.timer);
    this.run?.(leaving);
  }

  keep(id, { past, future, value }) {
    try {
      const kept = { past: past.slice(-DEEPEST), future: future.slice(-DEEPEST), value };
      sessionStorage.setItem(key(id), JSON.stringify(kept));
    } catch {
      // no room, or not allowed: undo then begins at the reload
    }
  }

  /** Fill a history with what was kept, if it ends at the history's value. */
  restore(id, history) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key(id)) ?? "null");
      if (kept && canonical(kept.value) === canonical(history.value)) Object.assign(history, kept);
    } catch {
      sessionStorage.removeItem(key(id));
    }
  }
}
