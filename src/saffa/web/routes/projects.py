"""Projects: making and changing them, what was found, the plan, and rendering it."""

from __future__ import annotations

import asyncio
import json

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from saffa.web.shapes import (
    AlignmentShown,
    Id,
    Job,
    NewProject,
    NewRender,
    PlanShown,
    Project,
    ProjectChange,
    ProjectList,
    ProjectListed,
    Wanted,
)
from saffa.web.studio import Studio


def project_routes(studio: Studio) -> APIRouter:
    """Everything below /projects."""
    routes = APIRouter(tags=["projects"])
    desk = studio.projects
    background: set[asyncio.Task[None]] = set()

    def warm(project: str) -> None:
        """Load the planner for a project that somebody looks at."""
        if desk.get(project).state == "ready" and len(background) < 4:
            task = asyncio.create_task(studio.planner.warm(desk.alignment(project)))
            background.add(task)
            task.add_done_callback(background.discard)

    @routes.get("/projects")
    async def projects() -> ProjectList:
        """All projects, newest first."""
        shown = [
            ProjectListed(id=one.id, name=one.name, created=one.created, state=one.state, seconds=one.video.seconds)
            for one in desk.all()
        ]
        return ProjectList(projects=shown)

    @routes.post("/projects", status_code=201)
    async def create(new: NewProject) -> Project:
        """A new project; its analysis begins at once."""
        return studio.project(desk.create(new).id)

    @routes.get("/projects/{project}")
    async def project(project: Id) -> Project:
        """A project, with all that a page needs after a reload."""
        found = studio.project(project)
        warm(project)
        return found

    @routes.patch("/projects/{project}")
    async def change(project: Id, wanted: ProjectChange) -> Project:
        """Store settings, or give another text, which is then compared again."""
        await desk.change(project, wanted)
        return studio.project(project)

    @routes.delete("/projects/{project}", status_code=204)
    async def remove(project: Id) -> None:
        """Forget a project; its renders stay, those at work are cancelled."""
        desk.get(project)
        await studio.jobs.cancel_of(project)
        await desk.remove(project)

    @routes.get("/projects/{project}/events", responses={200: {"content": {"text/event-stream": {}}}})
    async def events(project: Id) -> StreamingResponse:
        """Server-sent events `project`: the project now and after each change."""
        desk.get(project)

        def current() -> str | None:
            return studio.project(project).model_dump_json() if desk.has(project) else None

        return StreamingResponse(studio.bells.messages(project, "project", current), media_type="text/event-stream")

    @routes.get("/projects/{project}/alignment", responses={200: {"model": AlignmentShown}})
    async def alignment(project: Id) -> Response:
        """How the video compares with the text, what is said, and where each sentence was found."""
        path, shown = desk.alignment(project), desk.get(project)
        found = await studio.planner.ask("show", alignment=str(path))
        lines = json.loads((desk.place(project) / "lines.json").read_bytes())
        body = {"revision": shown.revision, **found, "lines": lines}
        return Response(json.dumps(body, separators=(",", ":")), media_type="application/json")

    @routes.post("/projects/{project}/plan", responses={200: {"model": PlanShown}})
    async def plan(project: Id, wanted: Wanted) -> Response:
        """How the output would play: every stretch of one speed, and what is seen of each sentence."""
        return Response(await studio.plan(project, wanted), media_type="application/json")

    @routes.post("/projects/{project}/renders", status_code=201)
    async def render(project: Id, new: NewRender) -> Job:
        """Write the shorter video, in the background."""
        return studio.jobs.create(project, new)

    return routes
