"""`saffa export`: a timeline for an editing program, a spreadsheet or the mpv player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saffa.cli import options as flag


def export(
    timeline: Annotated[Path, typer.Argument(metavar="TIMELINE.json", help="A timeline that saffa wrote.")],
    to: Annotated[str, typer.Option("--to", help="otio, fcpxml, premiere, edl, csv or mpv.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="Default: by the format.")
    ] = None,
    segments: Annotated[int, typer.Option("--segments", help="At most so many clips of constant speed.")] = 60,
    handles: Annotated[bool, typer.Option("--handles", help="Clips can be dragged out to the whole source.")] = False,
    relative: Annotated[bool, typer.Option("--relative", help="Name the video relative to OUT's folder.")] = False,
    drop_frame: Annotated[
        bool | None, typer.Option("--drop-frame/--non-drop-frame", help="Timecode at 29.97 and 59.94 frames a second.")
    ] = None,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Export a timeline to an editing program, a spreadsheet or the mpv player."""
    from saffa import api  # noqa: PLC0415
    from saffa.cli import report  # noqa: PLC0415

    done = api.export(
        timeline,
        to,
        output,
        segments=segments,
        handles=handles,
        relative=relative,
        drop_frame=drop_frame,
        overwrite=overwrite,
    )
    report.warn(done.warnings)
    facts = {"output": str(done.path), "format": to, "clips": done.clips, "frames": done.frames}
    report.say(facts, f"wrote {done.path}: {done.clips} clips, {done.frames} frames", as_json)
