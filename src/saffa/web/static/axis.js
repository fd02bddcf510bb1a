// The strip's axis: seconds of the source ↔ pixels, ticks, and what lies under a pointer. Pure.

export class Axis {
  /** `width` pixels are visible; at zoom 1 they show all of `duration`. `scroll` is in pixels. */
  constructor(duration, width, zoom = 1, scroll = 0) {
    this.duration = Math.max(duration, 0.001);
    this.width = Math.max(width, 1);
    this.zoom = zoom;
    this.scroll = scroll;
    this.perSecond = (this.width * zoom) / this.duration;
  }

  /** Pixel, from the left edge of what is visible. */
  x(seconds) {
    return seconds * this.perSecond - this.scroll;
  }

  /** Source second under a pixel, held inside the video. */
  seconds(x) {
    return Math.min(this.duration, Math.max(0, (x + this.scroll) / this.perSecond));
  }

  /** First and last visible second. */
  get visible() {
    return [this.seconds(0), this.seconds(this.width)];
  }

  /** The scroll position at which `seconds` stays under pixel `x` with another zoom. */
  scrollFor(seconds, x, zoom) {
    const most = this.width * (zoom - 1);
    return Math.min(most, Math.max(0, (seconds * this.width * zoom) / this.duration - x));
  }

  /** Seconds between labels, so that they stand at least `apart` pixels apart. */
  tick(apart = 76) {
    const steps = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
    return steps.find((step) => step * this.perSecond >= apart) ?? steps[steps.length - 1];
  }
}

/**
 * What lies under a pointer.
 *
 * `bands`   [{sentence, start, end}] in the lane `lanes.steps`, the last one on top
 * `ranges`  [{kind, start, end}] in the lane `lanes.ranges`
 * `lanes`   {name: [top, bottom]} in pixels
 * → {lane, target: "start" | "end" | "body" | "none", item}; an edge is caught within `reach` pixels.
 */
export function hit(axis, lanes, { bands, ranges }, x, y, reach = 7) {
  const lane = Object.keys(lanes).find((name) => y >= lanes[name][0] && y < lanes[name][1]) ?? null;
  const items = lane === "steps" ? bands : lane === "ranges" ? ranges : [];
  for (let i = items.length - 1; i >= 0; i--) {
    const left = axis.x(items[i].start);
    const right = axis.x(items[i].end);
    const edge = Math.min(reach, Math.max(2, (right - left) / 3));
    if (Math.abs(x - left) <= edge) return { lane, target: "start", item: items[i] };
    if (Math.abs(x - right) <= edge) return { lane, target: "end", item: items[i] };
    if (x > left && x < right) return { lane, target: "body", item: items[i] };
  }
  return { lane, target: "none", item: null };
}

/** A range while one of its parts is dragged by `moved` seconds; it keeps `least` seconds and stays in the video. */
export function dragged(range, target, moved, duration, least = 0.5) {
  const length = range.end - range.start;
  if (target === "start") return { start: clamp(range.start + moved, 0, range.end - least), end: range.end };
  if (target === "end") return { start: range.start, end: clamp(range.end + moved, range.start + least, duration) };
  const start = clamp(range.start + moved, 0, Math.max(0, duration - length));
  return { start, end: start + length };
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
