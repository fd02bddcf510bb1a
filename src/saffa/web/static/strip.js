// The strip: one time axis for pictures, speech, relevance, steps and speed; dragging on it corrects the plan.

import { Axis, dragged, hit } from "./axis.js";
import { byId, h } from "./element.js";
import { HEIGHT, laneEdges, LANES, Painter } from "./painter.js";
import { clock, spoken, times } from "./timecode.js";

const PRESS = 350; // milliseconds until a resting finger drags instead of scrolling
const STILL = 4; // pixels
const ROOMY = 900; // pixels that a strip needs at least to be read
const CLOSEST = 60; // zoom: at least this many pixels a second can be reached

/**
 * Events: "seek" {source}; "select" {start, end} or null; "move" {sentence, range, done}; "resize" {range, start, end,
 * done}; "step" {sentence}. The owner sets `scene` parts with `show` and calls `playhead`.
 */
export class Strip extends EventTarget {
  constructor() {
    super();
    this.scroller = byId("strip-scroll");
    this.space = byId("strip-space");
    this.canvas = byId("strip-canvas");
    this.tip = byId("tip");
    this.head = h("div.playhead", { "aria-hidden": "true" });
    this.space.append(this.head);
    this.painter = new Painter(this.canvas);
    this.scene = {
      duration: 0,
      map: null,
      alignment: null,
      bands: [],
      ranges: [],
      selection: null,
      step: null,
      thumbnails: null,
    };
    this.zoom = 1;
    this.drag = null;
    this.canvas.style.height = `${HEIGHT}px`;
    this.#names();
    this.#wire();
  }

  /** Change what is drawn. A new video is shown whole, on a phone zoomed in. */
  show(parts) {
    if (parts.duration && parts.duration !== this.scene.duration) {
      this.zoom = Math.max(1, Math.min(ROOMY / this.scroller.clientWidth, parts.duration / 20));
    }
    Object.assign(this.scene, parts);
    this.scroller.setAttribute("aria-valuemax", String(Math.round(this.scene.duration)));
    this.#soon();
  }

  recolour() {
    this.painter.recolour();
    this.#soon();
  }

  /** Put the playhead at a source time; a playhead that runs out of sight takes the strip along. */
  playhead(source, playing) {
    const axis = this.#axis();
    this.head.style.transform = `translateX(${source * axis.perSecond}px)`;
    if (Math.round(source) !== this.told) {
      this.told = Math.round(source);
      this.scroller.setAttribute("aria-valuenow", String(this.told));
      this.scroller.setAttribute("aria-valuetext", `${spoken(source)} of the original`);
    }
    const x = axis.x(source);
    if (playing && !this.drag && this.zoom > 1 && (x < 0 || x > axis.width - 20)) {
      this.scroller.scrollLeft = source * axis.perSecond - axis.width * 0.15;
    }
  }

  /** Zoom by a factor around a pixel, or to everything with factor 0. */
  zoomBy(factor, x = this.scroller.clientWidth / 2) {
    const axis = this.#axis();
    const most = Math.max(1, (CLOSEST * this.scene.duration) / axis.width);
    const zoom = factor ? Math.min(most, Math.max(1, this.zoom * factor)) : 1;
    const scroll = axis.scrollFor(axis.seconds(x), x, zoom);
    this.zoom = zoom;
    this.#layout();
    this.scroller.scrollLeft = scroll;
    this.#soon();
  }

