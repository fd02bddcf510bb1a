"""What a video file holds: its frames and their times, sound, subtitles, chapters. Time 0 = first frame."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.stream import Disposition, Stream
from av.video.stream import VideoStream

from saffa.core.clock import format_length, parse_length
from saffa.core.errors import InputError, SaffaError
from saffa.core.source_file import SourceFile
from saffa.core.types import Ints, Share
from saffa.core.video import ON_GRID, Chapter, Colour, ConstantRateVideo, SoundTrack, SubtitleTrack, Video
from saffa.core.whole_file import Stamp, stamp_of
from saffa.media.container import Decode, open_movie, picture_stream, turn_of, watch_only
from saffa.media.index import REORDER, FrameIndex, index_frames

TEXT_SUBTITLES = {"subrip", "srt", "mov_text", "ass", "ssa", "webvtt", "text"}

WINDOW = 16
"""Gaps between frames that are taken together: jitter cancels out, a change of pace does not."""
SHARE = 0.1
"""Share of the frames that must come so fast, or faster."""
MILD = 1.1
"""Up to this much faster than the mean is jitter, or a lost frame now and then: the mean rate is kept."""
FASTEST = Fraction(60)
NEAR = 0.05
"""Share by which a rate that the container tells, or a usual one, may differ from what was measured."""
USUAL = tuple(Fraction(*pair) for pair in ((24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60, 1)))

MOST_DAMAGE = 0.05
"""Share of the frames that are written which may be missing: beyond it the result would stand still here and there."""
_PIECE = 1 << 20
_SANE_RATES = (Fraction(1, 10), Fraction(480))
_MOST_SLOTS, _MOST_HELD = 200_000, 1000  # of an axis of constant rate: in all, and for one picture


def probe(path: Path | str, *, progress: Share | None = None) -> Video:
    """Look at a video file; InputError with one plain line if there is nothing to watch in it."""
    path = Path(path)
    stamp = stamp_of(path)
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        watch_only(container, stream)
        frame = next(Decode(container, stream).frames(), None)  # tells a wrong kind of file before the long look
        if frame is None:
            raise InputError(f"{path} has no picture that can be decoded; the file is damaged or cut short.")
        index = index_frames(path, progress)
        if not len(index.ticks):
            raise InputError(f"{path} has no picture that can be decoded; the file is damaged.")
        base = stream.time_base or Fraction(1, 1000)
        origin = int(index.ticks[0])
        ticks = index.ticks - origin
        rate, variable, duration = _clock(ticks, base, index.last_duration, stream)
        video = describe(container, stream, frame, path=path, rate=rate, origin=origin, duration=duration, ticks=ticks)
        axis_rate = fine_rate(ticks, base, told_rates(stream), rate) if variable and rate > 0 else None
        _check_clock(path, len(ticks), axis_rate or rate, duration)
        tells = index.spoilt or _has_length_tag(container, stream)
        told = told_length(container, stream, origin * base) if tells else None
        missing = max(index.missing, _lost(told, duration, rate))
        return replace(
            video,
            variable_rate=variable,
            axis_rate=axis_rate,
            container_start=Fraction(0) if index.counted else video.container_start,
            counted=index.counted,
            warnings=_warnings(path, index, missing),
            missing=missing,
            stamp=stamp,
        )


def describe(
    container: InputContainer,
    stream: VideoStream,
    frame: av.VideoFrame,
    *,
    path: Path,
    rate: Fraction,
    origin: int,
    duration: Fraction,
    ticks: Ints | None = None,
) -> Video:
    """A video as its container, first picture and clock tell; without `ticks` the frames are still to be read."""
    base = stream.time_base or Fraction(1, 1000)
    began = Fraction(container.start_time or 0, av.time_base)
    return Video(
        path=path,
        codec=stream.codec_context.codec.canonical_name,
        width=frame.width,
        height=frame.height,
        rotation=turn_of(frame),
        pixel_aspect=_pixel_aspect(stream),
        rate=rate,
        time_base=base,
        origin=origin,
        ticks=np.zeros(0, np.int64) if ticks is None else ticks,
        duration=duration,
        variable_rate=False,
        container_start=began - origin * base,
        sounds=_sounds(container),
        subtitles=_subtitles(container),
        chapters=_chapters(container, origin * base, duration),
        colour=Colour(frame.color_primaries, frame.color_trc, frame.colorspace, frame.color_range),
        pixel_format=frame.format.name,
        title=container.metadata.get("title"),
    )


def source_file(path: Path, frames: int, rate: Fraction) -> SourceFile:
    """What an editing program is told about a file; reads only its header. `frames` and `rate` are known already."""
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        start = Fraction(container.start_time or 0, av.time_base)
        picture = (stream.start_time or 0) * (stream.time_base or 1)
        sound = next(iter(_sounds(container)), None)
        return SourceFile(
            path=str(path.resolve()),
            frames=frames,
            rate=rate,
            width=stream.codec_context.width,
            height=stream.codec_context.height,
            sound_rate=sound.rate if sound else 0,
            sound_channels=sound.channels if sound else 0,
            timecode=_start_timecode(container),
            picture_start=max(Fraction(picture) - start, Fraction(0)),
        )


def _start_timecode(container: InputContainer) -> str:
    """The timecode that the file's tags give its first frame; empty without one."""
    tags = [container.metadata, *(stream.metadata for stream in container.streams)]
    return next((tag["timecode"] for tag in tags if tag.get("timecode")), "")


