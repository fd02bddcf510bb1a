// The steps: one card a sentence, with where it was found, how sure that is, and how much it matters.

import { hereOf, weightOf } from "./corrections.js";
import { byId, h, icon } from "./element.js";
import { clock } from "./timecode.js";

const SURE = 0.5;
const SIGNS = { sure: "●", unsure: "◐", missing: "○", placed: "●", said: "●" };

/** How sure it is where a sentence is: {level, words, title}. */
export function doubt(sentence, here) {
  if (here) return { level: "placed", words: "placed by you", title: "You said where it is" };
  const percent = sentence.confidence === null ? null : `${Math.round(sentence.confidence * 100)} %`;
  const chance = percent ? `Chance that this is the right place: ${percent}` : "";
  if (!sentence.found)
    return { level: "missing", words: percent ? `not found, ${percent}` : "not found", title: chance };
  if (percent === null) return { level: "said", words: "found", title: "This comparison does not say how sure it is" };
  if (sentence.confidence >= SURE) return { level: "sure", words: `sure, ${percent}`, title: chance };
  return { level: "unsure", words: `unsure, ${percent}`, title: chance };
}

/** Sentences that have a place, for the strip: [{sentence, start, end, text, level, words}]. */
export function bandsOf(alignment, plan, corrections) {
  return alignment.sentences.flatMap((sentence, i) => {
    const here = hereOf(corrections, i);
    const place = here ?? plan?.sentences[i] ?? sentence;
    if (place.start === null || place.start === undefined || (!sentence.found && !here)) return [];
    return [{ sentence: i, start: place.start, end: place.end, text: sentence.text, ...doubt(sentence, here) }];
  });
}

/** Events: "jump", "weigh" {by}, "here", "free" (take "it is here" back); all with {sentence}. */
export class Steps extends EventTarget {
  constructor() {
    super();
    this.list = byId("steps");
    this.cards = [];
  }

  show(alignment, plan, corrections) {
    const focus = this.#focused();
    this.cards = alignment.sentences.map((sentence, i) =>
      this.#card(sentence, plan?.sentences[i] ?? null, corrections, i),
    );
    this.list.replaceChildren(...this.cards);
    this.#refocus(focus);
    const fit = byId("fit");
    fit.hidden = alignment.fit === null;
    if (alignment.fit !== null) {
      const poor = alignment.fit < 0.3;
      fit.textContent = `${poor ? "may not fit this video" : "fits"} · ${Math.round(alignment.fit * 100)} %`;
      fit.className = poor ? "fit poor" : "fit";
      fit.title = "Chance that this text and this video belong together";
    }
  }

  /** Light up the selected card and the one that is playing. */
  light(selected, playing) {
    this.cards.forEach((card, i) => {
      card.classList.toggle("selected", i === selected);
      card.classList.toggle("playing", i === playing);
      if (i === selected) card.setAttribute("aria-current", "true");
      else card.removeAttribute("aria-current");
    });
  }

  reveal(sentence) {
    const card = this.cards[sentence];
    if (!card) return;
    const top = card.offsetTop - this.list.offsetTop;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top + card.offsetHeight > scrollTop + clientHeight) this.list.scrollTop = top - 12;
  }

  #card(sentence, planned, corrections, i) {
    const here = hereOf(corrections, i);
    const { level, words, title } = doubt(sentence, here);
    const weight = weightOf(corrections, i);
    const number = i + 1;
    const place = here ?? planned ?? sentence;
    const at = place.start === null || place.start === undefined ? null : `at ${clock(place.start)}`;
    const shown = planned?.shown_seconds ?? 0;
    const length = `${shown.toFixed(shown < 10 ? 1 : 0)} s shown${planned?.watchable ? "" : ", too fast"}`;
    const known = sentence.found || here;
    const where = known ? [at, planned && (shown >= 0.05 ? length : "not shown")] : [];
    const button = (name, key, label, symbol) =>
      h(
        "button.quiet.square",
        {
          type: "button",
          "data-act": key,
          "aria-label": label,
          title: label,
          on: { click: () => this.#tell(name, i, key) },
        },
        icon(symbol),
      );
    return h(
      `li.card.${level}${weight === 0 ? ".off" : ""}`,
      { "data-sentence": i },
      h(
        "button.card-main",
        { type: "button", "data-act": "jump", on: { click: () => this.#tell("jump", i) } },
        h("span.badge", {}, String(number)),
        h("span.card-text", { title: sentence.text.length > 200 ? sentence.text : null }, sentence.text),
        h(
          "span.card-meta",
          {},
          h("span.doubt", { title }, `${SIGNS[level]} ${words}`),
          ...where.filter(Boolean).map((part) => h("span", {}, part)),
        ),
      ),
      h(
        "div.card-tools",
        { role: "group", "aria-label": `Step ${number}` },
        button("weigh", "less", `Step ${number} matters less`, "minus"),
        h("span.weight", { title: "How much this step counts" }, `${weight}×`),
        button("weigh", "more", `Step ${number} matters more`, "plus"),
        here
          ? button("free", "free", `Take back where step ${number} is`, "undo")
          : button("here", "here", `Step ${number} is here, at the playhead or the marked range`, "pin"),
      ),
    );
  }

  #tell(name, sentence, key) {
    this.dispatchEvent(new CustomEvent(name, { detail: { sentence, by: key === "more" ? 1 : -1 } }));
  }

  #focused() {
    const at = document.activeElement;
    const card = at?.closest?.(".card");
    return card && this.list.contains(card) ? [Number(card.dataset.sentence), at.dataset.act] : null;
  }

  #refocus(focus) {
    if (!focus) return;
    const act =
      focus[1] === "here" || focus[1] === "free" ? '[data-act="here"], [data-act="free"]' : `[data-act="${focus[1]}"]`;
    this.cards[focus[0]]?.querySelector(act)?.focus({ preventScroll: true });
  }
}
