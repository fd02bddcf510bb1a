"""`saffa serve`: the page in the browser, for people who want to see a shorter video before it is made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saffa.core.errors import InputError

HOURS, MEGABYTES = 3600, 10**6


def serve(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="[FOLDER]...", help="Folders whose videos may be opened.")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="0 takes any that is free.", min=0, max=65535)] = 8642,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; others can reach 0.0.0.0.")] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Another name of this machine that pages may use. Repeatable.")
    ] = None,
    token: Annotated[str | None, typer.Option("--token", help="The secret of the address. Default: random.")] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Start with the sample video loaded.")] = False,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="DIR", help="Where projects are kept. Default: the user's data.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Renders at the same time.", min=1, max=64)] = 1,
    max_upload: Annotated[float, typer.Option("--max-upload", help="Megabytes of an upload.", min=1)] = 8000,
    max_hours: Annotated[float, typer.Option("--max-hours", help="Hours that a video may last.", min=0.001)] = 4,
    max_pixels: Annotated[int, typer.Option("--max-pixels", help="Pixels of a picture.", min=1)] = 8192 * 4320,
    max_sentences: Annotated[int, typer.Option("--max-sentences", help="Sentences of a text.", min=1)] = 1000,
    max_jobs: Annotated[int, typer.Option("--max-jobs", help="Renders that may wait.", min=1)] = 50,
    max_cpu: Annotated[
        float, typer.Option("--max-cpu", help="Hours of processor time of one piece of work.", min=0.001)
    ] = 4,
    max_memory: Annotated[
        float, typer.Option("--max-memory", help="Megabytes of memory of one piece of work.", min=200)
    ] = 4000,
) -> None:
    """Open the page: choose a video and a text, watch what it becomes, correct it, write it."""
    try:
        from saffa.web.server import Address  # noqa: PLC0415
        from saffa.web.server import serve as run  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise InputError(f"The page needs {error.name}; install saffa[web].") from error
    from platformdirs import user_data_path  # noqa: PLC0415

    from saffa.web.limits import Limits  # noqa: PLC0415
    from saffa.web.studio import Choices  # noqa: PLC0415

    for folder in folders or ():
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder; give folders that hold videos.")
    if token is not None and len(token) < 16:
        raise InputError("--token must have at least 16 characters, or others could guess it.")
    if token is not None and not (token.isascii() and token.replace("-", "").replace("_", "").isalnum()):
        raise InputError("--token may have letters, digits, - and _ only: it stands in an address.")
    limits = Limits(
        upload_bytes=int(max_upload * MEGABYTES),
        seconds=max_hours * HOURS,
        pixels=max_pixels,
        sentences=max_sentences,
        jobs=jobs,
        waiting=max_jobs,
        cpu_seconds=max(1, int(max_cpu * HOURS)),
        memory_bytes=int(max_memory * MEGABYTES),
    )
    place = state or user_data_path("saffa", appauthor=False) / "serve"
    choices = Choices(place.absolute(), tuple(folders or ()), demo, limits)
    run(choices, Address(host, port, token, tuple(name or ())), open_browser=open_browser)
