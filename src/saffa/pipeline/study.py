"""A video looked at once for a person who decides later: what is said, the comparison with the text, then the movie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.result import Rendered
from saffa.core.selection import Selection
from saffa.core.timeline import Timeline
from saffa.core.types import Progress
from saffa.core.video import Cue, Video
from saffa.core.whole_file import file_sha256
from saffa.media.probe import constant_rate_axis
from saffa.media.subtitles.lines import find_narration
from saffa.media.writer import RenderOptions
from saffa.pipeline.finish import fit_warning, write_timeline
from saffa.pipeline.narration import find_said, narration_as_text, with_screen
from saffa.pipeline.request import Listen, Request
from saffa.pipeline.two_pass import compare


@dataclass(frozen=True, eq=False)
class Study:
    """A video compared with a text, and the lines that are said in it."""

    alignment: Alignment
    lines: tuple[Cue, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def study(
    video: Video,
    document: Document | None,
    listen: Listen,
    progress: Progress,
    heard: Callable[[tuple[Cue, ...]], None] = lambda _: None,
) -> Study:
    """Compare a video with a text, or with the most informative of its own lines if there is none.

    `heard` is called with the lines as soon as they are known.
    """
    said = find_said(video, None, listen, True, progress)
    lines = said.narration.cues if said.narration else ()
    heard(lines)
    document = document or narration_as_text(video, said)
    said = with_screen(video, said, "auto", True, progress)
    request = Request(video.path, document, listen=listen)
    alignment = compare(progress, constant_rate_axis(video), said.narration, request)
    progress("Comparing with the text", 1.0)
    return Study(
        alignment, lines, (*request.notes, *said.notes), (*video.warnings, *fit_warning(alignment, said.narration))
    )


def write_selection(
    video: Video,
    alignment: Alignment,
    selection: Selection,
    output: Path,
    timeline_file: Path,
    options: RenderOptions,
    progress: Progress,
) -> Rendered:
    """Write the movie of a selection and its timeline; subtitles of the video leave as a file beside it too."""
    axis = constant_rate_axis(replace(video, sha256=file_sha256(video.path)))
    timeline = Timeline.of(axis, selection, alignment)
    timemap = timeline.timemap(video)
    narration = find_narration(video)
    if narration is not None and narration.file is None:
        narration = replace(narration, file=output.with_suffix(".srt"))
    rendered = write_timeline(video, timeline, timemap, narration, output, options, progress)
    timeline.save(timeline_file)
    return rendered