def _clock(ticks: Ints, base: Fraction, last_duration: int, stream: VideoStream) -> tuple[Fraction, bool, Fraction]:
    """Nominal rate, whether frames are unevenly spaced, and the duration."""
    tags = told_rates(stream)
    n, last = len(ticks), int(ticks[-1]) * base
    if n == 1:
        rate = tags[0] if tags else Fraction(25)
        shown = last_duration * base
        return rate, False, shown if 0 < shown <= 3600 else 1 / rate
    measured = ((n - 1) / last).limit_denominator(1001)
    for rate in (*tags, measured):
        if rate > 0 and is_even(ticks, base, rate):
            return rate, False, last + 1 / rate
    shown = last_duration * base
    usual = Fraction(int(np.median(np.diff(ticks)))) * base
    duration = last + (shown if 0 < shown <= max(10 * usual, Fraction(10)) else usual)
    return (n / duration).limit_denominator(1001), True, duration


def _check_clock(path: Path, frames: int, rate: Fraction, duration: Fraction) -> None:
    """InputError for a damaged clock: a few pictures that claim to be shown for hours or weeks."""
    if rate <= 0 or duration * rate > max(_MOST_SLOTS, _MOST_HELD * frames):
        raise InputError(
            f"{path} has broken time stamps: {frames} pictures in {format_length(duration)}. Convert it with another "
            "program first."
        )


def told_rates(stream: VideoStream) -> list[Fraction]:
    """What the container says about the rate, likeliest first, as far as it makes sense."""
    tags = [r for r in (stream.guessed_rate, stream.average_rate, stream.base_rate) if r]
    return [r for r in tags if _SANE_RATES[0] <= r <= _SANE_RATES[1]]


