"""What this server is, the videos it may read, and uploads."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from fastapi import APIRouter, Query, Request

from saffa.web.folders import as_text
from saffa.web.jobs import EXPORTS
from saffa.web.shapes import Id, LimitsShown, NewUpload, Status, Upload, Uploads, Videos
from saffa.web.studio import Studio


def general_routes(studio: Studio) -> APIRouter:
    """Status, videos and uploads."""
    routes = APIRouter(tags=["videos"])
    limits = studio.limits

    @routes.get("/status")
    async def status() -> Status:
        """What this server is and can do."""
        shown = LimitsShown(**{name: getattr(limits, name) for name in LimitsShown.model_fields})
        return Status(
            version=_version(),
            demo=studio.choices.demo,
            can_listen=studio.can_listen,
            limits=shown,
            exports=list(EXPORTS),
            folders=[as_text(root.name) for root in studio.folders.roots],
        )

    @routes.get("/videos")
    def videos() -> Videos:
        """The videos that a project can be made of."""
        return Videos(videos=[file.listed for file in (*studio.uploads.files(), *studio.folders.files())])

    @routes.get("/uploads")
    async def uploads() -> Uploads:
        """Uploads that are not finished."""
        return Uploads(uploads=studio.uploads.unfinished())

    @routes.post("/uploads", status_code=201)
    async def begin_upload(new: NewUpload) -> Upload:
        """Announce a file; then send its bytes in pieces."""
        return studio.uploads.begin(new)

    @routes.get("/uploads/{upload}")
    async def upload(upload: Id) -> Upload:
        """How much of a file has come."""
        return studio.uploads.get(upload)

    @routes.put(
        "/uploads/{upload}",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
    )
    async def add(upload: Id, offset: Annotated[int, Query(ge=0)], request: Request) -> Upload:
        """Send the next piece, which begins at byte `offset`."""
        return await studio.uploads.add(upload, offset, request.stream())

    @routes.delete("/uploads/{upload}", status_code=204)
    async def remove_upload(upload: Id) -> None:
        """Forget an upload."""
        studio.uploads.remove(upload)

    return routes


def _version() -> str:
    try:
        return version("saffa")
    except PackageNotFoundError:
        return "unknown"
