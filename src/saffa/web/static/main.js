// The page: which view is shown, and the keys.

import { byId } from "./element.js";
import { Jobs } from "./jobs.js";
import { bindKeys } from "./keys.js";
import { complain } from "./notices.js";
import { get } from "./server.js";
import { Start } from "./start.js";
import { Studio } from "./studio.js";
import { Theme } from "./theme.js";

const jobs = new Jobs();
const studio = new Studio(jobs);
const start = new Start((project) => (location.hash = `#p=${project.id}`));
const theme = new Theme(byId("theme"));
let status = null;

function view(name) {
  document.body.dataset.view = name;
  byId("start").hidden = name !== "start";
  byId("studio").hidden = name !== "studio";
}

/** Show what the address says: a project, the first page, or with the sample loaded the sample. */
async function route() {
  const { hash } = location;
  const id = /^#p=([\w-]+)$/.exec(hash)?.[1];
  try {
    status ??= await get("status");
    if (id) {
      view("studio");
      return await studio.open(id);
    }
    if (status.demo && hash === "") {
      const { projects } = await get("projects");
      if (location.hash !== hash) return; // somebody went on meanwhile
      if (projects.length) return location.replace(`#p=${projects[0].id}`);
    }
  } catch (error) {
    complain(error);
    if (!status) return;
  }
  studio.close();
  document.title = "saffa";
  view("start");
  await start.show(status);
}

const inStudio = (act) => (event) => studio.project && act(event);

bindKeys(
  {
    " ": inStudio(() => studio.preview.toggle()),
    ArrowLeft: inStudio(() => studio.preview.seek(studio.preview.output - 1)),
    ArrowRight: inStudio(() => studio.preview.seek(studio.preview.output + 1)),
    Home: inStudio(() => studio.preview.seek(0)),
    End: inStudio(() => studio.preview.seek(Infinity)),
    ",": inStudio(() => studio.frame(-1)),
    ".": inStudio(() => studio.frame(1)),
    "[": inStudio(() => studio.edge("start")),
    "]": inStudio(() => studio.edge("end")),
    k: inStudio(() => studio.mark("keep")),
    s: inStudio(() => studio.mark("skip")),
    x: inStudio(() => studio.mark("cut")),
    h: inStudio(() => studio.here()),
    c: inStudio(() => studio.player.compare(!studio.preview.comparing)),
    "+": inStudio(() => studio.weigh(1)),
    "=": inStudio(() => studio.weigh(1)),
    "-": inStudio(() => studio.weigh(-1)),
    z: inStudio(() => studio.undo()),
    Z: inStudio(() => studio.redo()),
    Escape: inStudio(() => studio.select(null)),
    "?": () => byId("help").showModal(),
  },
  (number) => studio.project && studio.choose(number - 1),
);

byId("help-button").addEventListener("click", () => byId("help").showModal());
theme.addEventListener("change", () => studio.strip.recolour());
window.addEventListener("hashchange", route);
route();
