// What the person changed, as a row of chips that can be taken away again.

import { byId, h, icon } from "./element.js";
import { clock } from "./timecode.js";

const ICONS = { keep: "keep", skip: "skip", cut: "cut", weight: "plus", here: "pin" };

/** A correction in words. */
export function describe(correction) {
  const range = correction.start === undefined ? "" : `${clock(correction.start)}–${clock(correction.end)}`;
  if (correction.kind === "weight") return `step ${correction.sentence + 1} counts ${correction.weight}×`;
  if (correction.kind === "here") return `step ${correction.sentence + 1} is at ${range}`;
  return `${correction.kind} ${range}`;
}

/** Draw the chips; `go(correction)` on a click, `drop(correction)` on the cross. */
export function showChanges(corrections, go, drop) {
  byId("changes").replaceChildren(
    ...corrections.map((correction) => {
      const words = describe(correction);
      return h(
        `li.chip.${correction.kind}`,
        {},
        h(
          "button.chip-main",
          { type: "button", on: { click: () => go(correction) } },
          icon(ICONS[correction.kind]),
          words,
        ),
        h(
          "button.quiet.square",
          { type: "button", "aria-label": `Take back: ${words}`, on: { click: () => drop(correction) } },
          icon("close"),
        ),
      );
    }),
  );
}
