"""From a video to a shorter one in a single pass: it is read, chosen from and written at the same time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from saffa.core.clock import format_length
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import NO_SUBTITLES, Narration
from saffa.core.result import Result
from saffa.core.segments import segments_between
from saffa.core.selection import Selection
from saffa.core.timeline import Source, Timeline, file_hash, merge_repeats
from saffa.core.timemap import TimeMap
from saffa.core.types import Progress
from saffa.encoders.base import Encoder, Extent, StreamingEncoder
from saffa.media.chapters import retime_chapters
from saffa.media.formats import RenderOptions
from saffa.media.live import LiveMovie
from saffa.media.live_render import Words, render_live
from saffa.media.pipe import STDIN, is_pipe
from saffa.media.sound.growing_map import GrowingMap
from saffa.media.subtitles.lines import find_narration, read_narration
from saffa.media.subtitles.retiming import retime
from saffa.methods.base import OnlineSampler, Sampler
from saffa.pipeline.finish import KEEP_LENGTH, leave_subtitles, missed_length
from saffa.pipeline.request import target_speed
from saffa.pipeline.streaming_selection import Walk

_NEAR = Fraction(1, 200)  # by which a length that was told may be off without a word
_NOTHING_SAID = (
    "The subtitles of the pipe have no lines, so the text was compared with nothing. Use --encoder visual to go by the "
    "pictures."
)


@dataclass(frozen=True)
class Wish:
    """What is to be made of the video. Without `output` it is read and chosen from, and nothing is written."""

    document: Document
    output: Path | None
    options: RenderOptions
    speed: float | None = None
    length: float | Fraction | None = None
    subtitles: Path | None = None
    duration: Fraction | None = None
    inputs: tuple[Path, ...] = ()


def streaming_encoder(video: Path, sampler: Sampler, load: Callable[[], Encoder]) -> StreamingEncoder | None:
    """The encoder, if one pass is enough; InputError for a pipe, which has no second one."""
    if not isinstance(sampler, OnlineSampler):
        if is_pipe(video):
            raise InputError(
                f"The method {sampler.name} must know the whole video before it begins, and a pipe can be read only "
                "once. Use --method saffa+, or give a file."
            )
        return None
    encoder = load()
    if encoder.streaming and isinstance(encoder, StreamingEncoder):
        return encoder
    if is_pipe(video):
        raise InputError(
            f"The encoder {encoder.name} must see the whole video before it answers, and a pipe can be read only once. "
            "Use --encoder auto, or give a file."
        )
    return None


def single_pass(video: Path, sampler: Sampler, encoder: StreamingEncoder, wish: Wish, progress: Progress) -> Result:
    """Read, choose and write at once; for what `streaming_encoder` allows."""
    if not isinstance(sampler, OnlineSampler):
        raise TypeError("a single pass needs an online method")
    stage = "Reading and writing the video" if wish.output else "Reading the video"
    sound = wish.output is not None and wish.options.audio == "stretch"
    with LiveMovie(video, wish.duration, sound=sound) as movie:
        rate = movie.video.rate
        speed = target_speed(wish.speed, wish.length, float(movie.frames / rate), rate)
        narration = _narration(movie, wish.subtitles)
        if encoder.name == "narrated-live" and narration is None and not movie.has_lines:
            raise InputError(NO_SUBTITLES)
        encoder, choice = _listener(encoder, narration is None and movie.has_lines), encoder
        reading = encoder.open(Extent(movie.frames, rate), wish.document, narration)
        agent = sampler.begin(movie.frames, rate, speed, reading.encoder)
        growing = GrowingMap(rate)
        walk = Walk(movie, agent, reading, speed, growing, lambda share: progress(stage, share))
        rendered = None
        if wish.output is None:
            for _ in walk.frames():
                pass
        else:
            words = _words(movie, narration, walk, growing)
            rendered = render_live(movie, walk.frames(), growing, wish.output, wish.options, words)
        result = _result(movie, walk, growing, wish, sampler.name, speed, reading.encoder)
    if encoder is not choice and not any(cue.text.strip() for cue in walk.cues):
        result = replace(result, warnings=(*result.warnings, _NOTHING_SAID))
    if rendered is None or wish.output is None:
        return result
    said = retime(narration.cues if narration else walk.cues, result.timemap)
    rendered = replace(rendered, notes=(*rendered.notes, *said.notes))
    if narration and narration.file:
        rendered = leave_subtitles(rendered, said.cues, narration.file, wish.output, wish.options, wish.inputs)
    return replace(result, rendered=rendered)


def _narration(movie: LiveMovie, given: Path | None) -> Narration | None:
    """What is known before the first picture; lines inside a pipe come with it."""
    if not movie.piped:
        return find_narration(movie.video, given, movie.frames / movie.video.rate)
    return read_narration(given, movie.video.container_start) if given else None


def _listener(encoder: StreamingEncoder, lines_come: bool) -> StreamingEncoder:
    """Who can hear subtitles that come along with a pipe's pictures, if there are any."""
    if lines_come and encoder.name == "narrated":
        raise InputError("The subtitles of a pipe come along with its pictures: use --encoder narrated-live.")
    if not lines_come or encoder.name != "auto":
        return encoder
    from saffa.encoders.narrated.live import NarratedLiveEncoder  # noqa: PLC0415

    return NarratedLiveEncoder()