  #axis() {
    return new Axis(this.scene.duration || 1, this.scroller.clientWidth, this.zoom, this.scroller.scrollLeft);
  }

  #layout() {
    const width = this.scroller.clientWidth;
    this.space.style.width = `${width * this.zoom}px`;
    this.canvas.style.width = `${width}px`;
  }

  #soon() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.#layout();
      this.painter.paint({ ...this.scene, axis: this.#axis() });
    });
  }

  #names() {
    byId("lane-names").replaceChildren(
      ...LANES.map(([, height, name]) => {
        const row = h("span", {}, name);
        row.style.height = `${height}px`;
        return row;
      }),
    );
  }

  #wire() {
    new ResizeObserver(() => this.#soon()).observe(this.scroller);
    this.scroller.addEventListener("scroll", () => this.#soon(), { passive: true });
    this.scroller.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.#down(event));
    this.canvas.addEventListener("pointermove", (event) => this.#move(event));
    this.canvas.addEventListener("pointerup", (event) => this.#up(event));
    this.canvas.addEventListener("pointercancel", () => this.#drop());
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("touchmove", (event) => this.drag?.armed && event.preventDefault(), {
      passive: false,
    });
    byId("zoom-in").addEventListener("click", () => this.zoomBy(2));
    byId("zoom-out").addEventListener("click", () => this.zoomBy(0.5));
    byId("zoom-fit").addEventListener("click", () => this.zoomBy(0));
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoomBy(Math.exp(-event.deltaY / 200), event.clientX - this.scroller.getBoundingClientRect().left);
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const axis = this.#axis();
    const reach = event.pointerType === "touch" ? 14 : 7;
    return { x, y, seconds: axis.seconds(x), ...hit(axis, laneEdges(), this.scene, x, y, reach) };
  }

  #down(event) {
    if (event.button !== 0 || !this.scene.duration) return;
    const at = this.#at(event);
    this.drag = { at, x: event.clientX, armed: event.pointerType !== "touch", moved: false };
    if (!this.drag.armed) this.press = setTimeout(() => this.#arm(), PRESS);
    else this.canvas.setPointerCapture(event.pointerId);
    if (at.lane === "steps" && at.item) this.#tell("step", { sentence: at.item.sentence });
  }

  #arm() {
    if (!this.drag) return;
    this.drag.armed = true;
    navigator.vibrate?.(15);
  }

  #move(event) {
    const here = this.#at(event);
    if (!this.drag) return this.#hover(event, here);
    if (Math.abs(event.clientX - this.drag.x) > STILL) this.drag.moved = true;
    if (!this.drag.armed) {
      if (this.drag.moved) this.#drop();
      return;
    }
    if (this.drag.moved) this.#carry(here, false);
    this.#hover(event, here);
  }

  #carry(here, done) {
    const { at } = this.drag;
    const moved = here.seconds - at.seconds;
    if (at.item && at.lane === "steps") {
      this.#tell("move", {
        sentence: at.item.sentence,
        range: dragged(at.item, at.target, moved, this.scene.duration),
        done,
      });
    } else if (at.item && at.lane === "ranges") {
      this.#tell("resize", { range: at.item, ...dragged(at.item, at.target, moved, this.scene.duration, 0.2), done });
    } else {
      const [start, end] = [at.seconds, here.seconds].sort((a, b) => a - b);
      this.#tell("select", { start, end, done });
    }
  }

  #up(event) {
    clearTimeout(this.press);
    const drag = this.drag;
    if (!drag) return;
    const here = this.#at(event);
    if (drag.moved && drag.armed) this.#carry(here, true);
    else if (drag.at.item && drag.at.lane === "ranges") this.#tell("select", { ...drag.at.item, done: true });
    else if (!(drag.at.item && drag.at.lane === "steps")) this.#tell("seek", { source: here.seconds });
    this.drag = null;
  }

  #drop() {
    clearTimeout(this.press);
    this.drag = null;
  }

  #hover(event, { x, seconds, lane, item, target }) {
    const edge = item && target !== "body";
    this.canvas.style.cursor = edge ? "ew-resize" : item ? "grab" : "crosshair";
    if (event.pointerType === "touch" && !this.drag) return;
    const { map, alignment } = this.scene;
    const speed = map ? map.speedOver(Math.max(0, seconds - 0.25), seconds + 0.25) : null;
    const line = alignment?.lines.find((l) => l.start <= seconds && l.end > seconds);
    const step = lane === "steps" && item ? `${item.sentence + 1} ${item.text} — ${item.words}` : null;
    const how = speed === null ? null : speed === Infinity ? "cut out" : times(speed);
    this.tip.replaceChildren(
      h("b", {}, [clock(seconds, true), how].filter(Boolean).join(" · ")),
      ...(step ? [h("span", {}, step)] : line ? [h("span", {}, `“${line.text}”`)] : []),
    );
    this.tip.hidden = false;
    this.tip.classList.toggle("below", Boolean(this.scene.selection)); // above are the buttons for the range
    const room = this.scroller.clientWidth;
    const left = this.canvas.getBoundingClientRect().left - this.tip.parentElement.getBoundingClientRect().left;
    this.tip.style.left = `${left + Math.min(Math.max(x, 60), room - Math.min(130, room / 2))}px`;
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
