"""A sound track as one gapless run of samples on the picture's clock, and `spliced`: without what is cut out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard

from saffa.core.timeline import Splice
from saffa.core.types import Floats
from saffa.core.video import SoundTrack, Video
from saffa.media.container import MEDIA_ERRORS, all_packets, open_movie

TOLERANCE = Fraction(20, 1000)  # seconds a time stamp may be off before it is believed, not the sample count
FADE = Fraction(3, 1000)  # seconds of fade on either side of a correction, so that it does not click
LOUDEST = 4.0  # damaged packets of float codecs can decode to anything; honest sound stays below +12 dB
SILENT_BLOCK = 1 << 16  # samples of silence given away at once
PLANES = 8  # AV_NUM_DATA_POINTERS
PLAIN = {name + planar for name in ("u8", "s16", "s32", "flt", "dbl") for planar in ("", "p")}
FULL_SCALE = {"uint8": 128.0, "int16": 2.0**15, "int32": 2.0**31}


def read_sound(video: Video, track: SoundTrack) -> Iterator[Floats]:
    """Blocks (n, channels) of the track at its own rate, from the first picture to `video.duration`.

    Sample k of all blocks together sounds k / rate seconds after the first picture is shown. The first time stamp
    decides where the sound starts. After that samples follow each other, and only a time stamp more than 20 ms
    away from the sample count is obeyed: a gap becomes silence, an overlap is cut. Packets that do not decode
    are silent.
    """
    total = round(video.duration * track.rate)
    with open_movie(video.path) as container:
        yield from lay_out(sound_packets(container, track), track, video.origin * video.time_base, total)


def lay_out(
    packets: Iterator[Packet[AudioStream]], track: SoundTrack, origin: Fraction, total: int
) -> Iterator[Floats]:
    """`total` samples of the packets of a track; `origin` is the container's time of the first picture."""
    line = _Line(track.rate, track.channels, total)
    for time, samples in _decoded(packets, track):
        at = None if time is None else round((time - origin) * track.rate)
        yield from line.put(samples, at)
        if line.full:
            break
    yield from line.finish()


class _Line:
    """Lays pieces of sound on a line of exactly `total` samples. Holds a few ms back in case they must fade."""

    def __init__(self, rate: int, channels: int, total: int) -> None:
        self._total = total
        self._tolerance, self._fade = round(TOLERANCE * rate), max(1, round(FADE * rate))
        self._held = np.zeros((0, channels), np.float32)
        self._end: int | None = None  # where the sound goes on; None before the first piece
        self._lost = False  # the last piece was cut away whole: the next one must be placed exactly
        self._given = 0

    @property
    def full(self) -> bool:
        """Whether the line has reached its end."""
        return self._end is not None and self._end >= self._total

    def put(self, samples: Floats, at: int | None) -> Iterator[Floats]:
        """Add a piece that should start at sample `at`; None: right after the piece before."""
        if at is not None and at >= self._total:  # not for us, or a broken time stamp
            return
        if self._end is None:
            self._end = at or 0
        near = at is None or abs(at - self._end) <= (0 if self._lost else self._tolerance)
        start = self._end if near or at is None else at
        corrected = start != self._end
        if start < self._end:
            samples, start = samples[self._end - start :], self._end
        self._lost = corrected and len(samples) == 0
        if len(samples) == 0:
            return
        if corrected:
            samples = samples * _ramp(len(samples), self._fade)
            yield from self._fade_out()
        yield from self._silence(start - len(self._held))
        self._end = start + len(samples)
        ready = np.concatenate([self._held, samples[max(0, -start) :]])
        kept = max(0, len(ready) - self._fade)
        self._held = ready[kept:]
        yield from self._give(ready[:kept])

    def finish(self) -> Iterator[Floats]:
        """What was held back, and silence up to the end."""
        yield from self._give(self._held) if self.full else self._fade_out()
        yield from self._silence(self._total)

    def _fade_out(self) -> Iterator[Floats]:
        yield from self._give(self._held * _ramp(len(self._held), self._fade)[::-1])
        self._held = self._held[:0]

    def _silence(self, until: int) -> Iterator[Floats]:
        while self._given < min(until, self._total):
            count = min(SILENT_BLOCK, min(until, self._total) - self._given)
            yield from self._give(np.zeros((count, self._held.shape[1]), np.float32))

    def _give(self, samples: Floats) -> Iterator[Floats]:
        samples = samples[: self._total - self._given]
        self._given += len(samples)
        if len(samples):
            yield samples


def _ramp(length: int, fade: int) -> Floats:
    """A column that rises from 0 to 1 in `fade` samples and stays there."""
    return np.minimum((np.arange(length, dtype=np.float32)[:, None] + 1) / (fade + 1), 1)


def _decoded(packets: Iterator[Packet[AudioStream]], track: SoundTrack) -> Iterator[tuple[Fraction | None, Floats]]:
    """Time and samples of everything that decodes, in the track's own rate and channels."""
    shape = _Shape(track)
    for packet in packets:
        try:
            frames = packet.decode()
        except MEDIA_ERRORS:  # the gap it leaves becomes silence
            continue
        for frame in frames:
            if isinstance(frame, AudioFrame):
                pts, tick = frame.pts, frame.time_base
                time = None if pts is None or tick is None else pts * tick
                for samples in shape.of(frame):
                    yield time, samples
                    time = None
    for samples in shape.rest():
        yield None, samples


