// A project on the page: what the server knows about it, what the person changed, and the plan that follows.

import { showChanges, describe } from "./changes.js";
import { Controls } from "./controls.js";
import { cleared, fitting, placed, resized, reweighted, withRange, without } from "./corrections.js";
import { byId } from "./element.js";
import { History } from "./history.js";
import { Keeper } from "./keeper.js";
import { complain, forget, notice, say } from "./notices.js";
import { Player } from "./player.js";
import { askRender, askText } from "./questions.js";
import { showRangeTools } from "./rangetools.js";
import { get, Latest, listen, patch, post, url } from "./server.js";
import { showStages } from "./stages.js";
import { bandsOf, Steps } from "./steps.js";
import { Strip } from "./strip.js";
import { Thumbnails } from "./thumbnails.js";
import { clock, times } from "./timecode.js";
import { TimeMap } from "./timemap.js";

const USUAL = 8; // speed where nobody chose one
const HERE = 8; // seconds that a step gets when it is put at the playhead

export class Studio {
  constructor(jobs) {
    this.jobs = jobs;
    this.player = new Player();
    this.preview = this.player.preview;
    this.steps = new Steps();
    this.strip = new Strip();
    this.controls = new Controls();
    this.keeper = new Keeper();
    this.history = new History({ settings: { speed: 8 }, text: null });
    this.planner = new Latest(
      ({ id, settings }) => post(`projects/${id}/plan`, planned(settings)),
      (plan, { id }) => id === this.project?.id && this.#planned(plan),
      (error, { id, settings }) => id === this.project?.id && this.controls.refused(error, settings),
    );
    this.#wire();
    this.#clear();
  }

  get settings() {
    return this.history.value.settings;
  }

  get corrections() {
    return this.settings.corrections ?? [];
  }

  /** Show a project and follow its events. */
  async open(id) {
    if (this.project?.id === id) return;
    this.close();
    this.wanted = id;
    const project = await get(`projects/${id}`);
    if (this.wanted !== id) return; // somebody went on meanwhile
    this.#begin(project);
    this.stop = listen(`projects/${id}/events`, {
      project: (news) => this.#update(news),
      gone: () => (location.hash = "#new"),
      open: () => forget("lost"),
      lost: () =>
        this.project && notice("The connection to saffa is lost; trying again.", { kind: "error", key: "lost" }),
    });
  }

  close() {
    this.keeper.flush();
    this.wanted = null;
    this.stop?.();
    this.stop = null;
    forget("lost");
    this.#clear();
    this.player.unload();
  }

