// Honest bars while a video is being read, listened to, looked at and compared.

import { byId, h } from "./element.js";
import { say } from "./notices.js";

const NAMES = {
  reading: "Reading the video",
  listening: "Listening",
  looking: "Looking",
  comparing: "Comparing with the text",
};
const DONE = { done: "done", skipped: "not needed", waiting: "waits" };

export function showStages(project) {
  const box = byId("stages");
  const busy = project.state === "analysing";
  box.hidden = !busy && project.state !== "failed";
  if (project.state === "failed") {
    box.replaceChildren(h("p.wrong", { role: "alert" }, project.error ?? "This video could not be looked at."));
    return;
  }
  if (!busy) return;
  if (box.querySelectorAll("progress").length !== project.stages.length) {
    box.replaceChildren(
      ...project.stages.map(({ name }) =>
        h(
          "div.stage-row",
          { "data-stage": name },
          h("span", { id: `stage-${name}` }, NAMES[name] ?? name),
          h("span.stage-state", {}),
          h("progress", { max: 1, value: 0, "aria-labelledby": `stage-${name}` }),
        ),
      ),
    );
    say("The video is being looked at.");
  }
  for (const { name, state, share } of project.stages) {
    const row = box.querySelector(`[data-stage="${name}"]`);
    row.className = `stage-row ${state}`;
    row.querySelector("progress").value = state === "done" || state === "skipped" ? 1 : share || 0;
    row.querySelector(".stage-state").textContent = DONE[state] ?? `${Math.floor((share || 0) * 100)} %`;
  }
}
