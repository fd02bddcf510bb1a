// One video element that follows a TimeMap. The clock is somebody else's (preview.js).

import { decide, fade, FASTEST, lowered, needsThumbnails } from "./pilot.js";

const HALF_FRAME = 0.02; // seconds; nearer than this, a paused picture is right
const MEMORY = 6; // seconds in which lost positions count against the device

export class Driver {
  /** `cover` is a canvas over the video that shows thumbnails where seeking is too slow to step. */
  constructor(video, cover) {
    this.video = video;
    this.cover = cover;
    this.offset = 0; // the element's time of source time 0
    this.thumbnails = null;
    this.ceiling = FASTEST;
    this.seekTime = 0.05;
    this.asked = -Infinity;
    this.losses = [];
    this.stepping = false;
    this.covered = false;
    this.lastOutput = null;
    video.preservesPitch = true;
    video.addEventListener("seeked", () => this.#seeked());
  }

  /** Source seconds of the picture on screen. */
  get shown() {
    return this.covered ? Number(this.cover.dataset.source) : this.video.currentTime - this.offset;
  }

  /** Whether the clock should wait: the next pictures are not there yet. */
  get stalled() {
    if (this.covered || this.stepping || !this.video.currentSrc) return false;
    return this.video.seeking || this.video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  }

  /** Show what `map` shows at output time `output`; `elapsed` seconds since the last call. */
  follow(map, output, playing, elapsed, volume) {
    if (!this.video.currentSrc || this.video.error) return;
    const wanted = map.sourceAt(output);
    if (!playing) return this.#rest(wanted, output);
    const speed = map.speedAt(output);
    const jumped = this.lastOutput !== null && map.nextCut(this.lastOutput) <= output;
    this.lastOutput = output;
    const now = performance.now() / 1000;
    const shown = this.video.currentTime - this.offset;
    const choice = decide({
      wanted,
      shown,
      off: map.outputAt(shown) - output,
      speed,
      ceiling: this.ceiling,
      seeking: this.video.seeking,
      stepping: this.stepping,
      jumped,
      sinceSeek: now - this.asked,
      seekTime: this.seekTime,
    });
    this.stepping = choice.stepping;
    this.video.volume = fade(this.video.volume, speed, volume, elapsed);
    this.#cover(wanted, this.stepping && needsThumbnails(this.seekTime));
    if (this.stepping && !this.video.paused) this.video.pause();
    if (choice.act === "rate") this.#play(choice.rate);
    if (choice.act === "seek") this.#step(map, output, speed, choice.ahead, jumped, now);
  }

  #play(rate) {
    if (Math.abs(this.video.playbackRate / rate - 1) > 0.02) this.video.playbackRate = rate;
    if (this.video.paused) this.video.play().catch(() => {});
  }

  #step(map, output, speed, ahead, jumped, now) {
    if (!this.stepping && !jumped) {
      this.losses = [...this.losses.filter((at) => now - at < MEMORY), now];
      const ceiling = lowered(this.ceiling, speed, this.losses.length);
      if (ceiling !== this.ceiling) this.losses = [];
      this.ceiling = ceiling;
    }
    const target = this.covered ? landing(map, output, this.ceiling) : output + ahead;
    this.#seek(map.sourceAt(target));
    if (!this.stepping) this.#play(Math.min(speed, this.ceiling));
  }

  #rest(wanted, output) {
    this.lastOutput = output;
    this.stepping = false;
    this.#cover(wanted, false);
    if (!this.video.paused) this.video.pause();
    const off = Math.abs(this.video.currentTime - this.offset - wanted);
    if (off > HALF_FRAME && !this.video.seeking) this.#seek(wanted);
  }

  #seek(source) {
    const most = Number.isFinite(this.video.duration) ? this.video.duration - 0.001 : Infinity;
    const target = Math.max(0, Math.min(most, source + this.offset));
    if (Math.abs(this.video.currentTime - target) < 0.001) return;
    this.asked = performance.now() / 1000;
    this.video.currentTime = target;
  }

  #seeked() {
    const took = performance.now() / 1000 - this.asked;
    if (took < 5) this.seekTime += 0.3 * (took - this.seekTime);
  }

  #cover(source, wanted) {
    this.covered = wanted && this.thumbnails !== null && this.thumbnails.draw(this.cover, source);
    this.cover.hidden = !this.covered;
  }
}

/** Output time at which the speed is low enough to play again, at most half a minute on. */
function landing(map, output, ceiling) {
  for (let t = output; t < Math.min(output + 30, map.length); t += 0.1) if (map.speedAt(t) <= ceiling * 0.9) return t;
  return Math.min(output + 30, map.length);
}