  #clear() {
    this.project = this.alignment = this.plan = this.map = this.thumbnails = null;
    this.selection = this.step = null;
    this.aligned = null;
    this.warned = new Set();
    this.strip.show({
      duration: 0,
      map: null,
      alignment: null,
      bands: [],
      ranges: [],
      selection: null,
      step: null,
      thumbnails: null,
    });
    byId("steps").replaceChildren();
    byId("changes").replaceChildren();
    byId("outcome").replaceChildren();
    byId("fit").hidden = true;
    byId("stages").replaceChildren();
    byId("render").disabled = true;
    byId("render-bar").hidden = true;
    for (const id of ["chapters", "summary", "video-name"]) byId(id).replaceChildren();
    forget("warning");
    this.#tools();
  }

  #begin(project) {
    const { ui, ...settings } = present(project.settings);
    if (!settings.speed && !settings.length) settings.speed = USUAL;
    settings.corrections = (settings.corrections ?? []).map(present);
    this.history.reset({ settings, text: project.text });
    this.keeper.restore(project.id, this.history);
    this.#undoButtons();
    this.#update(project);
    if (ui?.output) this.restore = ui.output;
  }

  #update(project) {
    this.project = project;
    byId("video-name").textContent = project.video.name;
    document.title = `${project.video.name} · saffa`;
    showStages(project);
    this.jobs.update(project.jobs);
    const { seconds } = project.video;
    if (seconds) {
      if (!this.map) {
        this.strip.show({ duration: seconds });
        this.player.follow(TimeMap.even(seconds, seconds), seconds, false);
      }
      this.controls.show(this.settings, seconds, this.plan);
      this.#summary();
    }
    this.#source(project);
    this.#pictures(project);
    if (project.state === "ready" && this.aligned !== project.revision) this.#align(project);
    this.#warn(project.warnings);
  }

  /** Tell each warning once. */
  #warn(warnings) {
    for (const warning of warnings) {
      if (this.warned.has(warning)) continue;
      this.warned.add(warning);
      notice(warning, { kind: "warning", key: "warning" });
    }
  }

  #source({ id, video }) {
    const { playable, proxy } = video;
    if (video.seconds === null) return this.player.note("Reading the video …");
    if (playable || proxy.state === "ready") {
      this.player.note(null);
      return this.player.load(url(`projects/${id}/video`), playable ? video.offset : 0);
    }
    if (proxy.state === "failed")
      return this.player.note(
        "This browser cannot play this kind of video, and no copy could be made. " +
          "Everything else works: correct and render.",
      );
    const share = Math.floor((proxy.share || 0) * 100);
    const kind = video.codec ? video.codec.toUpperCase() : "this kind of video";
    return this.player.note(`Browsers cannot play ${kind}; a small copy for the preview is being made: ${share} %`);
  }

  async #pictures({ id, thumbnails }) {
    const key = `${id} ${thumbnails.state} ${Math.floor((thumbnails.share || 0) * 5)}`;
    if (this.pictureKey === key || !["making", "ready"].includes(thumbnails.state)) return;
    this.pictureKey = key;
    try {
      const sheet = await get(`projects/${id}/thumbnails`);
      if (this.project?.id !== id || !sheet.count) return;
      const made = new Thumbnails(sheet);
      made.arrived = () => this.strip.show({});
      this.thumbnails = made;
      this.preview.main.thumbnails = this.preview.even.thumbnails = made;
      this.strip.show({ thumbnails: made });
    } catch {
      this.pictureKey = null; // they come with a later event
    }
  }

  async #align(project) {
    this.aligned = project.revision;
    try {
      const alignment = await get(`projects/${project.id}/alignment`);
      if (this.project?.id !== project.id) return;
      this.alignment = alignment;
      this.player.lines = alignment.lines;
      this.strip.show({ alignment });
      this.#ask();
    } catch (error) {
      this.aligned = null;
      complain(error);
    }
  }

  /** Ask for the plan of the settings as they are now. */
  #ask() {
    if (this.alignment) this.planner.ask({ id: this.project.id, settings: this.settings });
    this.#draw();
  }

  #planned(plan) {
    const first = !this.plan;
    this.plan = plan;
    this.map = new TimeMap(plan.segments.map(([start, end, , , speed, sentence]) => ({ start, end, speed, sentence })));
    this.player.follow(this.map, this.project.video.seconds, true);
    if (first && this.restore) this.preview.seek(this.restore);
    this.restore = null;
    this.controls.outcome(plan);
    byId("render").disabled = false;
    this.#draw();
  }

  #draw() {
    if (!this.project?.video.seconds) return;
    this.controls.show(this.settings, this.project.video.seconds, this.plan);
    this.#summary();
    showChanges(
      this.corrections,
      (c) => this.#goTo(c),
      (c) => this.#correct(without(this.corrections, c), `take back: ${describe(c)}`),
    );
    this.#undoButtons();
    if (!this.alignment) return;
    const fits = this.plan?.sentences.length === this.alignment.sentences.length ? this.plan : null;
    this.steps.show(this.alignment, fits, this.corrections);
    this.steps.light(this.step, null);
    this.lit = null;
    this.strip.show({
      map: this.map,
      bands: bandsOf(this.alignment, fits, this.corrections),
      ranges: this.corrections.filter((c) => ["keep", "skip", "cut"].includes(c.kind)),
      selection: this.selection,
      step: this.step,
    });
  }

  #summary() {
    const { seconds } = this.project.video;
    const out = this.plan ? `${clock(this.plan.output_seconds)} (${times(this.plan.speed)})` : "…";
    byId("summary").textContent = `${clock(seconds)} → ${out}`;
  }

  // --- what the person changes -----------------------------------------------------------------------------------

  #correct(corrections, what, group = null) {
    this.#change({ ...this.settings, corrections }, what, group);
  }

  #change(settings, what, group = null) {
    if (!this.history.push({ ...this.history.value, settings }, what, group)) return;
    this.#ask();
    this.#save();
  }

  #save() {
    const ui = () => ({ output: Math.round(this.preview.output * 100) / 100 });
    this.keeper.keep(this.project.id, this.history);
    this.keeper.save(this.project.id, () => ({ ...this.settings, ui: ui() }));
  }

  undo() {
    this.#travel(this.history.undo(), "Undone");
  }

  redo() {
    this.#travel(this.history.redo(), "Done again");
  }

  async #travel(what, word) {
    if (what === null) return;
    const { text, settings } = this.history.value;
    say(`${word}: ${what}`);
    if (text !== this.project.text && !this.project.narration) {
      await patch(`projects/${this.project.id}`, { text }).catch(complain);
    }
    this.controls.settings = settings;
    this.#ask();
    this.#save();
  }

  #undoButtons() {
    const { past, future } = this.history;
    byId("undo").setAttribute("aria-disabled", String(!past.length)); // a disabled button with focus would swallow keys
    byId("redo").setAttribute("aria-disabled", String(!future.length));
    byId("undo").title = past.length ? `Undo: ${past[past.length - 1].what} (z)` : "";
    byId("redo").title = future.length ? `Redo: ${future[future.length - 1].what} (Z)` : "";
  }

  /** Keep, skip or cut the marked range; without one, the step that is chosen. */
  mark(kind) {
    const range = this.selection ?? this.#bandOf(this.step);
    if (!range || range.end - range.start < 0.2) {
      return notice("Mark a range first: drag over the strip, or press [ and ] where it starts and ends.", {
        key: "range",
      });
    }
    const { start, end } = range;
    const corrections =
      kind === "clear" ? cleared(this.corrections, start, end) : withRange(this.corrections, { kind, start, end });
    this.select(null);
    this.#correct(corrections, `${kind} ${clock(start)}–${clock(end)}`);
    say(`${kind} ${clock(start)} to ${clock(end)}`);
  }

  /** Mark one end of a range at the playhead. */
  edge(which) {
    const at = this.preview.source;
    const { seconds } = this.project.video;
    const now = this.selection ?? { start: at, end: at };
    const range =
      which === "start" ? { start: at, end: Math.max(at, now.end) } : { start: Math.min(at, now.start), end: at };
    if (which === "start" && (!this.selection || range.end <= at)) range.end = Math.min(seconds, at + 0.2);
    if (which === "end" && range.end - range.start < 0.2) range.start = Math.max(0, range.end - 0.2);
    this.select(range);
    say(`Marked ${clock(range.start)} to ${clock(range.end)}`);
  }

  select(range) {
    this.selection = range && range.end - range.start > 0.05 ? { start: range.start, end: range.end } : null;
    this.strip.show({ selection: this.selection });
    this.#tools();
  }

  choose(sentence, jump = true) {
    if (!this.alignment || sentence >= this.alignment.sentences.length) return;
    this.step = sentence;
    this.steps.light(sentence, this.lit);
    this.steps.reveal(sentence);
    this.strip.show({ step: sentence });
    this.#tools();
    const band = this.#bandOf(sentence);
    if (!jump) return;
    if (band) this.preview.seekSource(band.start);
    else
      notice(`Step ${sentence + 1} was not found. If you see it, go there and press “it is here” (h).`, {
        key: "missing",
      });
  }

  weigh(by, sentence = this.step ?? this.map?.sentenceAt(this.preview.output)) {
    if (sentence === null || sentence === undefined) return notice("Choose a step first (1-9).", { key: "step" });
    const corrections = reweighted(this.corrections, sentence, by);
    return this.#correct(corrections, `weight of step ${sentence + 1}`);
  }

  /** The step is where the marked range is, or at the playhead. */
  here(sentence = this.step) {
    if (sentence === null) return notice("Choose a step first (1-9), then say where it is.", { key: "step" });
    const { seconds } = this.project.video;
    const at = this.preview.source;
    const range = this.selection ?? { start: Math.max(0, at - 1), end: Math.min(seconds, at - 1 + HERE) };
    this.select(null);
    return this.#correct(placed(this.corrections, sentence, range), `step ${sentence + 1} is at ${clock(range.start)}`);
  }

  /** Move by source frames. */
  frame(by) {
    this.preview.pause();
    const target = this.preview.source + by / (this.project.video.rate || 25);
    const output = this.map ? this.map.outputAt(target) : target;
    this.preview.seek(output + (by > 0 ? 1e-6 : 0));
  }

  #bandOf(sentence) {
    return this.strip.scene.bands.find((band) => band.sentence === sentence) ?? null;
  }

  #goTo(correction) {
    if (correction.sentence !== undefined) this.choose(correction.sentence);
    else {
      this.select(correction);
      this.preview.seekSource(correction.start);
    }
  }

  #tools() {
    showRangeTools(this.selection, this.corrections, this.step, {
      mark: (kind) => this.mark(kind),
      here: () => this.here(),
      forget: () => this.select(null),
    });
  }

  #wire() {
    const { strip, steps, preview } = this;
    preview.addEventListener("tick", () => this.#tick());
    preview.addEventListener("change", () => this.project && this.plan && !preview.playing && this.#savePlace());
    strip.addEventListener("seek", ({ detail }) => preview.seekSource(detail.source));
    strip.addEventListener("select", ({ detail }) => this.select(detail));
    strip.addEventListener("step", ({ detail }) => this.choose(detail.sentence, false));
    strip.addEventListener("move", ({ detail: { sentence, range, done } }) => {
      this.#correct(
        placed(this.corrections, sentence, range),
        `step ${sentence + 1} is at ${clock(range.start)}`,
        "move",
      );
      if (done) this.history.close();
    });
    strip.addEventListener("resize", ({ detail: { range, start, end, done } }) => {
      if (done)
        this.#correct(resized(this.corrections, range, start, end), `${range.kind} ${clock(start)}–${clock(end)}`);
      else this.select({ start, end });
      if (done) this.select(null);
    });
    steps.addEventListener("jump", ({ detail }) => this.choose(detail.sentence));
    steps.addEventListener("weigh", ({ detail }) => this.weigh(detail.by, detail.sentence));
    steps.addEventListener("here", ({ detail }) => this.here(detail.sentence));
    steps.addEventListener("free", ({ detail }) =>
      this.#correct(placed(this.corrections, detail.sentence, null), `step ${detail.sentence + 1} as found`),
    );
    this.controls.addEventListener("change", ({ detail }) => {
      if (detail.group === "done") return this.history.close();
      return this.#change({ ...detail.settings, corrections: this.corrections }, detail.what, detail.group);
    });
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    byId("mark-start").addEventListener("click", () => this.edge("start"));
    byId("mark-end").addEventListener("click", () => this.edge("end"));
    byId("edit-text").addEventListener("click", () => this.#editText());
    byId("render").addEventListener("click", () => this.#render());
  }

  #tick() {
    if (!this.project) return;
    this.strip.playhead(this.preview.source, this.preview.playing);
    const sentence = this.map ? this.map.sentenceAt(this.preview.output) : null;
    if (sentence === this.lit) return;
    this.lit = sentence;
    this.steps.light(this.step, sentence);
    if (this.preview.playing && sentence !== null) this.steps.reveal(sentence);
  }

  #savePlace() {
    clearTimeout(this.placing);
    this.placing = setTimeout(() => this.project && this.#save(), 1500);
  }

  async #editText() {
    const { id, narration } = this.project;
    const said = this.alignment?.sentences.map((s) => s.text).join("\n") ?? "";
    const text = await askText(narration ? said : this.project.text);
    if (text === null || this.project?.id !== id) return;
    const corrections = fitting(this.corrections, 0);
    this.step = null;
    this.history.push({ text, settings: { ...this.settings, corrections } }, "edit the text");
    try {
      this.#update(await patch(`projects/${id}`, { text }));
      this.#save();
    } catch (error) {
      this.history.undo();
      complain(error);
    }
  }

  async #render() {
    const { id, video } = this.project;
    const options = await askRender(video, this.plan);
    if (!options) return;
    try {
      this.jobs.bar(await post(`projects/${id}/renders`, { settings: planned(this.settings), ...options }));
      say("Rendering has begun.");
    } catch (error) {
      complain(error);
    }
  }
}

/** What is set, without what is null. */
function present(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));
}

/** The settings as the planner takes them. */
function planned({ speed, length, balance, ramp, corrections = [] }) {
  return present({ speed, length, balance, ramp, corrections });
}