def sound_packets(container: InputContainer, track: SoundTrack) -> Iterator[Packet[AudioStream]]:
    """Packets of the track; goes on after a read error, as damaged files often do."""
    stream = container.streams[track.index]
    if not isinstance(stream, AudioStream):
        return
    for other in container.streams:
        if other.index != track.index:
            other.discard = Discard.all
    yield from all_packets(container, stream)


class _Shape:
    """Turns decoded frames into float samples (n, channels), also when the stream changes half-way."""

    def __init__(self, track: SoundTrack) -> None:
        self._track = track
        self._from: tuple[str, str, int] | None = None  # what the resampler takes
        self._resampler: AudioResampler | None = None

    def of(self, frame: AudioFrame) -> Iterator[Floats]:
        """Samples of the frame, perhaps after some of earlier ones that a resampler kept."""
        channels = frame.layout.nb_channels
        alike = (frame.sample_rate, channels) == (self._track.rate, self._track.channels)
        # PyAV looks for a NULL behind the planes; libav has room for eight, and eight leave none (it crashes).
        readable = frame.format.name in PLAIN and not (frame.format.is_planar and channels >= PLANES)
        if alike and readable:
            yield from self.rest()
            yield _floats(frame)
            return
        kind = (frame.format.name, frame.layout.name, frame.sample_rate)
        if kind != self._from:
            yield from self.rest()
            self._resampler = AudioResampler("flt", self._track.layout, self._track.rate)
            self._from = kind
        yield from self._resample(frame)

    def rest(self) -> Iterator[Floats]:
        """What the resampler still keeps; it is put away."""
        yield from self._resample(None)
        self._resampler = self._from = None

    def _resample(self, frame: AudioFrame | None) -> Iterator[Floats]:
        if self._resampler is None:
            return
        try:
            frames = self._resampler.resample(frame)
        except MEDIA_ERRORS:  # a frame as damaged as that is silent
            return
        for resampled in frames:
            yield _floats(resampled)


def _floats(frame: AudioFrame) -> Floats:
    """Samples (n, channels) in -1 .. 1."""
    raw = frame.to_ndarray()
    raw = raw.T if frame.format.is_planar else raw.reshape(-1, frame.layout.nb_channels)
    samples = raw.astype(np.float32)
    scale = FULL_SCALE.get(raw.dtype.name)
    if scale is not None:
        samples -= np.float32(scale if raw.dtype.name == "uint8" else 0)
        samples *= np.float32(1 / scale)
    elif not np.abs(samples).max(initial=0) <= LOUDEST:  # also true for NaN
        samples = np.clip(np.nan_to_num(samples), -LOUDEST, LOUDEST)
    return np.ascontiguousarray(samples)


CROSS_FADE = Fraction(1, 50)
"""Seconds of a cross-fade; half of it lies on either side of the cut, as in editing programs."""


def spliced(blocks: Iterable[Floats], rate: int, splice: Splice) -> Iterator[Floats]:
    """The blocks (n, channels) without what is cut; sample k of all blocks together is at source time k / rate."""
    source = _SplicedBlocks(blocks)
    for start, end, half in _joints(splice, rate):
        yield from source.until(start - half)
        going = source.take(start + half)
        source.drop(end - half)
        coming = source.take(end + half)
        if len(coming) < len(going):  # the sound ends here
            coming = np.concatenate([coming, np.zeros_like(going[len(coming) :])])
        fade = np.sin(np.pi / 2 * (np.arange(len(going)) + 0.5) / max(len(going), 1))[:, None] ** 2
        yield (going + (coming[: len(going)] - going) * fade).astype(np.float32)
    yield from source.rest()


def _joints(splice: Splice, rate: int) -> list[tuple[int, int, int]]:
    """Start and end of each cut in samples, and half the length of its cross-fade, which must fit between cuts."""
    cuts = [(round(start * rate), round(end * rate)) for start, end in splice.cuts]
    edges = [0, *(edge for cut in cuts for edge in cut)]
    rooms = [b - a for a, b in pairwise(edges)]  # sound before each cut, and the cut itself, in turn
    after = [*rooms[2::2], 1 << 62]
    around = zip(rooms[::2], rooms[1::2], after, strict=True)
    halves = (min(round(CROSS_FADE * rate / 2), *(room // 2 for room in three)) for three in around)
    return [(start, end, half) for (start, end), half in zip(cuts, halves, strict=True)]


class _SplicedBlocks:
    """Blocks of sound as one stream, read in order."""

    def __init__(self, blocks: Iterable[Floats]) -> None:
        self._blocks, self._at = iter(blocks), 0
        self._left: Floats | None = None
        self._none = np.zeros((0, 1), np.float32)

    def until(self, end: int) -> Iterator[Floats]:
        """The samples from where reading stands up to `end`, in blocks."""
        while self._at < end:
            if self._left is None:
                self._left = next(self._blocks, None)
                if self._left is None:
                    return
                self._none = self._left[:0]  # as many channels as the sound has
            part, rest = self._left[: end - self._at], self._left[end - self._at :]
            self._at += len(part)
            self._left = rest if len(rest) else None
            yield part

    def take(self, end: int) -> Floats:
        """These samples as one block."""
        parts = list(self.until(end))
        return np.concatenate(parts) if parts else self._none

    def drop(self, end: int) -> None:
        """Read up to `end` and forget it."""
        for _ in self.until(end):
            pass

    def rest(self) -> Iterator[Floats]:
        """Everything that is left."""
        yield from self.until(1 << 62)
