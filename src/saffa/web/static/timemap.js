// Output time ↔ source time, from the segments of a plan. Pure: no page, no server.

/** One stretch of the source at one speed: source seconds [start, end), `speed`, `sentence` (from 0) or null. */

export class TimeMap {
  /** `segments` are in the order of the output; between them the source is cut out. */
  constructor(segments) {
    this.segments = segments.filter((s) => s.end > s.start && s.speed > 0);
    this.starts = [];
    let at = 0;
    for (const segment of this.segments) {
      this.starts.push(at);
      at += (segment.end - segment.start) / segment.speed;
    }
    this.length = at;
  }

  /** The whole source at one speed: what even fast-forward to `length` seconds shows. */
  static even(duration, length) {
    return new TimeMap([{ start: 0, end: duration, speed: Math.max(1, duration / length), sentence: null }]);
  }

  /** Index of the segment that is shown at an output time; the last one at and after the end. */
  indexAt(output) {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= output) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Source seconds shown at an output time, held at both ends. */
  sourceAt(output) {
    if (!this.segments.length) return 0;
    const t = Math.min(Math.max(output, 0), this.length);
    const i = this.indexAt(t);
    const segment = this.segments[i];
    return Math.min(segment.start + (t - this.starts[i]) * segment.speed, segment.end);
  }

  /** Output time at which a source time is shown; for one that is cut out, the moment after the cut. */
  outputAt(source) {
    let low = 0;
    let high = this.segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.segments[middle].end > source) high = middle;
      else low = middle + 1;
    }
    const i = low;
    if (i === this.segments.length) return this.length;
    return this.starts[i] + Math.max(0, source - this.segments[i].start) / this.segments[i].speed;
  }

  /** The sentence shown at an output time, or null. */
  sentenceAt(output) {
    return this.segments.length ? this.segments[this.indexAt(output)].sentence : null;
  }

  /** Output time of the next cut after `output`, or Infinity. */
  nextCut(output) {
    for (let i = this.indexAt(output) + 1; i < this.segments.length; i++) {
      if (this.segments[i].start - this.segments[i - 1].end > 1e-6) return this.starts[i];
    }
    return Infinity;
  }

  /** Mean speed from an output time on, over `window` seconds of output, never across a cut. */
  speedAt(output, window = 0.15) {
    if (!this.segments.length) return 1;
    let from = Math.min(Math.max(output, 0), this.length);
    if (this.length - from < 1e-3) from = Math.max(0, this.length - window);
    const to = Math.min(from + window, this.length, this.nextCut(from));
    const first = this.indexAt(from);
    if (to - from < 1e-6) return this.segments[first].speed;
    const last = this.indexAt(to - 1e-9);
    const end = this.segments[last].start + (to - this.starts[last]) * this.segments[last].speed;
    return (end - this.sourceAt(from)) / (to - from);
  }

  /** Mean speed over source seconds [from, to); Infinity where all of it is cut out. */
  speedOver(from, to) {
    const shown = this.outputAt(to) - this.outputAt(from);
    return shown > 1e-9 ? (to - from) / shown : Infinity;
  }

  /** Every stretch of source time that is left out: [[start, end], …]. */
  cuts(duration) {
    const found = [];
    let at = 0;
    for (const segment of this.segments) {
      if (segment.start - at > 1e-3) found.push([at, segment.start]);
      at = segment.end;
    }
    if (duration - at > 1e-3) found.push([at, duration]);
    return found;
  }

  /** Stretches of one sentence in a row: [{sentence, from, to}] in output seconds. */
  chapters() {
    const found = [];
    this.segments.forEach((segment, i) => {
      const to = this.starts[i] + (segment.end - segment.start) / segment.speed;
      const last = found[found.length - 1];
      if (last && last.sentence === segment.sentence) last.to = to;
      else found.push({ sentence: segment.sentence, from: this.starts[i], to });
    });
    return found;
  }
}
