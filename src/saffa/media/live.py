"""A video that is read once, from a file or a pipe: pictures, sound and subtitles as they come."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard
from av.video.stream import VideoStream
from numpy.typing import NDArray

from saffa.core.clock import parse_length
from saffa.core.errors import InputError
from saffa.core.video import Cue, SoundTrack
from saffa.media.container import MEDIA_ERRORS, all_packets, open_movie, picture_stream, watch_only
from saffa.media.feed import Feed
from saffa.media.frame_stream import Picture, Pictures
from saffa.media.pipe import Pipe, is_pipe
from saffa.media.probe import TEXT_SUBTITLES, describe, is_even, told_rates
from saffa.media.rates import FASTEST, MILD, named_rate
from saffa.media.sound.track import lay_out, sound_packets
from saffa.media.subtitles.lines import decode_packet, in_order

_HEAD = 8  # pictures that are looked at before the first is shown, to know the rate
_ODD_FRAMES = 2  # by which a container's count may differ from its length without a variable rate
_UNKNOWN = Fraction(10**9)  # seconds: the end is not known yet


class LiveMovie:
    """An open video. `video` tells all but the frames; `frames` is how many there should be.

    From a pipe everything is read by one reader. From a file, each sound has a reader of its own, because sound and
    picture may lie far apart in it; every stream is still decoded once.
    """

    def __init__(self, path: Path, duration: Fraction | None = None, *, sound: bool = True) -> None:
        self._path = path
        self._pipe = Pipe.of(path) if is_pipe(path) else None
        self._feed: Feed | None = None
        self._container: InputContainer | None = None
        try:
            self._container = self._pipe.open() if self._pipe else open_movie(path)
            self._open(self._container, duration, sound)
        except BaseException:
            self.close()
            raise

    def _open(self, container: InputContainer, duration: Fraction | None, sound: bool) -> None:
        stream = picture_stream(container, self._path)
        packets = self._packets(container, stream, sound)
        rates = told_rates(stream) or [Fraction(25)]
        self._pictures = Pictures(container, stream, packets, rates[0])
        coming = iter(self._pictures)
        head = list(islice(coming, _HEAD))
        if not head:
            raise InputError(f"{self.name} has no picture that can be decoded; it is damaged.")
        rate = _rate(rates, head)
        self._pictures.set_rate(rate, head)
        self._coming = chain(head, coming)
        origin = self._pictures.origin or 0
        first = origin * (stream.time_base or 0)
        self.video = describe(
            container,
            stream,
            head[0].frame,
            path=self._path,
            rate=rate,
            origin=origin,
            ticks=np.zeros(0, np.int64),
            duration=_UNKNOWN,
            container_start=Fraction(container.start_time or 0, av.time_base) - first,
        )
        self.frames = self._expected(container, stream, rate, duration)

    @property
    def name(self) -> str:
        """For messages."""
        return self._pipe.name if self._pipe else str(self._path)

    @property
    def pictures(self) -> Pictures:
        """What is known about the pictures so far."""
        return self._pictures

    @property
    def piped(self) -> bool:
        """Whether it cannot be read again."""
        return self._pipe is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _k: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> Iterator[Picture]:
        return self._coming

    def sound(self, track: SoundTrack) -> Iterator[NDArray[np.float32]]:
        """Samples from the first picture on, without an end: silence follows."""
        origin = self.video.origin * self.video.time_base
        if self._feed is not None:
            yield from lay_out(self._feed.packets(track.index), track, origin)
            return
        with open_movie(self._path) as container:
            yield from lay_out(sound_packets(container, track), track, origin)

    def cues(self) -> list[Cue]:
        """Lines of the first text subtitles that came through the pipe since the last call."""
        if self._feed is None or self._lines is None:
            return []
        first = self.video.origin * self.video.time_base
        found: list[Cue] = []
        for packet in self._feed.so_far(self._lines):
            with contextlib.suppress(*MEDIA_ERRORS):
                found.extend(decode_packet(packet, first))
        return in_order(found)

    @property
    def has_lines(self) -> bool:
        """Whether text subtitles come through the pipe."""
        return self._lines is not None

    def sha256(self) -> str | None:
        """Of what came through the pipe; None for a file, which can be read again."""
        if self._pipe is None:
            return None
        self.stop_reading()
        return self._pipe.sha256()

    def stop_reading(self) -> None:
        """The reader of a pipe ends; what has been read stays."""
        if self._feed is not None:
            self._feed.close()

    def call_off(self) -> None:
        """Whoever waits for more gets the end. What is open stays open: others may be reading from it."""
        if self._pipe is not None:
            self._pipe.stop()
        self.stop_reading()

    def close(self) -> None:
        """Also in the middle, but only when nobody reads from it any more: libav would crash."""
        self.call_off()
        if self._container is not None:
            with contextlib.suppress(*MEDIA_ERRORS):
                self._container.close()
        if self._pipe is not None:
            self._pipe.close()

    def _packets(
        self, container: InputContainer, stream: VideoStream, sound: bool
    ) -> Iterator[Packet[VideoStream] | Fraction]:
        self._lines = None
        watch_only(container, stream)
        if self._pipe is None:
            return all_packets(container, stream)
        sounds = [s.index for s in container.streams.audio if sound and s.codec_context is not None and s.rate]
        known = [s for s in container.streams.subtitles if s.codec_context is not None]
        texts = [s.index for s in known if s.codec_context.codec.canonical_name in TEXT_SUBTITLES]
        self._lines = texts[0] if texts else None
        for other in container.streams:
            other.discard = Discard.default
        self._feed = Feed(container, stream.index, sounds, texts[:1])
        return self._feed.packets(stream.index)

    def _expected(self, container: InputContainer, stream: VideoStream, rate: Fraction, told: Fraction | None) -> int:
        """How many frames there should be: as told, as the container counts them, or by its length.

        With a variable rate, which is seen by both, it is slots that count: those of the length.
        """
        if told is not None:
            return max(1, round(told * rate))
        # A fragmented mp4 in a pipe knows the fragments that have come, and no more.
        partial = self._pipe is not None and "mp4" in container.format.name
        first = self.video.origin * self.video.time_base
        if stream.frames > 0:
            lasts = (stream.duration or 0) * (stream.time_base or 0)
            mean = abs(stream.frames - lasts * rate) <= _ODD_FRAMES or not lasts
            return stream.frames if mean else max(1, round(lasts * rate))
        seconds = None if partial else _told_length(container, stream, first)
        if seconds is None:
            raise InputError(f"{self.name} does not tell how long the video is. Say it with --duration, e.g. 12:30.")
        return max(1, round(seconds * rate))


def _told_length(container: InputContainer, stream: VideoStream, first: Fraction) -> Fraction | None:
    """Seconds of picture; the container as a whole may be longer. Matroska counts from 0, not from the first one."""
    if stream.duration and stream.time_base:
        return stream.duration * stream.time_base
    before = max(first, Fraction(0)) if "matroska" in container.format.name else Fraction(0)
    tag = stream.metadata.get("DURATION", "")
    if tag:
        with contextlib.suppress(InputError):
            return parse_length(tag) - before
    return Fraction(container.duration, av.time_base) - before if container.duration else None


def _rate(rates: Sequence[Fraction], head: Sequence[Picture]) -> Fraction:
    """The first rate that the first pictures keep; if none, one near their usual distance, or the mean one.

    If their usual distance is not the mean one, the rate is variable: then the finest of all these, within reason.
    """
    micros = np.array([round(picture.time * av.time_base) for picture in head], np.int64)
    for rate in rates:
        if is_even(micros, Fraction(1, av.time_base), rate):
            return rate
    mean = rates[min(1, len(rates) - 1)]  # told_rates: guessed, average, …
    usual = av.time_base / float(np.median(np.diff(micros)))
    if abs(usual / mean - 1) > MILD - 1:
        return max(r for r in (*rates, named_rate(usual, rates), mean) if r <= max(mean, min(FASTEST, 2 * mean)))
    near = (r for r in rates if abs(r / usual - 1) < 0.02 and abs(r / mean - 1) < 0.1)
    return next(near, mean)
