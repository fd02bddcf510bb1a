"""What a page shows of a project's video: the video itself, and small pictures along it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse

from saffa.web.errors import missing
from saffa.web.shapes import Id, SheetsShown
from saffa.web.studio import Studio

TYPES = {".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/mp4", ".webm": "video/webm"}
"""What a browser is told about a file that it plays; whatever else it is, it is not a page."""
KEPT = {"cache-control": "private, max-age=3600"}
"""Browsers may keep pictures and videos for a while: jumping about in a video asks for the same bytes again."""


def media_routes(studio: Studio) -> APIRouter:
    """Videos and pictures below /projects."""
    routes = APIRouter(tags=["projects"])
    desk = studio.projects

    @routes.get("/projects/{project}/video", response_class=FileResponse)
    async def video(project: Id) -> FileResponse:
        """The video, or a small copy where browsers cannot play it; parts of it by `Range`."""
        path = desk.playable(project)
        kind = TYPES.get(path.suffix.lower(), "application/octet-stream")
        return FileResponse(path, media_type=kind, headers=KEPT)

    @routes.get("/projects/{project}/thumbnails")
    async def thumbnails(project: Id) -> SheetsShown:
        """Small pictures along the video; sheets appear as they are made."""
        folder = desk.place(project) / "sheets"
        try:
            found = json.loads((folder / "sheets.json").read_bytes())
        except OSError:
            raise missing("picture") from None
        most = -(-found["count"] // (found["columns"] * found["rows"]))
        made = [number for number in range(most) if (folder / f"{number}.jpg").is_file()]
        urls = [f"/api/v1/projects/{project}/thumbnails/{number}.jpg" for number in made]
        return SheetsShown(**found, sheets=urls, ready=desk.get(project).thumbnails.state == "ready")

    @routes.get("/projects/{project}/thumbnails/{sheet}.jpg", response_class=FileResponse)
    async def sheet(project: Id, sheet: Annotated[int, Path(ge=0, le=1000)]) -> FileResponse:
        """One sheet of small pictures."""
        path = desk.place(project) / "sheets" / f"{sheet}.jpg"
        if not path.is_file():
            raise missing("picture")
        return FileResponse(path, media_type="image/jpeg", headers=KEPT)

    return routes