def _words(
    movie: LiveMovie, narration: Narration | None, walk: Walk, growing: GrowingMap
) -> Callable[[], Words] | None:
    """Lines and chapters for the output, if there may be any."""
    if narration is None and not movie.has_lines and not movie.video.chapters:
        return None

    def placed() -> Words:
        timemap = growing.whole()
        cues = narration.cues if narration else tuple(walk.cues)
        return Words(retime(cues, timemap).cues, retime_chapters(movie.video.chapters, timemap))

    return placed


def _result(
    movie: LiveMovie, walk: Walk, growing: GrowingMap, wish: Wish, method: str, speed: float, encoder: str
) -> Result:
    video, pictures, timemap = movie.video, movie.pictures, growing.whole()
    selection = Selection(np.array(walk.slots, np.int64), walk.length, speed, method)
    frames, holds = merge_repeats(walk.shown)
    end = timemap.source[-1]
    digest = movie.sha256()
    timeline = Timeline(
        source=Source(STDIN, digest, pictures.frames, video.rate, end)
        if digest
        else Source.of_file(video.path, pictures.frames, video.rate, end),
        document=wish.document.sentences,
        method=method,
        encoder=encoder,
        target_speed=speed,
        speed=selection.speed,
        frames=frames,
        runs=segments_between(timemap.source, video.rate, walk.sentences()),
        subtitles=str(wish.subtitles.resolve()) if wish.subtitles else None,
        holds=holds,
        subtitles_sha256=file_hash(wish.subtitles) if wish.subtitles else None,
    )
    alignment = walk.alignment(wish.document, encoder)
    warnings = _warnings(movie, method, speed, timemap)
    return Result(timeline, selection, alignment, timemap, None, warnings)


def _warnings(movie: LiveMovie, method: str, speed: float, timemap: TimeMap) -> tuple[str, ...]:
    found = []
    end, told = timemap.source[-1], movie.frames / movie.video.rate
    expected = abs(end - told) <= _NEAR * told + 2 / movie.video.rate
    if not expected:
        came = "earlier" if end < told else "later"
        then = "" if end < told else " From there on it runs at the target speed."
        found.append(
            f"The video ended {came} than told ({format_length(end)}, not {format_length(told)}), so the length asked "
            f"for is not met exactly.{then}"
        )
    if expected or method not in KEEP_LENGTH:  # else the reason is said already
        found += missed_length(method, speed, timemap, movie.video.rate)
    if movie.pictures.damage:
        found.append(f"{movie.name} is damaged in {movie.pictures.damage} place(s); using what can be decoded.")
    return tuple(found)
