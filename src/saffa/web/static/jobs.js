// Renders: progress with the time left, cancel, downloads; the bar of this project and the list of all.

import { byId, h, icon } from "./element.js";
import { complain, notice, say } from "./notices.js";
import { get, post, remove } from "./server.js";
import { clock, size } from "./timecode.js";

const KINDS = {
  video: "Video",
  subtitles: "Subtitles",
  timeline: "Timeline (JSON)",
  otio: "OpenTimelineIO",
  fcpxml: "Final Cut, Resolve (FCPXML)",
  premiere: "Premiere (XML)",
  edl: "EDL",
  csv: "Table (CSV)",
  mpv: "mpv (EDL)",
};
const AWAY = "saffa.closed";
const open = (job) => job.state === "waiting" || job.state === "running";

export class Jobs {
  constructor() {
    this.jobs = [];
    this.known = new Map();
    this.away = new Set(JSON.parse(sessionStorage.getItem(AWAY) ?? "[]")); // bars that the person closed
    byId("jobs-button").addEventListener("click", () => this.toggle());
    byId("jobs-close").addEventListener("click", () => this.toggle(false));
    document.addEventListener("click", (event) => closeMenus(event.target));
    document.addEventListener("keydown", (event) => event.key === "Escape" && closeMenus(null));
    byId("jobs").addEventListener("keydown", (event) => event.key === "Escape" && this.toggle(false));
  }

  toggle(on = byId("jobs").hidden) {
    byId("jobs").hidden = !on;
    byId("jobs-button").setAttribute("aria-expanded", String(on));
    if (on) {
      this.refresh();
      byId("jobs-close").focus();
    } else byId("jobs-button").focus();
  }

  /** Fetch the list; again and again while something runs and the list is open. */
  async refresh() {
    clearTimeout(this.timer);
    try {
      this.jobs = (await get("jobs")).jobs;
    } catch (error) {
      return complain(error, "jobs");
    }
    this.#list();
    if (this.jobs.some(open) && !byId("jobs").hidden) this.timer = setTimeout(() => this.refresh(), 1000);
  }

  /** The renders of the open project, as its events tell them. */
  update(jobs) {
    for (const job of jobs) {
      const before = this.known.get(job.id);
      this.known.set(job.id, job.state);
      if (before === undefined || before === job.state) continue;
      if (job.state === "done") say("The video is rendered and ready to download.");
      if (job.state === "failed") notice(job.error ?? "Rendering did not work.", { kind: "error", key: job.id });
    }
    for (const job of jobs) this.jobs = [job, ...this.jobs.filter((other) => other.id !== job.id)];
    this.jobs.sort((a, b) => (a.created < b.created ? 1 : -1));
    this.#list();
    this.bar(jobs.find(open) ?? jobs.find((job) => job.state !== "cancelled") ?? null);
  }

  /** The bar over the player: the newest render of this project. */
  bar(job) {
    const bar = byId("render-bar");
    bar.hidden = !job || this.away.has(job.id);
    if (bar.hidden) return bar.replaceChildren();
    const key = `${job.id} ${job.state}`;
    if (bar.dataset.key !== key || !open(job)) {
      bar.dataset.key = key;
      const dismiss = h(
        "button.quiet.square",
        {
          type: "button",
          "aria-label": "Close this bar",
          on: { click: () => this.#dismiss(job) },
        },
        icon("close"),
      );
      bar.replaceChildren(...this.#inside(job), ...(open(job) ? [] : [dismiss]));
    }
    return this.#progress(bar, job);
  }

  #dismiss(job) {
    this.away.add(job.id);
    sessionStorage.setItem(AWAY, JSON.stringify([...this.away]));
    this.bar(null);
  }

  #inside(job) {
    if (open(job)) {
      const cancel = () => post(`jobs/${job.id}/cancel`).catch(complain);
      return [
        h("span.job-words", {}),
        h("progress", { max: 1, value: 0, "aria-label": `Rendering ${job.name}` }),
        h("button.quiet", { type: "button", on: { click: cancel } }, "Cancel"),
      ];
    }
    if (job.state === "failed") return [h("span.wrong", {}, job.error ?? "Rendering did not work.")];
    if (job.state === "cancelled") return [h("span.fine", {}, "Cancelled.")];
    const length = job.output_seconds ? ` · ${clock(job.output_seconds)}` : "";
    return [h("span.job-words", {}, h("b", {}, "Ready"), `${length}`), ...this.#downloads(job)];
  }

  #downloads(job) {
    const [video, ...others] = job.files;
    if (!video) return [];
    const link = (file, name, kind) =>
      h(`a.${kind}`, { href: file.url, download: file.name, "data-kind": file.kind }, icon("download"), name);
    const named = (file) => `${KINDS[file.kind] ?? file.kind}${file.size ? ` · ${size(file.size)}` : ""}`;
    return [
      link(video, `Download${video.size ? ` · ${size(video.size)}` : ""}`, "button.primary"),
      h("a.button.quiet", { href: `${video.url}?play=1`, target: "_blank", rel: "noopener" }, icon("play"), "Play"),
      others.length
        ? h(
            "details.more",
            {},
            h("summary.button.quiet", {}, "Other files"),
            h("div.menu", {}, ...others.map((file) => link(file, named(file), "menu-item"))),
          )
        : null,
    ].filter(Boolean);
  }

  #progress(box, job) {
    if (!open(job)) return;
    const share = job.share ?? 0;
    const left = job.seconds_left === null || job.seconds_left === undefined ? "" : `, ${clock(job.seconds_left)} left`;
    box.querySelector("progress").value = share;
    const words = job.state === "waiting" ? "Waits for its turn" : `Rendering ${Math.floor(share * 100)} %${left}`;
    box.querySelector(".job-words").textContent = words;
  }

  #list() {
    const running = this.jobs.filter(open).length;
    byId("jobs-count").hidden = !running;
    byId("jobs-count").textContent = String(running);
    if (byId("jobs").hidden) return;
    const list = byId("jobs-list");
    if (list.contains(document.activeElement) && list.querySelector("details[open]")) return;
    const items = this.jobs.map((job) => {
      const item = h(
        "li.job",
        { "data-job": job.id },
        h("a.name", { href: `#p=${job.project}` }, job.name),
        h("div.job-body", {}, ...this.#inside(job)),
      );
      const forget = async () => {
        await remove(`jobs/${job.id}`).catch(complain);
        this.jobs = this.jobs.filter((other) => other !== job);
        this.#list();
      };
      if (!open(job))
        item.append(
          h(
            "button.quiet.square",
            { type: "button", "aria-label": `Delete this result of ${job.name}`, on: { click: forget } },
            icon("close"),
          ),
        );
      this.#progress(item, job);
      return item;
    });
    list.replaceChildren(...(items.length ? items : [h("li.fine", {}, "Nothing rendered yet.")]));
  }
}

/** Close the menus that `target` is not in. */
function closeMenus(target) {
  for (const menu of document.querySelectorAll("details.more[open]")) if (!menu.contains(target)) menu.open = false;
}
