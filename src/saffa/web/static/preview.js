// The preview: an output clock that the original video follows at the planned speed, before anything is rendered.

import { TimeMap } from "./timemap.js";

const LONGEST_TICK = 0.25; // seconds; after a longer pause of the page the clock does not leap

export class Preview extends EventTarget {
  /** `main` follows the plan; `even` (muted) follows even fast-forward of the same length while `comparing`. */
  constructor(main, even) {
    super();
    this.main = main;
    this.even = even;
    this.map = new TimeMap([]);
    this.evenMap = this.map;
    this.duration = 0;
    this.output = 0;
    this.playing = false;
    this.comparing = false;
    this.volume = 1;
    this.last = null;
    document.addEventListener("visibilitychange", () => document.hidden && this.pause());
    requestAnimationFrame((now) => this.#tick(now));
  }

  get source() {
    return this.map.sourceAt(this.output);
  }

  get speed() {
    return this.map.speedAt(this.output);
  }

  /** Follow another plan; the picture stays where it is in the source. */
  follow(map, duration) {
    const source = this.source;
    const fresh = this.map.length === 0;
    this.map = map;
    this.duration = duration;
    this.evenMap = TimeMap.even(duration, map.length || duration);
    if (!fresh) this.output = Math.min(map.outputAt(source), map.length);
    this.#changed();
  }

  play() {
    if (!this.map.length) return;
    if (this.output >= this.map.length - 0.02) this.output = 0;
    this.playing = true;
    this.#changed();
  }

  pause() {
    this.playing = false;
    this.#changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Go to an output time. */
  seek(output) {
    this.output = Math.min(Math.max(output, 0), this.map.length);
    this.main.lastOutput = this.even.lastOutput = null;
    this.#changed();
  }

  /** Go to where a source time is shown. */
  seekSource(source) {
    this.seek(this.map.outputAt(source));
  }

  compare(on) {
    this.comparing = on;
    if (!on) this.even.video.pause();
    this.#changed();
  }

  #tick(now) {
    const elapsed = this.last === null ? 0 : Math.min((now - this.last) / 1000, LONGEST_TICK);
    this.last = now;
    if (this.playing && !this.main.stalled && !(this.comparing && this.even.stalled)) this.output += elapsed;
    if (this.playing && this.output >= this.map.length) {
      this.output = this.map.length;
      this.playing = false;
    }
    if (this.map.length) {
      this.main.follow(this.map, this.output, this.playing, elapsed, this.volume);
      if (this.comparing) this.even.follow(this.evenMap, this.output, this.playing, elapsed, 0);
    }
    this.dispatchEvent(new Event("tick"));
    requestAnimationFrame((next) => this.#tick(next));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
