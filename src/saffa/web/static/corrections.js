// What a person changed, as a list of corrections. Pure; every function gives a new list.
//
// {kind: "keep" | "skip" | "cut", start, end, speed?}  source seconds
// {kind: "weight", sentence, weight}                   sentences from 0
// {kind: "here", sentence, start, end}                 the person says where a sentence is shown

export const RANGES = ["keep", "skip", "cut"];
export const WEIGHTS = [0, 0.5, 1, 2, 4];
const SHORTEST = 0.2; // seconds

const tidy = (seconds) => Math.round(seconds * 1000) / 1000;
const isRange = (c) => RANGES.includes(c.kind);

/** The list with a range on top: what it covers of other ranges is taken away from them. */
export function withRange(list, range) {
  const start = tidy(Math.min(range.start, range.end));
  const end = tidy(Math.max(range.start, range.end));
  if (end - start < SHORTEST) return list;
  return sorted([...cleared(list, start, end), { ...range, start, end }]);
}

/** The list with nothing of keep, skip and cut inside [start, end). */
export function cleared(list, start, end) {
  return list.flatMap((c) => {
    if (!isRange(c) || c.end <= start || c.start >= end) return [c];
    const left = [];
    if (start - c.start >= SHORTEST) left.push({ ...c, end: tidy(start) });
    if (c.end - end >= SHORTEST) left.push({ ...c, start: tidy(end) });
    return left;
  });
}

/** The list without one of its entries. */
export function without(list, entry) {
  return list.filter((c) => c !== entry);
}

/** The range with one end moved. */
export function resized(list, entry, start, end) {
  return withRange(without(list, entry), { ...entry, start, end });
}

/** How much a sentence counts; 1 unless somebody said otherwise. */
export function weightOf(list, sentence) {
  const found = list.find((c) => c.kind === "weight" && c.sentence === sentence);
  return found ? found.weight : 1;
}

/** The list with the next higher (`by` 1) or lower (−1) weight for a sentence. */
export function reweighted(list, sentence, by) {
  const now = weightOf(list, sentence);
  const place = WEIGHTS.reduce((best, w, i) => (Math.abs(w - now) < Math.abs(WEIGHTS[best] - now) ? i : best), 0);
  const weight = WEIGHTS[Math.max(0, Math.min(WEIGHTS.length - 1, place + by))];
  const rest = list.filter((c) => c.kind !== "weight" || c.sentence !== sentence);
  return weight === 1 ? rest : sorted([...rest, { kind: "weight", sentence, weight }]);
}

/** Where a person says a sentence is, or null. */
export function hereOf(list, sentence) {
  return list.find((c) => c.kind === "here" && c.sentence === sentence) ?? null;
}

/** The list with a sentence put at a place; `null` takes the person's word back. */
export function placed(list, sentence, range) {
  const rest = list.filter((c) => c.kind !== "here" || c.sentence !== sentence);
  if (!range) return rest;
  return sorted([...rest, { kind: "here", sentence, start: tidy(range.start), end: tidy(range.end) }]);
}

/** The list for a text of `sentences` sentences: what names others is dropped. */
export function fitting(list, sentences) {
  return list.filter((c) => c.sentence === undefined || c.sentence < sentences);
}

function sorted(list) {
  const rank = (c) => [...RANGES, "here", "weight"].indexOf(c.kind);
  return [...list].sort((a, b) => rank(a) - rank(b) || (a.start ?? a.sentence) - (b.start ?? b.sentence));
}
