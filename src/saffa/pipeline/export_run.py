"""From a timeline file to a file for another program: look at the source, make the edit, write it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from saffa.core.errors import InputError, SaffaError
from saffa.core.source_file import SourceFile
from saffa.core.timeline import Timeline
from saffa.core.timeline_file import found_file
from saffa.core.whole_file import check_output_file, whole_file
from saffa.export import format_named
from saffa.export.edit import Edit
from saffa.media.probe import source_file


@dataclass(frozen=True)
class Exported:
    """What was written."""

    path: Path
    clips: int
    frames: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportOptions:
    """How to export: see `saffa.export.edit.Edit`."""

    segments: int = 60
    handles: bool = False
    relative: bool = False
    drop_frame: bool | None = None
    overwrite: bool = False


def export_timeline(
    timeline: Timeline, to: str, output: Path | None, options: ExportOptions, path: Path | None = None
) -> Exported:
    """Write a timeline in a format; `path` is the file it came from. Without `output` the name is by the format."""
    chosen = format_named(to)
    target = output or Path(f"{path.stem if path else 'timeline'}{chosen.suffix}")
    video = found_file(timeline.source.path, path.parent if path else Path())
    check_output_file(target, tuple(p for p in (path, video) if p is not None), options.overwrite)
    source, warnings = _source(timeline, video)
    edit = Edit.of(
        timeline,
        source,
        target.stem,
        segments=options.segments,
        handles=options.handles,
        beside=target.parent if options.relative else None,
        drop_frame=options.drop_frame,
    )
    text = chosen.text(edit)
    with whole_file(target) as part:
        part.write_text(text, encoding="utf-8", newline="")
    return Exported(target, len(edit.clips), edit.frames, warnings)


def _source(timeline: Timeline, video: Path) -> tuple[SourceFile, tuple[str, ...]]:
    """What the file says about itself; without it, what the timeline knows."""
    source = timeline.source
    frames = max(1, round(source.duration * source.rate))
    try:
        return source_file(video, frames, source.rate), ()
    except (InputError, SaffaError, OSError):
        missing = f"{video} is not there or cannot be read: the export has no picture size, sound or timecode."
        return SourceFile(source.path, frames, source.rate), (missing,)
