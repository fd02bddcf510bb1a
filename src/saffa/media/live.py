"""A video that is read once, from a file or a pipe: pictures as they come, in slots; sound and subtitles for later."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard, Stream
from av.video.stream import VideoStream

from saffa.core.errors import InputError
from saffa.core.timeline import Source
from saffa.core.types import Floats
from saffa.core.video import ON_GRID, Cue, SoundTrack
from saffa.core.whole_file import stamp_of
from saffa.media.container import MEDIA_ERRORS, STDIN, all_packets, is_pipe, open_movie, picture_stream, watch_only
from saffa.media.frame_stream import DecodedFrame, FrameStream
from saffa.media.index import REORDER, is_torn, lacks_bytes
from saffa.media.packet_spool import PacketSpool
from saffa.media.pipe import Pipe
from saffa.media.probe import FASTEST, MILD, TEXT_SUBTITLES, describe, is_even, named_rate, told_length, told_rates
from saffa.media.sound.track import lay_out
from saffa.media.subtitles.lines import decode_packet, in_order

_HEAD = 8  # pictures that are looked at before the first is shown, to know the rate
_ODD_FRAMES = 2  # by which a container's count may differ from its length without a variable rate
_MICROSECOND = Fraction(1, 10**6)
_UNKNOWN = Fraction(10**9)  # seconds: the end is not known yet


class LiveMovie:
    """An open video. `video` tells all but the frames; `frames` is how many there should be.

    `spool` is a folder for the sound, which waits there while the pictures are read; without one, sound is left out.
    """

    def __init__(self, path: Path, duration: Fraction | None = None, spool: Path | None = None) -> None:
        self._path, self._stamp = path, stamp_of(path)
        self._pipe = Pipe.of(path) if is_pipe(path) else None
        self._sounds: dict[int, PacketSpool] = {}
        self._lines: Stream | None = None
        self._cues: list[Cue] = []
        self._container: InputContainer | None = None
        try:
            self._container = self._pipe.open() if self._pipe else open_movie(path)
            self._open(self._container, duration, spool)
        except BaseException:
            self.close()
            raise

    def _open(self, container: InputContainer, duration: Fraction | None, spool: Path | None) -> None:
        stream = picture_stream(container, self._path)
        rates = told_rates(stream) or [Fraction(25)]
        self.pictures = FrameStream(container, stream, self._picture_packets(container, stream, spool), rates[0])
        coming = iter(self.pictures)
        head = list(islice(coming, _HEAD))
        if not head:
            raise InputError(f"{self.name} has no picture that can be decoded; it is damaged.")
        rate = starting_rate(rates, [picture.time for picture in head])
        self.pictures.set_rate(rate, head)
        self._coming = chain(head, coming)
        origin = self.pictures.origin or 0
        first = head[0].frame
        self.video = describe(container, stream, first, path=self._path, rate=rate, origin=origin, duration=_UNKNOWN)
        self.frames = self._expected(container, stream, rate, duration)
        self.tells_length = duration is None and (stream.frames > 0 or "matroska" in container.format.name)
        """Whether the video itself says how long it is; other containers only let it be guessed."""
        self._promised = stream.frames if duration is None else 0

    @property
    def name(self) -> str:
        """The video's name in messages."""
        return self._pipe.name if self._pipe else str(self._path)

    @property
    def piped(self) -> bool:
        """Whether it cannot be read again."""
        return self._pipe is not None

    @property
    def lost(self) -> int:
        """How many frames did not come, as far as the video tells; after all pictures were read."""
        pictures = self.pictures
        late = self.frames - round(pictures.end * self.video.rate) if self.tells_length else 0
        fewer = self._promised - pictures.frames
        torn = pictures.skipped > 0 and (pictures.damage > 0 or (not self.piped and is_torn(self._path)))
        return max(late, fewer if fewer > REORDER else 0, pictures.skipped if torn else 0)

    @property
    def is_cut(self) -> bool:
        """Whether the file is shorter than it says."""
        return not self.piped and lacks_bytes(self._path)

    @property
    def changed(self) -> bool:
        """Whether the file was written to or exchanged since it was opened; it may grow."""
        now, then = stamp_of(self._path), self._stamp
        if self.piped or now == then:
            return False
        return now is None or then is None or now.place != then.place or now.size <= then.size

    @property
    def has_lines(self) -> bool:
        """Whether text subtitles come through the pipe."""
        return self._lines is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _k: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> Iterator[DecodedFrame]:
        return self._coming

    def cues(self) -> list[Cue]:
        """Lines of the first text subtitles that came through the pipe since the last call."""
        found, self._cues = self._cues, []
        first = self.video.origin * self.video.time_base
        return in_order([Cue(cue.start - first, cue.end - first, cue.text) for cue in found])

    def sound(self, track: SoundTrack, end: Fraction) -> Iterator[Floats]:
        """Blocks of samples (n, channels) from the first picture to `end`; after all pictures were read."""
        assert self._container is not None
        packets = self._sounds[track.index].packets(self._container.streams[track.index])
        origin = self.video.origin * self.video.time_base
        return lay_out(packets, track, origin, round(end * track.rate))

    def source(self, end: Fraction) -> Source:
        """Name, hash and length of what was read; a pipe is read to its end for that."""
        frames, rate = self.pictures.frames, self.video.rate
        if self._pipe is None:
            return Source.of_file(self._path, frames, rate, end)
        return Source(STDIN, self._pipe.sha256(), frames, rate, end)

    def close(self) -> None:
        """Let go of the video, also in the middle."""
        for spool in self._sounds.values():
            spool.close()
        if self._container is not None:
            with contextlib.suppress(*MEDIA_ERRORS):
                self._container.close()
        if self._pipe is not None:
            self._pipe.close()

    def _picture_packets(
        self, container: InputContainer, stream: VideoStream, spool: Path | None
    ) -> Iterator[Packet[Any]]:
        """Packets of the picture; those of sound and subtitles are kept on the way."""
        watch_only(container, stream)
        if spool is not None:
            heard = [s.index for s in container.streams.audio if s.codec_context is not None and s.rate]
            self._sounds = {index: PacketSpool(spool) for index in heard}
        if self._pipe is not None:
            known = (s for s in container.streams.subtitles if s.codec_context is not None)
            self._lines = next((s for s in known if s.codec_context.codec.canonical_name in TEXT_SUBTITLES), None)
        for other in container.streams:
            if other.index in self._sounds or (self._lines is not None and other.index == self._lines.index):
                other.discard = Discard.default
        return self._sorted(all_packets(container), stream.index)

    def _sorted(self, packets: Iterator[Packet[Any]], picture: int) -> Iterator[Packet[Any]]:
        for packet in packets:
            if packet.stream_index == picture:
                yield packet
            elif packet.stream_index in self._sounds:
                self._sounds[packet.stream_index].add(packet)
            elif self._lines is not None and packet.stream_index == self._lines.index:
                with contextlib.suppress(*MEDIA_ERRORS):
                    self._cues += decode_packet(packet, Fraction(0))

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
        seconds = None if partial else told_length(container, stream, first)
        if seconds is None:
            raise InputError(f"{self.name} does not tell how long the video is. Say it with --duration, e.g. 12:30.")
        return max(1, round(seconds * rate))


