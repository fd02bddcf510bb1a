"""Renders: how far they are, ending them, and the files that they give."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, StreamingResponse

from saffa.web.shapes import FileKind, Id, Job, Jobs
from saffa.web.studio import Studio

PLAYED = {".mp4": "video/mp4", ".webm": "video/webm", ".mkv": "video/x-matroska"}


def job_routes(studio: Studio) -> APIRouter:
    """Everything below /jobs."""
    routes = APIRouter(tags=["jobs"])
    desk = studio.jobs

    @routes.get("/jobs")
    async def jobs() -> Jobs:
        """All renders, newest first."""
        return Jobs(jobs=desk.all())

    @routes.get("/jobs/{job}")
    async def job(job: Id) -> Job:
        """How far a render is."""
        return desk.get(job)

    @routes.post("/jobs/{job}/cancel")
    async def cancel(job: Id) -> Job:
        """End a render that waits or is at work."""
        return await desk.cancel(job)

    @routes.delete("/jobs/{job}", status_code=204)
    async def remove(job: Id) -> None:
        """Forget a render and its files."""
        await desk.remove(job)

    @routes.get("/jobs/{job}/events", responses={200: {"content": {"text/event-stream": {}}}})
    async def events(job: Id) -> StreamingResponse:
        """Server-sent events `job`: the render now and after each change."""
        desk.get(job)

        def current() -> str | None:
            return desk.get(job).model_dump_json() if desk.has(job) else None

        return StreamingResponse(studio.bells.messages(job, "job", current), media_type="text/event-stream")

    @routes.get("/jobs/{job}/files/{kind}", response_class=FileResponse)
    async def file(job: Id, kind: FileKind, play: Annotated[bool, Query()] = False) -> FileResponse:
        """A file of a finished render, to save; with `play` the video to watch."""
        path, name = desk.file(job, kind)
        if play and kind == "video":
            return FileResponse(path, media_type=PLAYED.get(path.suffix, "application/octet-stream"))
        return FileResponse(path, media_type="application/octet-stream", filename=name)

    return routes
