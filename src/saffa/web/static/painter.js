// Draws the strip: lanes over the source's time. Height and pattern carry the meaning, colour only helps.

import { clock, times } from "./timecode.js";

/** Lanes from top to bottom: [name, height in pixels, name for people]. */
export const LANES = [
  ["ruler", 20, ""],
  ["ranges", 20, "yours"],
  ["pictures", 56, ""],
  ["said", 22, "said"],
  ["relevance", 36, "relevance"],
  ["steps", 30, "steps"],
  ["speed", 50, "speed"],
];
export const HEIGHT = LANES.reduce((sum, [, height]) => sum + height, 0);
export const FAST = 4;
export const WATCHABLE = 2;

/** {name: [top, bottom]} in pixels. */
export function laneEdges() {
  let top = 0;
  return Object.fromEntries(LANES.map(([name, height]) => [name, [top, (top += height)]]));
}

const COLOURS = [
  "ink",
  "muted",
  "line",
  "surface",
  "sunken",
  "accent",
  "relevance",
  "speed",
  "keep",
  "skip",
  "cut",
  "focus",
];

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.lanes = laneEdges();
    this.recolour();
  }

  /** Read the colours of the page again, after light and dark were switched. */
  recolour() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.font = getComputedStyle(document.body).fontFamily;
    const { surface, speed, accent, skip, cut } = this.colours;
    this.patterns = {
      veil: hatch(this.pen, surface, 7, 2),
      speed: hatch(this.pen, speed, 5, 1.6),
      doubt: hatch(this.pen, accent, 6, 1.5),
      skip: chevrons(this.pen, skip),
      cut: crosses(this.pen, cut),
    };
  }

  /** Draw everything. `scene` is {axis, map, alignment, bands, ranges, selection, step, thumbnails, duration}. */
  paint(scene) {
    const { axis } = scene;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(axis.width * ratio);
    if (this.canvas.width !== width || this.canvas.height !== HEIGHT * ratio) {
      this.canvas.width = width;
      this.canvas.height = Math.round(HEIGHT * ratio);
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, axis.width, HEIGHT);
    this.#ruler(scene);
    this.#pictures(scene);
    this.#said(scene);
    this.#relevance(scene);
    this.#speed(scene);
    this.#steps(scene);
    this.#ranges(scene);
    this.#selection(scene);
  }

  #ruler({ axis }) {
    const [top, bottom] = this.lanes.ruler;
    const tick = axis.tick();
    const [from, to] = axis.visible;
    this.#type(11, this.colours.muted);
    for (let at = Math.floor(from / tick) * tick; at <= to + tick; at += tick) {
      const x = Math.round(axis.x(at)) + 0.5;
      this.#line(x, bottom - 5, x, bottom, this.colours.line);
      this.pen.fillText(clock(at, tick < 1), x + 4, top + 13);
    }
  }

  #pictures({ axis, thumbnails, map, duration }) {
    const [top, bottom] = this.lanes.pictures;
    const height = bottom - top - 4;
    this.pen.fillStyle = this.colours.sunken;
    this.pen.fillRect(axis.x(0), top + 2, axis.x(duration) - axis.x(0), height);
    const wide = thumbnails ? (thumbnails.width / thumbnails.height) * height : 0;
    if (thumbnails && wide > 4) {
      const first = Math.floor(axis.scroll / wide);
      for (let k = first; k * wide - axis.scroll < axis.width; k++) {
        const x = k * wide - axis.scroll;
        const end = Math.min(x + wide, axis.x(duration));
        const found = thumbnails.at(axis.seconds(x + wide / 2));
        if (!found || end <= x) continue;
        const share = (end - x) / wide;
        this.pen.drawImage(
          found.image,
          found.x,
          found.y,
          thumbnails.width * share,
          thumbnails.height,
          x,
          top + 2,
          end - x,
          height,
        );
      }
    }
    if (!map) return;
    this.#runs(
      visibleSpeeds(axis, map),
      (speed) => (speed > FAST && speed !== Infinity ? "fast" : null),
      (x, width) => {
        this.pen.globalAlpha = 0.42;
        this.pen.fillStyle = this.colours.surface;
        this.pen.fillRect(x, top + 2, width, height);
        this.pen.globalAlpha = 0.8;
        this.pen.fillStyle = this.patterns.veil;
        this.pen.fillRect(x, top + 2, width, height);
        this.pen.globalAlpha = 1;
      },
    );
  }

  #said({ axis, alignment }) {
    if (!alignment) return;
    const [top, bottom] = this.lanes.said;
    const [from, to] = axis.visible;
    for (const line of alignment.lines) {
      if (line.end < from || line.start > to) continue;
      const x = axis.x(line.start);
      const width = Math.max(1.5, axis.x(line.end) - x - 1);
      this.pen.fillStyle = this.colours.sunken;
      this.#box(x, top + 3, width, bottom - top - 6, 3);
      this.pen.fill();
      if (width < 34) continue;
      this.pen.save();
      this.pen.clip();
      this.#type(11, this.colours.ink);
      this.pen.fillText(line.text, Math.max(x, 0) + 5, bottom - 7);
      this.pen.restore();
    }
  }

  #relevance({ axis, alignment }) {
    if (!alignment || !alignment.times.length) return;
    const [top, bottom] = this.lanes.relevance;
    const { times: at, relevance } = alignment;
    const y = (value) => bottom - 3 - value * (bottom - top - 7);
    this.pen.beginPath();
    this.pen.moveTo(axis.x(0), bottom - 3);
    this.pen.lineTo(axis.x(0), y(relevance[0]));
    at.forEach((seconds, i) => this.pen.lineTo(axis.x(seconds), y(relevance[i])));
    this.pen.lineTo(axis.x(axis.duration), y(relevance[relevance.length - 1]));
    this.pen.lineTo(axis.x(axis.duration), bottom - 3);
    this.pen.globalAlpha = 0.28;
    this.pen.fillStyle = this.colours.relevance;
    this.pen.fill();
    this.pen.globalAlpha = 1;
    this.pen.strokeStyle = this.colours.relevance;
    this.pen.lineWidth = 1.4;
    this.pen.stroke();
  }

  #speed({ axis, map }) {
    const [top, bottom] = this.lanes.speed;
    const base = bottom - 3;
    const room = base - top - 6;
    const heightOf = (speed) => 4 + (room - 4) * Math.min(1, Math.log(Math.max(1, speed)) / Math.log(25));
    this.#type(9.5, this.colours.muted);
    for (const speed of [1, 5, 25]) {
      const y = Math.round(base - heightOf(speed)) + 0.5;
      this.pen.globalAlpha = 0.6;
      this.#line(0, y, axis.width, y, this.colours.line);
      this.pen.globalAlpha = 1;
    }
    if (!map) return;
    const speeds = visibleSpeeds(axis, map);
    speeds.forEach((speed, x) => {
      if (speed === Infinity || speed === null) return;
      const height = heightOf(speed);
      this.pen.fillStyle = speed > FAST ? this.patterns.speed : this.colours.speed;
      this.pen.globalAlpha = speed <= WATCHABLE ? 1 : speed > FAST ? 1 : 0.6;
      this.pen.fillRect(x, base - height, 1, height);
    });
    this.pen.globalAlpha = 1;
    this.pen.strokeStyle = this.colours.speed;
    this.pen.lineWidth = 1.3;
    this.pen.beginPath();
    let down = false;
    speeds.forEach((speed, x) => {
      const shown = speed !== Infinity && speed !== null;
      if (shown) this.pen[down ? "lineTo" : "moveTo"](x + 0.5, base - heightOf(speed));
      down = shown;
    });
    this.pen.stroke();
    this.#type(9.5, this.colours.muted);
    this.#haloed(times(25), 4, top + 12);
  }

  #steps({ axis, bands, step }) {
    const [top, bottom] = this.lanes.steps;
    this.#line(0, bottom - 0.5, axis.width, bottom - 0.5, this.colours.line);
    for (const band of bands) {
      const x = axis.x(band.start);
      const width = Math.max(14, axis.x(band.end) - x);
      if (x + width < 0 || x > axis.width) continue;
      const sure = band.level === "sure" || band.level === "placed";
      this.#box(x + 0.5, top + 4.5, width - 1, bottom - top - 9, 5);
      this.pen.fillStyle = this.colours.surface;
      this.pen.fill();
      this.pen.globalAlpha = sure ? 1 : 0.45;
      this.pen.fillStyle = sure ? this.colours.accent : this.patterns.doubt;
      this.pen.fill();
      this.pen.globalAlpha = 1;
      this.pen.setLineDash(sure ? [] : [4, 3]);
      this.pen.lineWidth = band.sentence === step ? 3 : 1.3;
      this.pen.strokeStyle = band.sentence === step ? this.colours.focus : this.colours.accent;
      this.pen.stroke();
      this.pen.setLineDash([]);
      this.#label(`${band.sentence + 1}`, band.text, x, top, width, bottom, sure);
    }
  }

  #label(number, text, x, top, width, bottom, sure) {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(x, top, width - 2, bottom - top);
    this.pen.clip();
    this.#type(12, sure ? this.colours.surface : this.colours.ink, 700);
    const wide = this.pen.measureText(number).width;
    const left = width < 26 ? x + (width - wide) / 2 : Math.max(x, 0) + 7;
    if (sure) this.pen.fillText(number, left, bottom - 10);
    else this.#haloed(number, left, bottom - 10);
    if (width > 90) {
      this.#type(11.5, sure ? this.colours.surface : this.colours.ink);
      if (sure) this.pen.fillText(text, left + wide + 6, bottom - 10);
      else this.#haloed(text, left + wide + 6, bottom - 10);
    }
    this.pen.restore();
  }

  #ranges({ axis, ranges }) {
    const [top, bottom] = this.lanes.ranges;
    const [first, last] = this.lanes.pictures;
    for (const range of ranges) {
      const x = axis.x(range.start);
      const width = Math.max(3, axis.x(range.end) - x);
      const colour = this.colours[range.kind];
      if (range.kind !== "keep") {
        this.pen.fillStyle = this.patterns[range.kind];
        this.pen.fillRect(x, first + 2, width, last - first - 4);
      }
      this.pen.strokeStyle = colour;
      this.pen.lineWidth = range.kind === "keep" ? 3 : 1.5;
      this.pen.strokeRect(x + 1, first + 2.5, width - 2, last - first - 5);
      this.#box(x, top + 2, width, bottom - top - 3, 4);
      this.pen.fillStyle = colour;
      this.pen.fill();
      if (width < 26) continue;
      this.pen.save();
      this.pen.clip();
      this.#type(11, this.colours.surface, 650);
      this.pen.fillText(
        range.speed > 1 ? `${range.kind} ≤ ${times(range.speed)}` : range.kind,
        Math.max(x, 0) + 6,
        bottom - 6,
      );
      this.pen.restore();
    }
  }

  #selection({ axis, selection }) {
    if (!selection) return;
    const x = axis.x(selection.start);
    const width = Math.max(1, axis.x(selection.end) - x);
    this.pen.globalAlpha = 0.2;
    this.pen.fillStyle = this.colours.focus;
    this.pen.fillRect(x, this.lanes.ranges[0], width, HEIGHT - this.lanes.ranges[0]);
    this.pen.globalAlpha = 1;
    for (const edge of [x, x + width]) {
      this.#line(Math.round(edge) + 0.5, this.lanes.ruler[1], Math.round(edge) + 0.5, HEIGHT, this.colours.focus, 2);
    }
  }

  /** Call `draw(x, width)` for every run of pixels of the same class; null is no class. */
  #runs(speeds, classOf, draw) {
    let start = 0;
    for (let x = 1; x <= speeds.length; x++) {
      const before = speeds[start] === null ? null : classOf(speeds[start]);
      const here = x < speeds.length && speeds[x] !== null ? classOf(speeds[x]) : null;
      if (x < speeds.length && here === before) continue;
      if (before) draw(start, x - start);
      start = x;
    }
  }

  #type(pixels, colour, weight = 500) {
    this.pen.font = `${weight} ${pixels}px ${this.font}`;
    this.pen.fillStyle = colour;
  }

  #haloed(text, x, y) {
    this.pen.strokeStyle = this.colours.surface;
    this.pen.lineWidth = 3;
    this.pen.strokeText(text, x, y);
    this.pen.fillText(text, x, y);
  }

  #line(x1, y1, x2, y2, colour, width = 1) {
    this.pen.beginPath();
    this.pen.moveTo(x1, y1);
    this.pen.lineTo(x2, y2);
    this.pen.strokeStyle = colour;
    this.pen.lineWidth = width;
    this.pen.stroke();
  }

  #box(x, y, width, height, radius) {
    this.pen.beginPath();
    this.pen.roundRect(x, y, Math.max(width, 0), height, Math.min(radius, Math.max(width, 0) / 2));
  }
}

