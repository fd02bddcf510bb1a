// Length, speed, balance and ramp, and what they lead to.

import { byId, h } from "./element.js";
import { clock, parseClock, parseSpeed, times } from "./timecode.js";

const FASTEST = 60;

/** Event "change" with {what, group, settings}: the settings that are wanted now. */
export class Controls extends EventTarget {
  constructor() {
    super();
    this.settings = { speed: 8 };
    this.duration = 0;
    this.#wire();
  }

  /** Show the settings, and the plan that they led to. */
  show(settings, duration, plan) {
    this.settings = settings;
    this.duration = duration;
    const length = settings.length ?? (plan ? plan.output_seconds : duration / settings.speed);
    const speed = settings.speed ?? duration / settings.length;
    this.#write("length", clock(length, length < 60 && length % 1 !== 0));
    this.#write("speed-input", times(speed));
    byId("length").classList.toggle("held", settings.length !== undefined);
    byId("speed-input").classList.toggle("held", settings.speed !== undefined);
    const slider = byId("speed-slider");
    if (document.activeElement !== slider || !this.sliding)
      slider.value = String(Math.log(speed) / Math.log(this.#fastest()));
    slider.setAttribute("aria-valuetext", `${times(speed)}, ${clock(length)}`);
    byId("balance").value = String(settings.balance ?? 0.5);
    byId("balance").setAttribute(
      "aria-valuetext",
      `${Math.round((settings.balance ?? 0.5) * 100)} % towards every step`,
    );
    for (const radio of document.getElementsByName("ramp")) radio.checked = radio.value === (settings.ramp ?? "normal");
  }

  /** Tell what comes out: "2:00 long · 6 of 7 steps can be followed". */
  outcome(plan) {
    const all = plan.sentences.length;
    const lost =
      plan.watchable < all
        ? h("span.less", {}, `${plan.watchable} of ${all} steps can be followed`)
        : h("span", {}, all === 1 ? "its step can be followed" : `all ${all} steps can be followed`);
    byId("outcome").replaceChildren(
      h("b", {}, clock(plan.output_seconds, plan.output_seconds < 60)),
      ` at ${times(plan.speed)} · `,
      lost,
    );
    byId("outcome").classList.remove("wrong");
  }

  /** Tell why there is no such plan; where the server knows what is possible, offer it. */
  refused(error, settings) {
    const message = h("span", {}, error.message);
    const parts = [message];
    if (error.allowed) {
      const wanted = settings.length ?? this.duration / settings.speed;
      const nearest =
        wanted < error.allowed.shortest
          ? Math.ceil(error.allowed.shortest * 10) / 10
          : Math.floor(error.allowed.longest * 10) / 10;
      const use = () => this.#tell("length", null, { speed: undefined, length: nearest });
      parts.push(" ", h("button.link", { type: "button", on: { click: use } }, `Use ${clock(nearest, true)}`));
    }
    byId("outcome").replaceChildren(...parts);
    byId("outcome").classList.add("wrong");
  }

  #fastest() {
    return Math.max(1.01, Math.min(FASTEST, this.duration / 2 || FASTEST));
  }

  #write(id, text) {
    const field = byId(id);
    if (document.activeElement !== field) field.value = text;
    field.removeAttribute("aria-invalid");
  }

  #wire() {
    const typed = (id, parse, name, group) =>
      byId(id).addEventListener("change", (event) => {
        const value = parse(event.target.value);
        event.target.setAttribute("aria-invalid", String(!value));
        if (!value)
          return this.refused(
            { message: name === "length" ? "Write a length like 2:00 or 90 s." : "Write a speed like 8× or 2.5." },
            this.settings,
          );
        event.target.blur();
        this.#tell(
          group,
          null,
          name === "length" ? { speed: undefined, length: value } : { length: undefined, speed: value },
        );
      });
    typed("length", parseClock, "length", "length");
    typed("speed-input", parseSpeed, "speed", "speed");
    for (const id of ["length", "speed-input"]) {
      byId(id).addEventListener("keydown", (event) => event.key === "Enter" && event.target.blur());
      byId(id).addEventListener("focus", (event) => event.target.select());
    }
    const slider = byId("speed-slider");
    slider.addEventListener("input", () => {
      this.sliding = true;
      const speed = this.#fastest() ** Number(slider.value);
      const round =
        speed < 4 ? Math.round(speed * 10) / 10 : speed < 10 ? Math.round(speed * 2) / 2 : Math.round(speed);
      if (this.settings.length === undefined) return this.#tell("speed", "speed", { speed: Math.max(1, round) });
      const length = this.duration / speed;
      return this.#tell("length", "speed", {
        length: Math.min(this.duration, Math.max(1, length > 20 ? Math.round(length) : Math.round(length * 10) / 10)),
      });
    });
    slider.addEventListener("change", () => {
      this.sliding = false;
      this.#tell("speed", "done", {});
    });
    byId("balance").addEventListener("input", (event) =>
      this.#tell("balance", "balance", { balance: Number(event.target.value) }),
    );
    byId("balance").addEventListener("change", () => this.#tell("balance", "done", {}));
    for (const radio of document.getElementsByName("ramp")) {
      radio.addEventListener("change", () => this.#tell("smoothness", null, { ramp: radio.value }));
    }
  }

  #tell(what, group, change) {
    const settings = { ...this.settings, ...change };
    for (const key of Object.keys(settings)) if (settings[key] === undefined) delete settings[key];
    this.dispatchEvent(new CustomEvent("change", { detail: { what, group, settings } }));
  }
}
