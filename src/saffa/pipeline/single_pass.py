"""From a video to a shorter one in a single pass: it is read, chosen from and encoded at the same time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from saffa.core.clock import format_length
from saffa.core.errors import InputError, SaffaError
from saffa.core.result import Result
from saffa.core.selection import Selection
from saffa.core.timeline import Timeline, TimeMap, merge_repeats, segments_between
from saffa.core.types import Progress
from saffa.core.video import Extent, Narration
from saffa.core.whole_file import file_sha256
from saffa.encoders.base import JudgingReading, Reading, StreamingEncoder
from saffa.encoders.registry import load_encoder
from saffa.encoders.replay import Replay
from saffa.media.live import LiveMovie
from saffa.media.packet_spool import PacketSpool
from saffa.media.probe import MOST_DAMAGE, damaged
from saffa.media.render import Rendering
from saffa.media.subtitles.lines import find_narration, read_narration
from saffa.methods.base import OnlineSampler
from saffa.pipeline.finish import Words, fit_warning, keeps_length, length_warning
from saffa.pipeline.request import Request, silent, target_speed
from saffa.pipeline.streaming_selection import Walk

_NEAR = Fraction(1, 200)  # by which a length that was told may be off without a word
_STAGES = ("Reading the video", "Reading and writing the video")
_NOTHING_SAID = (
    "The subtitles of the pipe have no lines, so the text was compared with nothing. Use --encoder visual to go by the "
    "pictures."
)

_DEAF = (
    "one pass: the sound is not listened to and the screen not read; --subtitles would help, or a file in two passes"
)


def single_pass(request: Request, planned: Callable[[Result], None], progress: Progress = silent) -> Result:
    """Read, choose and encode at once, then write; `planned` is called when all is chosen."""
    sampler, encoder = _online_sampler(request), _streaming_encoder(request)
    with _opened(request) as movie, ExitStack() as stack:
        rate = movie.video.rate
        speed = target_speed(request.speed, request.length, float(movie.frames / rate), rate)
        narration = _narration(movie, request)
        lines_come = narration is None and movie.has_lines
        known = Narration(()) if lines_come else narration or None
        reading = encoder.open(Extent(movie.frames, rate), request.document, known)
        answers = reading.alignment if isinstance(reading, Replay) else None
        agent = sampler.begin(movie.frames, rate, speed, reading.encoder, answers)
        walk = Walk(movie, agent, reading, speed, lambda share: progress(_STAGES[request.output is not None], share))
        if request.output is None:
            for _ in walk.frames():
                pass
        else:
            rendering = stack.enter_context(Rendering(movie.video, request.output, request.options))
            pictures = stack.enter_context(closing(PacketSpool(request.output.parent)))
            for packet in rendering.encode(walk.frames()):
                pictures.add(packet)
        if not request.options.allow_damage:
            _check_damage(movie)
        plan = _plan(movie, walk, request, sampler.name, speed, reading)
        listens = lines_come and reading.encoder != encoder.name
        if listens and not any(cue.text.strip() for cue in walk.cues):
            plan = replace(plan, warnings=(*plan.warnings, _NOTHING_SAID))
        heard = narration or Narration(tuple(walk.cues))
        doubts = fit_warning(plan.alignment, heard if request.uses_narration else None, strict=request.strict)
        deaf = request.uses_narration and request.listen != "off" and bool(movie.video.sounds) and not heard.cues
        plan = replace(plan, warnings=(*plan.warnings, *doubts), notes=(*plan.notes, *([_DEAF] if deaf else [])))
        planned(plan)
        if request.output is None:
            return plan
        words = Words.of(heard, movie.video.chapters, plan.timeline, plan.timemap, request.options)
        packets, end = pictures.packets(rendering.picture_stream), plan.timemap.source[-1]
        sound = partial(movie.sound, end=end)
        done = rendering.finish(packets, plan.timemap, sound, words.cues, words.chapters)
        stack.close()  # the file is whole
        done = words.left_beside(done, request.options, request.inputs)
        return replace(plan, rendered=done)


def _online_sampler(request: Request) -> OnlineSampler:
    """The method, which must choose while the video is read."""
    sampler = request.sampler()
    if isinstance(sampler, OnlineSampler):
        return sampler
    raise InputError(
        f"The method {sampler.name} must know the whole video before it begins, and here it is read only once. "
        "Use --method saffa, or give a file."
    )


def _streaming_encoder(request: Request) -> StreamingEncoder:
    """The encoder, which must answer while the video is read."""
    encoder = load_encoder(request.encoder) if isinstance(request.encoder, str) else request.encoder
    if encoder.streaming and isinstance(encoder, StreamingEncoder):
        return encoder
    raise InputError(
        f"The encoder {encoder.name} must see the whole video before it answers, and here it is read only once. "
        "Use --encoder auto, or give a file."
    )


def _opened(request: Request) -> LiveMovie:
    """The video; sound waits beside the output until it can be stretched."""
    keeps_sound = request.output is not None and request.options.audio == "stretch"
    told = None if request.duration is None else Fraction(request.duration)
    return LiveMovie(request.video, told, request.output.parent if request.output and keeps_sound else None)


def _narration(movie: LiveMovie, request: Request) -> Narration | None:
    """What is known before the first picture; lines inside a pipe come with it."""
    given = request.subtitles
    if not movie.piped:
        return find_narration(movie.video, given, movie.frames / movie.video.rate)
    return read_narration(given, movie.video.container_start) if given else None


def _check_damage(movie: LiveMovie) -> None:
    """SaffaError if the video changed meanwhile, or if too much of it did not come or came damaged."""
    lost = max(movie.lost, 0)
    whole = movie.frames if movie.tells_length else movie.pictures.frames + lost
    if lost + movie.pictures.damage > max(1.0, MOST_DAMAGE * whole):
        raise damaged(Path(movie.name).name, MOST_DAMAGE, whole)
    if movie.changed:
        raise SaffaError(f"{movie.name} changed while it was read; run again, or add --allow-damage.")


def _plan(movie: LiveMovie, walk: Walk, request: Request, method: str, speed: float, reading: Reading) -> Result:
    """The result of the walk, not written yet."""
    rate, timemap = movie.video.rate, walk.timemap()
    selection = Selection(np.array(walk.slots, np.int64), walk.length, speed, method)
    frames, holds = merge_repeats(walk.shown)
    alignment = walk.alignment(request.document, reading.encoder)
    if isinstance(reading, JudgingReading):
        alignment = replace(alignment, **reading.certainty())
    timeline = Timeline(
        source=movie.source(timemap.source[-1]),
        document=request.document.sentences,
        method=method,
        encoder=reading.encoder,
        target_speed=speed,
        speed=selection.speed,
        frames=frames,
        runs=segments_between(timemap.source, rate, walk.sentences()),
        subtitles=str(request.subtitles.resolve()) if request.subtitles else None,
        holds=holds,
        subtitles_sha256=file_sha256(request.subtitles) if request.subtitles else None,
        confidence=() if alignment.confidence is None else tuple(map(float, alignment.confidence)),
        fit=alignment.fit,
    )
    warnings = (*request.unused_settings(), *_warnings(movie, method, speed, timemap))
    return Result(timeline, selection, alignment, timemap, None, warnings, request.notes)


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
    if expected or not keeps_length(method):  # else the reason is said already
        found += length_warning(method, speed, timemap, movie.video.rate)
    if movie.is_cut:
        found.append(f"{movie.name} is cut short; using what is there.")
    elif movie.lost > 0 and expected:
        found.append(f"{movie.name} is damaged: {movie.lost} frames are missing; using what can be decoded.")
    elif movie.pictures.damage:
        found.append(f"{movie.name} is damaged in {movie.pictures.damage} place(s); using what can be decoded.")
    return tuple(found)
