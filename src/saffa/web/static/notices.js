// Messages to the person: what went wrong and what to do, and what a screen reader says.

import { byId, h, icon } from "./element.js";

/** A message with a close button; errors stay, others go after a while. `action` is {name, run}. */
export function notice(message, { kind = "note", action = null, key = message } = {}) {
  const box = byId("notices");
  for (const old of box.children) if (old.dataset.key === key) old.remove();
  const close = () => item.remove();
  const button =
    action && h("button.link", { type: "button", on: { click: () => (action.run(), close()) } }, action.name);
  const item = h(
    `div.notice.${kind}`,
    { role: kind === "error" ? "alert" : "status", "data-key": key },
    h("p", {}, message),
    button,
    h(
      "button.quiet.square",
      { type: "button", "aria-label": "Close this message", on: { click: close } },
      icon("close"),
    ),
  );
  box.append(item);
  if (kind !== "error") setTimeout(close, 8000);
  return close;
}

export function forget(key) {
  for (const item of [...byId("notices").children]) if (item.dataset.key === key) item.remove();
}

/** Tell an error of the server or of the page. */
export function complain(error, key = error.message) {
  if (error.name === "AbortError") return;
  notice(error.message, { kind: "error", key });
}

/** Say something to people who do not see the page. */
export function say(message) {
  byId("said").textContent = message;
}