def starting_rate(told: Sequence[Fraction], times: Sequence[Fraction]) -> Fraction:
    """The rate of a video of which only the first pictures are known, by their times and what the container tells.

    The first told rate that the pictures keep; if none, one near their usual distance, or the mean one. If their usual
    distance is not the mean one, the rate is variable: then the finest of all these, within reason.
    """
    micros = np.array([round(time / _MICROSECOND) for time in times], np.int64)
    for rate in told:
        if is_even(micros, _MICROSECOND, rate):
            return rate
    mean = told[min(1, len(told) - 1)]  # told_rates: guessed, average, …
    usual = 10**6 / float(np.median(np.diff(micros)))
    if abs(usual / mean - 1) > MILD - 1:
        return max(r for r in (*told, named_rate(usual, told), mean) if r <= max(mean, min(FASTEST, 2 * mean)))
    near = (r for r in told if abs(r / usual - 1) < 0.02 and abs(r / mean - 1) < 0.1)
    return next(near, mean)


class LiveSlots:
    """Slots of constant rate of a video that is being read: which picture is on screen in each, in order.

    The first picture that is not more than a quarter of a slot off is the slot's own; if there is none, the last one
    before. `Video.shown_between` has the same rule for a video whose times are all known.
    """

    def __init__(self, pictures: FrameStream, coming: Iterator[DecodedFrame], rate: Fraction) -> None:
        self._pictures, self._coming, self._rate = pictures, coming, rate
        self._buffer: deque[DecodedFrame] = deque()

    def shown(self, slot: int) -> DecodedFrame | None:
        """The picture on screen in a slot, which may be that of the slot before; None behind the end."""
        self._pictures.wanted = slot / self._rate
        if not self._has(0):
            return None
        while self._goes_on(slot, 0):
            self._buffer.popleft()
        return None if self._ended(slot, 0) else self._buffer[0]

    def ahead(self, slot: int, window: int) -> list[DecodedFrame]:
        """The pictures in `window` slots from the one shown last, fewer where the video ends."""
        found: list[DecodedFrame] = []
        at = 0
        for later in range(slot, slot + window):
            while self._goes_on(later, at):
                at += 1
            if self._ended(later, at):
                break
            found.append(self._buffer[at])
        return found

    def moment(self, slot: int, picture: DecodedFrame) -> Fraction:
        """The source time of a slot: while the rate is constant that of its picture, whose time stamp is rounded."""
        time = slot / self._rate
        own = abs(picture.time - time) <= ON_GRID / self._rate
        return picture.time if own and not self._pictures.uneven else time

    def _goes_on(self, slot: int, at: int) -> bool:
        """Whether a slot shows a later picture than that one of the buffer."""
        early, late = (slot - ON_GRID) / self._rate, (slot + ON_GRID) / self._rate
        return self._buffer[at].time < early and self._has(at + 1) and self._buffer[at + 1].time <= late

    def _ended(self, slot: int, at: int) -> bool:
        """Whether a slot lies behind the last picture; less than half a slot is none, the one before stands for it."""
        if self._buffer[at].time >= (slot - ON_GRID) / self._rate or self._has(at + 1):
            return False
        return slot / self._rate > self._pictures.end - 1 / (2 * self._rate)

    def _has(self, at: int) -> bool:
        while at >= len(self._buffer):
            picture = next(self._coming, None)
            if picture is None:
                return False
            self._buffer.append(picture)
        return True
