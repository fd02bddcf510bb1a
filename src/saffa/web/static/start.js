// The first page: choose or drop a video, say what matters, choose how short.

import { byId, h, icon } from "./element.js";
import { complain, say } from "./notices.js";
import { get, post, remove } from "./server.js";
import { clock, parseClock, parseSpeed, size } from "./timecode.js";
import { send, unfinished } from "./upload.js";

export class Start {
  /** `opened(project)` is called when a project was made or chosen. */
  constructor(opened) {
    this.opened = opened;
    this.chosen = null; // {id, name}
    this.textName = null;
    this.sending = null;
    this.#wire();
  }

  /** Fill in what the server has. */
  async show(status) {
    this.status = status;
    byId("drop-note").textContent =
      `Up to ${size(status.limits.upload_bytes)}. It stays on the computer that runs saffa.`;
    try {
      const [{ videos }, { projects }, begun] = await Promise.all([get("videos"), get("projects"), unfinished()]);
      this.#videos(videos);
      this.#projects(projects);
      const open = begun.find((upload) => upload.received < upload.size);
      if (open && !this.sending) {
        const share = Math.floor((100 * open.received) / Math.max(1, open.size));
        byId("drop-note").textContent = `${open.name} is ${share} % here: choose it again and it goes on from there.`;
      }
    } catch (error) {
      complain(error);
    }
  }

  #wire() {
    const drop = byId("drop");
    byId("choose-file").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", (event) => event.target.files[0] && this.#upload(event.target.files[0]));
    for (const name of ["dragenter", "dragover"]) {
      document.addEventListener(name, (event) => {
        if (document.body.dataset.view !== "start") return;
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    document.addEventListener("dragleave", (event) => event.relatedTarget === null && drop.classList.remove("over"));
    document.addEventListener("drop", (event) => {
      if (document.body.dataset.view !== "start") return;
      event.preventDefault();
      drop.classList.remove("over");
      for (const file of event.dataTransfer.files) this.#take(file);
    });
    byId("upload-stop").addEventListener("click", () => this.sending?.abort());
    byId("open-text").addEventListener("click", () => byId("text-file").click());
    byId("text-file").addEventListener(
      "change",
      (event) => event.target.files[0] && this.#readText(event.target.files[0]),
    );
    byId("text").addEventListener("input", () => (this.textName = null));
    for (const radio of document.getElementsByName("source")) radio.addEventListener("change", () => this.#source());
    for (const radio of document.getElementsByName("unit")) radio.addEventListener("change", () => this.#unit());
    byId("start-form").addEventListener("submit", (event) => (event.preventDefault(), this.#go()));
  }

  #take(file) {
    const text = file.type.startsWith("text/") || /\.(txt|md|markdown|html?|json)$/i.test(file.name);
    if (text) this.#readText(file);
    else this.#upload(file);
  }

  async #readText(file) {
    if (file.size > this.status.limits.text_bytes)
      return this.#wrong(`${file.name} is too long for a text (${size(file.size)}).`);
    byId("text").value = await file.text();
    this.textName = file.name;
    document.querySelector('[name="source"][value="text"]').checked = true;
    this.#source();
    say(`${file.name} is the text.`);
  }

  async #upload(file) {
    if (file.size > this.status.limits.upload_bytes) {
      return this.#wrong(
        `${file.name} has ${size(file.size)}; this server takes ${size(this.status.limits.upload_bytes)}. ` +
          "Start it with the folder of the video instead: saffa serve FOLDER",
      );
    }
    if (!file.size) return this.#wrong(`${file.name} is empty. Choose another file.`);
    this.#wrong(null);
    this.sending?.abort();
    const sending = (this.sending = new AbortController());
    this.chosen = null;
    byId("upload").hidden = false;
    byId("upload-stop").hidden = false;
    byId("upload-name").textContent = file.name;
    try {
      const video = await send(file, (received) => this.#progress(received, file.size), sending.signal);
      this.#choose({ id: video, name: file.name });
      byId("upload-share").textContent = `${size(file.size)}, ready`;
      say(`${file.name} is uploaded.`);
    } catch (error) {
      byId("upload").hidden = true;
      if (error.name !== "AbortError") this.#wrong(error.message);
    }
    byId("upload-stop").hidden = true;
    byId("file").value = "";
    if (this.sending === sending) this.sending = null;
  }

  #progress(received, whole) {
    byId("upload-bar").value = received / whole;
    byId("upload-share").textContent = `${size(received)} of ${size(whole)}`;
  }

  #choose(video) {
    this.chosen = video;
    this.#wrong(null);
    for (const input of document.getElementsByName("video")) input.checked = input.value === video.id;
  }

  #videos(videos) {
    byId("videos-box").hidden = !videos.length;
    byId("videos").replaceChildren(
      ...videos.map((video) => {
        const input = h("input", {
          type: "radio",
          name: "video",
          value: video.id,
          checked: this.chosen?.id === video.id,
        });
        input.addEventListener("change", () => this.#choose(video));
        const where = video.demo ? "the sample" : video.uploaded ? "uploaded" : video.folder;
        return h(
          "li",
          {},
          h(
            "label",
            {},
            input,
            icon("film"),
            h("span.name", {}, video.name),
            h("span.fine", {}, `${where} · ${size(video.size)}`),
          ),
        );
      }),
    );
  }

  #projects(projects) {
    byId("projects-box").hidden = !projects.length;
    byId("projects").replaceChildren(
      ...projects.map((project) => {
        const forget = async () => {
          await remove(`projects/${project.id}`).catch(complain);
          this.show(this.status);
        };
        const state =
          { analysing: "being looked at", failed: "did not work" }[project.state] ??
          (project.seconds ? clock(project.seconds) : "");
        return h(
          "li",
          {},
          h("a", { href: `#p=${project.id}` }, h("span.name", {}, project.name), h("span.fine", {}, state)),
          h(
            "button.quiet.square",
            { type: "button", "aria-label": `Forget ${project.name}`, on: { click: forget } },
            icon("close"),
          ),
        );
      }),
    );
  }