def constant_rate_axis(video: Video) -> Video:
    """The video as samplers and encoders count it: itself if its rate is constant, else in slots.

    They count slots, so a moment that is played at a speed is played at that speed, however close its frames lie. Where
    frames are further apart than slots, one is shown in several.
    """
    if not video.variable_rate:
        return video
    rate = video.axis_rate or video.rate
    # A slot of which less than half is left at the end is none.
    slots = np.arange(max(1, round(video.duration * rate)))
    step = 1 / (rate * video.time_base)  # a slot in ticks; in whole numbers below, since both ends are exact
    top, bottom = step.numerator, ON_GRID.denominator * step.denominator
    earliest = -((ON_GRID.numerator - ON_GRID.denominator * slots) * top // bottom)
    latest = (ON_GRID.numerator + ON_GRID.denominator * slots) * top // bottom
    known = {f.name: getattr(video, f.name) for f in fields(Video)}
    shown = video.shown_between(earliest, latest)
    return replace(ConstantRateVideo(**known), rate=rate, shown=shown)


def is_even(ticks: Ints, base: Fraction, rate: Fraction) -> bool:
    """Whether frames at these ticks lie on the grid of that rate."""
    grid = np.arange(len(ticks)) * float(1 / (rate * base))
    return bool(np.abs(ticks - grid).max() <= max(float(ON_GRID / (rate * base)), 1.0))


def fine_rate(ticks: Ints, base: Fraction, told: Sequence[Fraction], mean: Fraction) -> Fraction:
    """The rate at which frames come where they come fastest for a while, within reason; never below the mean."""
    span = min(WINDOW, len(ticks) - 1)
    around = span / ((ticks[span:] - ticks[:-span]) * float(base))
    fast = float(np.quantile(around, 1 - SHARE))
    if fast <= MILD * mean:
        return mean
    fast = min(fast, float(FASTEST), 2 * float(max(*told, mean)))
    return max(mean, named_rate(fast, told))


def named_rate(measured: float, told: Sequence[Fraction]) -> Fraction:
    """The rate that was meant: one that was told, else a usual one, else the number itself."""
    for rates in (told, sorted(USUAL, key=lambda rate: abs(rate - measured))):
        for rate in rates:
            if abs(rate / measured - 1) < NEAR:
                return rate
    return Fraction(measured).limit_denominator(1001)


def _pixel_aspect(stream: VideoStream) -> Fraction:
    aspect = stream.sample_aspect_ratio
    return aspect if aspect and Fraction(1, 16) <= aspect <= 16 else Fraction(1)


def _sounds(container: InputContainer) -> tuple[SoundTrack, ...]:
    return tuple(
        SoundTrack(
            s.index,
            s.codec_context.codec.canonical_name,
            s.rate,
            s.channels,
            s.layout.name,
            _language(s),
            _title(s),
            bool(s.disposition & Disposition.default),
        )
        for s in container.streams.audio
        if s.codec_context is not None and s.rate and s.channels
    )


def _subtitles(container: InputContainer) -> tuple[SubtitleTrack, ...]:
    tracks = []
    for s in container.streams.subtitles:
        name = s.codec_context.codec.canonical_name if s.codec_context is not None else "unknown"
        tracks.append(SubtitleTrack(s.index, name, _language(s), _title(s), name in TEXT_SUBTITLES))
    return tuple(tracks)


def _language(stream: Stream) -> str | None:
    return stream.language if stream.language != "und" else None  # "und" is mp4 for "not said"


def _title(stream: Stream) -> str | None:
    return stream.metadata.get("title") or stream.metadata.get("name")


def _chapters(container: InputContainer, first: Fraction, duration: Fraction) -> tuple[Chapter, ...]:
    found = []
    for entry in container.chapters():
        base = entry["time_base"] or Fraction(1, 1000)
        start, end = (min(max(entry[k] * base - first, Fraction(0)), duration) for k in ("start", "end"))
        if start < end:
            found.append(Chapter(start, end, entry["metadata"].get("title", "")))
    return tuple(sorted(found, key=lambda c: c.start))


def _lost(told: Fraction | None, duration: Fraction, rate: Fraction) -> int:
    """How many frames a file lacks, going by the length that it tells; a few are how containers count."""
    lost = 0 if told is None else round((told - duration) * rate)
    return lost if lost > REORDER else 0


def _has_length_tag(container: InputContainer, stream: VideoStream) -> bool:
    """Whether Matroska's tag tells the seconds of picture: a file of which only the first part came may look whole."""
    return "matroska" in container.format.name and not stream.duration and bool(stream.metadata.get("DURATION"))


def told_length(container: InputContainer, stream: VideoStream, first: Fraction) -> Fraction | None:
    """Seconds of picture; the container as a whole may be longer. Matroska counts from 0, not from the first one."""
    if stream.duration and stream.time_base:
        return stream.duration * stream.time_base
    before = max(first, Fraction(0)) if "matroska" in container.format.name else Fraction(0)
    tag = stream.metadata.get("DURATION", "")
    if tag:
        with contextlib.suppress(InputError):
            return parse_length(tag) - before
    return Fraction(container.duration, av.time_base) - before if container.duration else None


def _warnings(path: Path, index: FrameIndex, missing: int) -> tuple[str, ...]:
    if missing:
        lost = f"{missing} of {missing + len(index.ticks)} frames are missing"
        return (f"{path.name} is damaged or cut short: {lost}; using what can be decoded.",)
    if index.cut:
        return (f"{path.name} is cut short; using what is there.",)
    if index.damage:
        return (f"{path.name} is damaged in {index.damage} place(s); using what can be decoded.",)
    return ()


def check_damage(video: Video) -> None:
    """SaffaError for a file of which too much is missing to be shortened; asked before any long work."""
    whole = len(video.ticks) + video.missing
    if video.missing > max(1.0, MOST_DAMAGE * whole):
        raise damaged(video.path.name, MOST_DAMAGE, whole)


def damaged(name: str, share: float, frames: int) -> SaffaError:
    """The error for a video of which too many of the `frames` wanted are missing."""
    return SaffaError(
        f"{name}: more than {share:.0%} of the {frames} frames wanted are missing or cannot be decoded; the file is "
        "damaged, or it changed while it was read. Get it again; --allow-damage writes what is left."
    )


def is_as_it_was(path: Path, stamp: Stamp | None, sha256: str) -> bool:
    """Whether a file still begins with what had that stamp and hash: it may have grown, or only been touched."""
    if stamp is None or stamp_of(path) == stamp:
        return True
    digest, left = hashlib.sha256(), stamp.size
    try:
        with path.open("rb") as file:
            while left > 0 and (piece := file.read(min(left, _PIECE))):
                digest.update(piece)
                left -= len(piece)
    except OSError:
        return False
    return digest.hexdigest() == sha256
