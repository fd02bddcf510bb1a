// The two questions that the studio asks: how to render, and what the text should be.

import { byId } from "./element.js";
import { clock } from "./timecode.js";

/** Show a dialog; true if it was answered with yes. */
function asked(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((answer) =>
    dialog.addEventListener("close", () => answer(dialog.returnValue === "yes"), { once: true }),
  );
}

/** {audio, container}, or null. */
export async function askRender(video, plan) {
  byId("render-what").textContent =
    `${video.name}: ${clock(video.seconds)} become ${clock(plan.output_seconds, true)}.`;
  if (!(await asked(byId("render-dialog")))) return null;
  const chosen = (name) => document.querySelector(`[name="${name}"]:checked`).value;
  return { audio: chosen("audio"), container: chosen("container") };
}

/** The new text, or null if it stays as it is. */
export async function askText(text) {
  byId("text-edit").value = text;
  if (!(await asked(byId("text-dialog")))) return null;
  const changed = byId("text-edit").value;
  return changed.trim() && changed !== text ? changed : null;
}
