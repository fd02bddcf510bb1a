// The player's surface: buttons, clock, scrubber with chapters, captions, comparison.

import { Driver } from "./driver.js";
import { byId, h } from "./element.js";
import { Preview } from "./preview.js";
import { clock, spoken, times } from "./timecode.js";

const READABLE = 2.5; // speed up to which captions can be read

export class Player {
  constructor() {
    this.video = byId("video");
    this.even = byId("even-video");
    this.preview = new Preview(new Driver(this.video, byId("cover")), new Driver(this.even, byId("even-cover")));
    this.lines = [];
    this.captions = localStorage.getItem("saffa.captions") !== "off";
    this.sound = true;
    this.src = null;
    this.#wire();
  }

  /** Play this address; `offset` is the element's time of source time 0. */
  load(src, offset) {
    if (this.src === src) return;
    this.src = src;
    this.preview.main.offset = this.preview.even.offset = offset;
    this.video.src = src;
    if (this.preview.comparing) this.even.src = src;
    byId("big-play").hidden = false;
  }

  unload() {
    this.src = null;
    this.preview.pause();
    for (const video of [this.video, this.even]) {
      video.removeAttribute("src");
      video.load();
    }
    this.preview.output = 0;
    this.preview.map = this.preview.map.constructor.even(0.001, 0.001);
    this.preview.map.length = 0;
    this.compare(false);
  }

  /** Follow a plan; `planned` is false before there is one. */
  follow(map, duration, planned) {
    this.planned = planned;
    this.preview.follow(map, duration);
    byId("scrub").max = String(map.length);
    byId("total").textContent = clock(map.length);
    byId("chapters").replaceChildren(
      ...map.chapters().map(({ sentence, from, to }) => {
        const part = h(sentence === null ? "i.between" : "i", {
          title: sentence === null ? "" : `Step ${sentence + 1}`,
        });
        part.style.flexGrow = String(to - from);
        if (sentence !== null && (to - from) / map.length > 0.05) part.append(String(sentence + 1));
        return part;
      }),
    );
  }

  compare(on) {
    byId("compare").checked = on;
    byId("screens").classList.toggle("comparing", on);
    if (on && this.even.getAttribute("src") !== this.src) this.even.src = this.src;
    this.preview.compare(on);
  }

  /** Say something over the picture, such as why there is none yet. */
  note(message) {
    byId("screen-note").hidden = !message;
    byId("screen-note").textContent = message ?? "";
  }

  #wire() {
    const { preview } = this;
    for (const id of ["play", "big-play"]) byId(id).addEventListener("click", () => preview.toggle());
    this.video.addEventListener("click", () => preview.toggle());
    byId("cover").addEventListener("click", () => preview.toggle());
    byId("scrub").addEventListener("input", (event) => preview.seek(Number(event.target.value)));
    byId("compare").addEventListener("change", (event) => this.compare(event.target.checked));
    byId("mute").addEventListener("click", () => this.#mute());
    byId("captions").addEventListener("click", () => this.#caption());
    byId("full").addEventListener("click", () => this.#full());
    preview.addEventListener("tick", () => this.#tick());
    preview.addEventListener("change", () => this.#changed());
    byId("captions").setAttribute("aria-pressed", String(this.captions));
  }

  #mute() {
    this.sound = !this.sound;
    this.preview.volume = this.sound ? 1 : 0;
    byId("mute").setAttribute("aria-pressed", String(this.sound));
    byId("mute-icon").setAttribute("href", `#icon-${this.sound ? "sound" : "muted"}`);
  }

  #caption() {
    this.captions = !this.captions;
    localStorage.setItem("saffa.captions", this.captions ? "on" : "off");
    byId("captions").setAttribute("aria-pressed", String(this.captions));
  }

  #full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else byId("screens").requestFullscreen?.();
  }

  #changed() {
    const { playing } = this.preview;
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("play-icon").setAttribute("href", playing ? "#icon-pause" : "#icon-play");
    byId("big-play").hidden = playing || !this.src || this.preview.output > 0; // it would hide what one steps through
  }

  #tick() {
    const { preview } = this;
    const { output, source } = preview;
    const scrub = byId("scrub");
    scrub.value = String(output);
    if (this.lastPlaying !== preview.playing) {
      this.lastPlaying = preview.playing;
      this.#changed();
    }
    const shown = Math.floor(output * 10);
    if (shown === this.lastShown && preview.map === this.lastMap) return;
    this.lastShown = shown;
    this.lastMap = preview.map;
    scrub.setAttribute("aria-valuetext", `${spoken(output)} of ${spoken(preview.map.length)}`);
    scrub.style.setProperty("--share", String(preview.map.length ? output / preview.map.length : 0));
    byId("now").textContent = clock(Math.floor(output));
    byId("source").textContent = clock(Math.floor(source));
    const speed = preview.map.speedAt(output, 0.3);
    byId("speed").hidden = !this.src || !preview.map.length;
    byId("speed").textContent = this.planned ? times(speed) : "not planned yet";
    byId("speed").classList.toggle("fast", speed > 4);
    byId("even-speed").textContent = times(preview.evenMap.speedAt(output));
    this.#line(source, speed);
  }

  #line(source, speed) {
    const line =
      this.captions && speed <= READABLE ? this.lines.find((l) => l.start <= source && l.end > source) : null;
    byId("caption").hidden = !line;
    if (line) byId("caption").replaceChildren(h("span", {}, line.text));
  }
}
