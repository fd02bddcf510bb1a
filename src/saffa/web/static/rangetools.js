// The buttons for a marked range: keep, skip, cut, as planned, and "the step is here".

import { byId, h, icon } from "./element.js";
import { clock } from "./timecode.js";

const NAMES = {
  keep: ["Keep", "k"],
  skip: ["Skip", "s"],
  cut: ["Cut", "x"],
  clear: ["As planned", "take your changes back"],
};

/** `act` is {mark(kind), here(), forget()}; `step` is the chosen sentence or null. */
export function showRangeTools(selection, corrections, step, act) {
  const box = byId("range-tools");
  box.hidden = !selection;
  byId("strip-hint").hidden = Boolean(selection);
  if (!selection) return;
  const { start, end } = selection;
  const tenths = end - start < 10;
  const touched = corrections.some((c) => ["keep", "skip", "cut"].includes(c.kind) && c.end > start && c.start < end);
  const button = (kind) =>
    h(
      `button.tool.${kind}`,
      { type: "button", title: NAMES[kind][1], on: { click: () => act.mark(kind) } },
      icon(kind === "clear" ? "undo" : kind),
      NAMES[kind][0],
    );
  const here = h(
    "button.tool.here",
    { type: "button", on: { click: act.here } },
    icon("pin"),
    `Step ${step + 1} is here`,
  );
  const forget = { type: "button", "aria-label": "Forget the range", on: { click: act.forget } };
  box.replaceChildren(
    h("span.range", {}, `${clock(start, tenths)} – ${clock(end, tenths)}`),
    ...["keep", "skip", "cut", ...(touched ? ["clear"] : [])].map(button),
    ...(step === null ? [] : [here]),
    h("button.quiet.square", forget, icon("close")),
  );
}
