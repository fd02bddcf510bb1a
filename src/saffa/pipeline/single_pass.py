"""From a video to a shorter one in a single pass: it is read, chosen from and written at the same time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from saffa.core.clock import format_length
from saffa.core.errors import InputError
from saffa.core.narration import NO_SUBTITLES, Narration
from saffa.core.result import Result
from saffa.core.segments import segments_between
from saffa.core.selection import Selection
from saffa.core.timeline import Source, Timeline, file_hash, merge_repeats
from saffa.core.timemap import TimeMap
from saffa.core.types import Progress
from saffa.core.video import Extent
from saffa.encoders.base import StreamingEncoder
from saffa.encoders.registry import load_encoder
from saffa.media.chapters import retime_chapters
from saffa.media.live import LiveMovie
from saffa.media.live_render import Words, render_live
from saffa.media.pipe import STDIN
from saffa.media.sound.growing_map import GrowingMap
from saffa.media.subtitles.lines import find_narration, read_narration
from saffa.media.subtitles.retiming import retime
from saffa.methods.base import OnlineSampler
from saffa.pipeline.finish import KEEP_LENGTH, finish, length_warning
from saffa.pipeline.request import Request, silent, target_speed
from saffa.pipeline.streaming_selection import Walk

_NEAR = Fraction(1, 200)  # by which a length that was told may be off without a word
_NOTHING_SAID = (
    "The subtitles of the pipe have no lines, so the text was compared with nothing. Use --encoder visual to go by the "
    "pictures."
)


def single_pass(request: Request, planned: Callable[[Result], None], progress: Progress = silent) -> Result:
    """Read, choose and write at once; `planned` is called in the end, when the plan is known."""
    sampler, encoder = request.sampler(), streaming_encoder(request)
    if not isinstance(sampler, OnlineSampler):
        raise InputError(
            f"The method {sampler.name} must know the whole video before it begins, and here it is read only once. "
            "Use --method saffa+, or give a file."
        )
    stage = "Reading and writing the video" if request.output else "Reading the video"
    sound = request.output is not None and request.options.audio == "stretch"
    told = None if request.duration is None else Fraction(request.duration)
    with LiveMovie(request.video, told, sound=sound) as movie:
        rate = movie.video.rate
        speed = target_speed(request.speed, request.length, float(movie.frames / rate), rate)
        narration = _narration(movie, request.subtitles)
        if encoder.name == "narrated-live" and narration is None and not movie.has_lines:
            raise InputError(NO_SUBTITLES)
        encoder, choice = _listener(encoder, narration is None and movie.has_lines), encoder
        reading = encoder.open(Extent(movie.frames, rate), request.document, narration)
        agent = sampler.begin(movie.frames, rate, speed, reading.encoder)
        growing = GrowingMap(rate)
        walk = Walk(movie, agent, reading, speed, growing, lambda share: progress(stage, share))
        rendered = None
        if request.output is None:
            for _ in walk.frames():
                pass
        else:
            words = _words(movie, narration, walk, growing)
            rendered = render_live(movie, walk.frames(), growing, request.output, request.options, words)
        result = _result(movie, walk, growing, request, sampler.name, speed, reading.encoder)
    silent_pipe = encoder is not choice and not any(cue.text.strip() for cue in walk.cues)
    nothing_said = (_NOTHING_SAID,) if silent_pipe else ()
    result = replace(result, warnings=(*request.unused_settings(), *result.warnings, *nothing_said))
    if rendered is not None and request.output is not None:
        done = rendered
        heard = narration or Narration(tuple(walk.cues))
        rendered = finish(
            lambda _c, _ch: done, result.timemap, (), heard, request.output, request.options, request.inputs
        )
    result = replace(result, rendered=rendered)
    planned(result)
    return result


def streaming_encoder(request: Request) -> StreamingEncoder:
    """The encoder, which must answer while the video is read."""
    encoder = load_encoder(request.encoder) if isinstance(request.encoder, str) else request.encoder
    if encoder.streaming and isinstance(encoder, StreamingEncoder):
        return encoder
    raise InputError(
        f"The encoder {encoder.name} must see the whole video before it answers, and here it is read only once. "
        "Use --encoder auto, or give a file."
    )


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
    movie: LiveMovie, walk: Walk, growing: GrowingMap, request: Request, method: str, speed: float, encoder: str
) -> Result:
    video, pictures, timemap = movie.video, movie.pictures, growing.whole()
    selection = Selection(np.array(walk.slots, np.int64), walk.length, speed, method)
    end, digest = timemap.source[-1], movie.sha256()
    source = (
        Source(STDIN, digest, pictures.frames, video.rate, end)
        if digest
        else Source.of_file(video.path, pictures.frames, video.rate, end)
    )
    alignment = walk.alignment(request.document, encoder)
    frames, holds = merge_repeats(walk.shown)
    timeline = Timeline(
        source=source,
        document=alignment.document,
        method=method,
        encoder=encoder,
        target_speed=speed,
        speed=selection.speed,
        frames=frames,
        runs=segments_between(timemap.source, video.rate, walk.sentences()),
        subtitles=str(request.subtitles.resolve()) if request.subtitles else None,
        holds=holds,
        subtitles_sha256=file_hash(request.subtitles) if request.subtitles else None,
    )
    warnings = _warnings(movie, method, speed, timemap)
    return Result(timeline, selection, alignment, timemap, None, warnings, request.document.notes)


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
        found += length_warning(method, speed, timemap, movie.video.rate)
    if movie.pictures.damage:
        found.append(f"{movie.name} is damaged in {movie.pictures.damage} place(s); using what can be decoded.")
    return tuple(found)
