"""What people call: align once, select many times, render; or all of it with `accelerate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from pathlib import Path

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import Narration
from saffa.core.result import Rendered, Result
from saffa.core.selection import Selection
from saffa.core.timeline import Source, Timeline
from saffa.core.timeline_file import found_file, trusted_subtitles
from saffa.core.types import Progress
from saffa.core.video import Video
from saffa.encoders.cached import CachedEncoder
from saffa.encoders.registry import load_encoder
from saffa.media.chapters import retime_chapters
from saffa.media.constant_rate import constant_rate_axis
from saffa.media.formats import RenderOptions, check_output
from saffa.media.pipe import STDIN
from saffa.media.probe import probe
from saffa.media.render import render as render_movie
from saffa.media.subtitles.lines import find_narration
from saffa.media.subtitles.retiming import Retimed, retime
from saffa.methods.base import Sampler, Settings, load_sampler, unheeded, watched
from saffa.pipeline.export_run import Exported, ExportOptions, export_timeline
from saffa.pipeline.finish import leave_subtitles, missed_length
from saffa.pipeline.request import silent, target_speed
from saffa.pipeline.single_pass import Wish, single_pass, streaming_encoder
from saffa.pipeline.worker_process import run_apart
from saffa.storage.cache import user_cache

PathLike = str | os.PathLike[str]
Text = PathLike | Document | Sequence[str]


def align(
    video: PathLike,
    text: Text,
    *,
    subtitles: PathLike | None = None,
    encoder: str = "auto",
    cache: bool = True,
    progress: Progress = silent,
) -> Alignment:
    """Compare a video with a text once; select from the result as often as you like."""
    document = read_document(text)
    probed = probe(Path(video), progress=lambda share: progress("Reading the video", share))
    narration = find_narration(probed, Path(subtitles) if subtitles else None)
    return compare(progress, constant_rate_axis(probed), document, narration, encoder, cache)


def select(
    alignment: Alignment,
    *,
    speed: float | None = None,
    length: float | Fraction | None = None,
    method: str = "plan",
    balance: float | None = None,
    min_speed: float | None = None,
    max_speed: float | None = None,
    agent: str | None = None,
) -> Selection:
    """Choose frames for a speed or a length in seconds. Methods ignore settings that do not concern them."""
    wanted = target_speed(speed, length, alignment.duration, alignment.rate)
    return load_sampler(method, Settings(balance, min_speed, max_speed, agent)).select(alignment, wanted)


def accelerate(
    video: PathLike,
    text: Text,
    *,
    speed: float | None = None,
    length: float | Fraction | None = None,
    output: PathLike | None = None,
    subtitles: PathLike | None = None,
    method: str = "plan",
    balance: float | None = None,
    min_speed: float | None = None,
    max_speed: float | None = None,
    agent: str | None = None,
    encoder: str = "auto",
    cache: bool = True,
    duration: float | Fraction | None = None,
    options: RenderOptions | None = None,
    planned: Callable[[Result], None] = lambda _: None,
    progress: Progress = silent,
) -> Result:
    """From a video and a text to a shorter video.

    Without `output` nothing is written: the result tells what would be. `planned` is called with the
    plan before rendering starts.

    With an online method (saffa+, saffa, sff-rl) and a streaming encoder the video is read once and written
    meanwhile; then the plan is known in the end. Only so `video` may be `-` (standard input) or a named pipe, and
    `duration` (seconds) says how long it will be if the container does not.
    """
    if duration is not None and not 0 < duration < inf:
        raise InputError("--duration must be positive: the length of the video, such as 12:30.")
    options = options or RenderOptions()
    target = Path(output) if output is not None else None
    texts = (Path(text),) if isinstance(text, (str, os.PathLike)) else ()
    if target is not None:
        check_output(target, (Path(video), *texts, *([Path(subtitles)] if subtitles else [])), options)
    settings = Settings(balance, min_speed, max_speed, agent)
    sampler, idle = load_sampler(method, settings), unheeded(method, settings)
    document = read_document(text)
    streaming = streaming_encoder(Path(video), sampler, lambda: load_encoder(encoder))
    if streaming is not None:
        told = None if duration is None else Fraction(duration)
        given = Path(subtitles) if subtitles else None
        wish = Wish(document, target, options, speed, length, given, told, texts)
        result = single_pass(Path(video), sampler, streaming, wish, progress)
        result = replace(result, warnings=(*idle, *result.warnings))
        planned(result)
        return result
    if duration is not None:
        raise InputError("--duration is for videos that are read once (--method saffa+); here the file tells its own.")
    probed = probe(Path(video), progress=lambda share: progress("Reading the video", share))
    axis = constant_rate_axis(probed)
    wanted = target_speed(speed, length, float(probed.duration), axis.rate)
    narration = find_narration(probed, Path(subtitles) if subtitles else None)
    progress("Comparing with the text", 0.0)
    plan_with = (progress, axis, document, narration, encoder, cache, sampler, wanted)
    # Apart when a long rendering follows, so that it need not carry the planner's memory.
    alignment, selection = run_apart(compare_and_plan, *plan_with) if target else compare_and_plan(*plan_with)
    timeline = _timeline(axis, alignment, selection, Path(subtitles) if subtitles else None)
    timemap = timeline.timemap(probed)
    missed = missed_length(method, wanted, timemap, axis.rate)
    plan = Result(timeline, selection, alignment, timemap, None, (*idle, *probed.warnings, *missed))
    planned(plan)
    if target is None:
        return plan
    rendered = _render(probed, timeline, narration, target, options, progress, texts)
    return replace(plan, rendered=rendered)


def compare_and_plan(
    progress: Progress,
    video: Video,
    document: Document,
    narration: Narration | None,
    encoder: str,
    cache: bool,
    sampler: Sampler,
    speed: float,
) -> tuple[Alignment, Selection]:
    """Align and select; a method that does not read the text needs no encoder."""
    encoder = encoder if sampler.reads_text else "none"
    alignment = compare(progress, video, document, narration, encoder, cache)
    ready = watched(sampler, video, narration, lambda share: progress("Measuring the pictures", share))
    return alignment, ready.select(alignment, speed)


def compare(
    progress: Progress, video: Video, document: Document, narration: Narration | None, encoder: str, cache: bool
) -> Alignment:
    """Align with an encoder by name; what needs a look at the pictures is looked up first."""
    kept = user_cache() if cache and encoder not in ("none", "narrated") else None
    loaded = load_encoder(encoder, cache=kept, progress=lambda share: progress("Looking at the video", share))
    return (CachedEncoder(loaded, kept) if kept else loaded).encode(video, document, narration)


def render(
    timeline: Timeline | PathLike,
    output: PathLike,
    *,
    options: RenderOptions | None = None,
    progress: Progress = silent,
) -> Rendered:
    """Render a timeline again, from its source file."""
    options = options or RenderOptions()
    folder, files = Path(), tuple[Path, ...]()
    if not isinstance(timeline, Timeline):
        folder, files = Path(timeline).parent, (Path(timeline),)
        timeline = Timeline.load(Path(timeline))
    if timeline.source.path == STDIN:
        raise InputError("This timeline was made from a pipe; put the path of the video into its source.path first.")
    source = found_file(timeline.source.path, folder)
    given = trusted_subtitles(timeline, folder, source)
    check_output(Path(output), (source, *files, *([given] if given else [])), options)
    video = probe(source, progress=lambda share: progress("Reading the video", share))
    if Source.of(video).sha256 != timeline.source.sha256 or video.frames != timeline.source.frames:
        raise InputError(f"{source} is not the file this timeline was made from (its contents differ).")
    narration = find_narration(video, given)
    return _render(video, timeline, narration, Path(output), options, progress)


def export(
    timeline: Timeline | PathLike,
    to: str,
    output: PathLike | None = None,
    *,
    segments: int = 60,
    handles: bool = False,
    relative: bool = False,
    drop_frame: bool | None = None,
    overwrite: bool = False,
) -> Exported:
    """Write a timeline for another program: `to` is otio, fcpxml, premiere, edl, csv or mpv."""
    path = None if isinstance(timeline, Timeline) else Path(timeline)
    loaded = timeline if isinstance(timeline, Timeline) else Timeline.load(Path(timeline))
    options = ExportOptions(segments, handles, relative, drop_frame, overwrite)
    return export_timeline(loaded, to, Path(output) if output else None, options, path)


def _render(
    video: Video,
    timeline: Timeline,
    narration: Narration | None,
    output: Path,
    options: RenderOptions,
    progress: Progress,
    inputs: tuple[Path, ...] = (),
) -> Rendered:
    timemap = timeline.timemap(video)
    # The clock of the timeline: a single pass only knew what the container told.
    video = replace(video, rate=timeline.source.rate, duration=timemap.source[-1])
    said = retime(narration.cues, timemap) if narration else Retimed(())
    rendered = render_movie(
        video,
        timeline.frames,
        timemap,
        output,
        options,
        holds=timeline.holds,
        subtitles=said.cues,
        chapters=retime_chapters(video.chapters, timemap),
        progress=lambda share: progress("Writing the video", share),
    )
    rendered = replace(rendered, notes=(*rendered.notes, *said.notes))
    if narration and narration.file:
        return leave_subtitles(rendered, said.cues, narration.file, output, options, inputs)
    return rendered


def _timeline(video: Video, alignment: Alignment, selection: Selection, subtitles: Path | None) -> Timeline:
    sentences = alignment.sentence_at([float(video.frame_time(int(f))) for f in selection.frames])
    return Timeline.of(
        video,
        selection,
        document=alignment.document,
        sentences=sentences,
        encoder=alignment.encoder,
        subtitles=subtitles,
    )


def read_document(text: Text) -> Document:
    """A Document as it is, a list of sentences, or the path of a text file."""
    if isinstance(text, Document):
        return text
    if isinstance(text, (str, os.PathLike)):
        if not str(text).strip():
            raise InputError("The text has no name. Give a text file, or in Python a list of sentences.")
        return Document.from_file(Path(text))
    if not isinstance(text, Iterable):
        raise InputError(f"The text must be a file, a list of sentences or a Document, not {text!r}.")
    return Document(tuple(text))
