"""The application: the page, the JSON interface below /api/v1, and the guard before both."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from starlette.exceptions import HTTPException

from saffa.core.errors import SaffaError
from saffa.web.errors import RefusedError, missing
from saffa.web.folders import as_text
from saffa.web.guard import Door, Guard
from saffa.web.routes.general import general_routes
from saffa.web.routes.jobs import job_routes
from saffa.web.routes.media import media_routes
from saffa.web.routes.projects import project_routes
from saffa.web.shapes import Refusal
from saffa.web.studio import Studio

STATIC = Path(__file__).with_name("static")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
PART = re.compile(r"[a-z][a-z0-9_-]*\.[a-z]+")
REFUSALS = {status: {"model": Refusal} for status in (401, 403, 404, 408, 409, 413, 422, 429, 503)}


def create_app(studio: Studio, door: Door) -> Guard:
    """The guarded application of a studio."""
    app = FastAPI(
        title="saffa",
        description="Shorten a video with a text, and see it before it is made.",
        version="1",
        docs_url=None,
        redoc_url=None,
        lifespan=studio.open,
        responses=REFUSALS,  # type: ignore[arg-type]
    )
    for routes in (general_routes(studio), project_routes(studio), media_routes(studio), job_routes(studio)):
        app.include_router(routes, prefix="/api/v1")
    _add_page(app)
    _add_refusals(app)
    return Guard(app, door)


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        """The page."""
        return _static("index.html")

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> FileResponse:
        """A part of the page."""
        return _static(name)


def _static(name: str) -> FileResponse:
    path = STATIC / name
    if not PART.fullmatch(name) or path.suffix not in TYPES or not path.is_file():
        raise missing("page")
    return FileResponse(path, media_type=TYPES[path.suffix], headers={"cache-control": "no-cache"})


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> JSONResponse:
        return JSONResponse(error.body(), error.status)

    @app.exception_handler(SaffaError)
    async def failed(_: Request, error: SaffaError) -> JSONResponse:
        return JSONResponse(RefusedError(422, str(error)).body(), 422)

    @app.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        message = f"{place}: {first['msg']}." if place else f"{first['msg']}."
        return JSONResponse(RefusedError(422, as_text(message[:500])).body(), 422)

    @app.exception_handler(HTTPException)
    async def unknown(_: Request, error: HTTPException) -> JSONResponse:
        message = "There is nothing here." if error.status_code == 404 else str(error.detail)
        return JSONResponse(RefusedError(error.status_code, message).body(), error.status_code, error.headers)

    @app.exception_handler(OSError)
    async def full(_: Request, __: OSError) -> JSONResponse:
        return JSONResponse(RefusedError(503, "The server cannot read or write its files now.").body(), 503)
