// Single keys. They leave fields, buttons and sliders their own.

import { byId } from "./element.js";

const OWN = {
  " ": "button, a, summary, input, select",
  ArrowLeft: 'input[type="range"], input[type="radio"]',
  ArrowRight: 'input[type="range"], input[type="radio"]',
};

/** After a click with the mouse, keys belong to the video again; with the keyboard the focus stays. */
function releaseFocus() {
  document.addEventListener("click", (event) => {
    if (event.pointerType !== "mouse") return;
    setTimeout(() => {
      const at = document.activeElement;
      if (at?.matches?.("#studio button, #studio input[type], #studio summary")) at.blur();
    });
  });
}

/** `actions` by key: {" ": play, k: keep, …}; digits come as `digit(number)`. */
export function bindKeys(actions, digit) {
  const on = byId("keys-on");
  releaseFocus();
  on.checked = localStorage.getItem("saffa.keys") !== "off";
  on.addEventListener("change", () => localStorage.setItem("saffa.keys", on.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const at = event.target;
    const typing = at.matches?.(
      'textarea, select, input:not([type="range"]):not([type="radio"]):not([type="checkbox"])',
    );
    if (typing || (OWN[event.key] && at.matches?.(OWN[event.key]))) return;
    const command = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if ((event.ctrlKey || event.metaKey || event.altKey) && !command) return;
    if (!on.checked && !command && event.key.length === 1 && event.key !== " ") return;
    const key = command ? (event.shiftKey ? "Z" : "z") : event.key;
    if (/^[1-9]$/.test(key)) digit(Number(key));
    else if (actions[key]) actions[key](event);
    else return;
    event.preventDefault();
  });
}
