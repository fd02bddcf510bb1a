"""What people call: align once, select many times, render; or all of it with `accelerate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from saffa.alignment import Alignment
from saffa.apart import run_apart
from saffa.cache import user_cache
from saffa.clock import format_length
from saffa.document import Document
from saffa.encoders import load_encoder
from saffa.encoders.cached import CachedEncoder
from saffa.errors import InputError
from saffa.media.chapters import retime_chapters
from saffa.media.probe import Video, probe
from saffa.media.render import Rendered, RenderOptions, check_output
from saffa.media.render import render as render_movie
from saffa.media.subtitles import retime
from saffa.media.subtitles import save as save_subtitles
from saffa.narration import SIDECAR_SUFFIXES, Narration, find_narration
from saffa.samplers.base import Sampler, Settings, load_sampler, watched
from saffa.selection import Selection, check_speed, wanted_frames
from saffa.timeline import Source, Timeline, segments_of, timemap_of
from saffa.timemap import TimeMap

DEFAULT_SPEED = 8.0
PathLike = str | os.PathLike[str]
Text = PathLike | Document | Sequence[str]
Progress = Callable[[str, float], None]
"""Called with the name of the stage and the share done, 0 to 1."""


@dataclass(frozen=True)
class Result:
    """What `accelerate` did. `rendered` is None when no output was asked for."""

    timeline: Timeline
    selection: Selection
    alignment: Alignment
    timemap: TimeMap
    rendered: Rendered | None
    warnings: tuple[str, ...] = field(default=())


def silent(stage: str, share: float) -> None:
    """The progress callback that shows nothing."""


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
    return compare(progress, probed, document, narration, encoder, cache)


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
    """Choose frames for a speed or a length in seconds."""
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
    options: RenderOptions | None = None,
    planned: Callable[[Result], None] = lambda _: None,
    progress: Progress = silent,
) -> Result:
    """From a video and a text to a shorter video.

    Without `output` nothing is written: the result tells what would be. `planned` is called with the
    plan before rendering starts.
    """
    options = options or RenderOptions()
    target = Path(output) if output is not None else None
    if target is not None:
        check_output(target, Path(video), options)
    sampler = load_sampler(method, Settings(balance, min_speed, max_speed, agent))
    document = read_document(text)
    probed = probe(Path(video), progress=lambda share: progress("Reading the video", share))
    wanted = target_speed(speed, length, float(probed.duration), probed.rate)
    narration = find_narration(probed, Path(subtitles) if subtitles else None)
    progress("Comparing with the text", 0.0)
    plan_with = (progress, probed, document, narration, encoder, cache, sampler, wanted)
    # Apart when a long rendering follows, so that it need not carry the planner's memory.
    alignment, selection = run_apart(compare_and_plan, *plan_with) if target else compare_and_plan(*plan_with)
    if probed.variable_rate:
        selection = selection.snapped(probed.times(), float(probed.rate))
    given = str(Path(subtitles).resolve()) if subtitles else None
    timeline = _timeline(probed, alignment, selection, given)
    timemap = timemap_of(probed, timeline.frames)
    plan = Result(timeline, selection, alignment, timemap, None, probed.warnings)
    planned(plan)
    if target is None:
        return plan
    texts = (Path(text),) if isinstance(text, (str, os.PathLike)) else ()
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
    folder = Path()
    if not isinstance(timeline, Timeline):
        folder = Path(timeline).parent
        timeline = Timeline.load(Path(timeline))
    source = folder / timeline.source.path
    check_output(Path(output), source, options)
    video = probe(source, progress=lambda share: progress("Reading the video", share))
    if Source.of(video).sha256 != timeline.source.sha256 or video.frames != timeline.source.frames:
        raise InputError(f"{source} is not the file this timeline was made from (its contents differ).")
    given = folder / timeline.subtitles if timeline.subtitles else None
    narration = find_narration(video, given)
    return _render(video, timeline, narration, Path(output), options, progress)


def _render(
    video: Video,
    timeline: Timeline,
    narration: Narration | None,
    output: Path,
    options: RenderOptions,
    progress: Progress,
    inputs: tuple[Path, ...] = (),
) -> Rendered:
    timemap = timemap_of(video, timeline.frames)
    cues = retime(narration.cues, timemap) if narration else []
    rendered = render_movie(
        video,
        timeline.frames,
        timemap,
        output,
        options,
        subtitles=cues,
        chapters=retime_chapters(video.chapters, timemap),
        progress=lambda share: progress("Writing the video", share),
    )
    if narration and narration.file and cues:
        # Subtitles that came as a file also leave as one; those inside the video are always written.
        suffix = narration.file.suffix
        beside = output.with_suffix(suffix if suffix.lower() in SIDECAR_SUFFIXES else ".srt")
        kept = [path for path in (*inputs, narration.file) if path.exists()]
        if beside.exists() and (not options.overwrite or any(beside.samefile(path) for path in kept)):
            stale = f"{beside} was there already and is left as it is; it may not fit {output.name}."
            return replace(rendered, warnings=(*rendered.warnings, stale))
        save_subtitles(cues, beside)
        return replace(rendered, subtitles=beside)
    return rendered


def _timeline(video: Video, alignment: Alignment, selection: Selection, subtitles: str | None) -> Timeline:
    sentences = alignment.sentence_at([float(video.frame_time(int(f))) for f in selection.frames])
    return Timeline(
        source=Source.of(video),
        document=alignment.document,
        method=selection.method,
        encoder=alignment.encoder,
        target_speed=selection.target_speed,
        speed=selection.speed,
        frames=tuple(map(int, selection.frames)),
        segments=segments_of(video, selection, sentences),
        subtitles=subtitles,
    )


def read_document(text: Text) -> Document:
    """A Document as it is, a list of sentences, or the path of a text file."""
    if isinstance(text, Document):
        return text
    if isinstance(text, (str, os.PathLike)):
        return Document.from_file(Path(text))
    return Document(tuple(text))


def target_speed(
    speed: float | None, length: float | Fraction | None, duration: float, rate: Fraction | float
) -> float:
    """The speed asked for, directly or as an output length in seconds."""
    if speed is not None and length is not None:
        raise InputError("Give --speed or --length, not both.")
    if length is None:
        wanted = check_speed(DEFAULT_SPEED if speed is None else speed)
        if wanted_frames(round(duration * rate), wanted) * wanted > 2 * duration * rate:
            raise InputError(f"At {wanted:g}× nothing is left of a video of {format_length(duration)}.")
        return wanted
    if length > duration:
        raise InputError(
            f"The video is only {format_length(duration)} long; --length {format_length(length)} would stretch it."
        )
    if length * rate < 1:
        raise InputError("The length asked for is shorter than one frame.")
    return float(duration / length)