  #source() {
    const narration = document.querySelector('[name="source"]:checked').value === "narration";
    byId("text-box").hidden = narration;
    byId("narration-note").hidden = !narration;
  }

  #unit() {
    const length = document.querySelector('[name="unit"]:checked').value === "length";
    byId("amount").value = length ? "2:00" : "8×";
    byId("amount-name").textContent = length ? "Length" : "Speed";
  }

  #settings() {
    const text = byId("amount").value;
    if (document.querySelector('[name="unit"]:checked').value === "length") {
      const length = parseClock(text);
      return length > 0 ? { length } : this.#wrong("Write the length like 2:00 or 90 s.");
    }
    const speed = parseSpeed(text);
    return speed === null ? this.#wrong("Write the speed like 8× or 2.5; it must be 1 or more.") : { speed };
  }

  async #go() {
    const narration = document.querySelector('[name="source"]:checked').value === "narration";
    const text = byId("text").value;
    if (this.sending) return this.#wrong("The video is still on its way. Wait until it is here, or stop it.");
    if (!this.chosen) return this.#wrong("Choose a video first: drop one above, or take one from the list.");
    if (!narration && !text.trim()) return this.#wrong("Paste the steps, or choose “Take what is said”.");
    const settings = this.#settings();
    if (!settings) return;
    const wish = { video: this.chosen.id, settings, ...(narration ? { narration: true } : { text }) };
    if (!narration && this.textName) wish.text_name = this.textName;
    byId("go").disabled = true;
    try {
      this.opened(await post("projects", wish));
    } catch (error) {
      this.#wrong(error.message);
    }
    byId("go").disabled = false;
  }

  #wrong(message) {
    byId("start-error").hidden = !message;
    byId("start-error").textContent = message ?? "";
    return null;
  }
}