/** Speed at every visible pixel: Infinity where it is cut out, null outside the video. */
function visibleSpeeds(axis, map) {
  const speeds = [];
  for (let x = 0; x < axis.width; x++) {
    const from = (x + axis.scroll) / axis.perSecond;
    const to = Math.min(axis.duration, (x + 1 + axis.scroll) / axis.perSecond);
    speeds.push(from >= axis.duration ? null : map.speedOver(from, to));
  }
  return speeds;
}

function tile(pen, size, draw) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  draw(canvas.getContext("2d"), size);
  return pen.createPattern(canvas, "repeat");
}

function hatch(pen, colour, size, width) {
  return tile(pen, size, (tip) => {
    tip.strokeStyle = colour;
    tip.lineWidth = width;
    tip.beginPath();
    for (const shift of [-size, 0, size]) {
      tip.moveTo(shift - 1, size + 1);
      tip.lineTo(shift + size + 1, -1);
    }
    tip.stroke();
  });
}

function chevrons(pen, colour) {
  return tile(pen, 14, (tip) => {
    tip.strokeStyle = colour;
    tip.lineWidth = 2.4;
    tip.beginPath();
    tip.moveTo(3, 1);
    tip.lineTo(10, 7);
    tip.lineTo(3, 13);
    tip.stroke();
  });
}

function crosses(pen, colour) {
  return tile(pen, 12, (tip) => {
    tip.strokeStyle = colour;
    tip.lineWidth = 2;
    tip.beginPath();
    tip.moveTo(0, 0);
    tip.lineTo(12, 12);
    tip.moveTo(12, 0);
    tip.lineTo(0, 12);
    tip.stroke();
  });
}
