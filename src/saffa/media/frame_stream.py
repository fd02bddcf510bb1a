"""The pictures of a video in one pass: each with its true index and time, decoded only where somebody may look."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count

from av import VideoFrame
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.video import ON_GRID
from saffa.media.container import MEDIA_ERRORS
from saffa.media.index import PLAIN, REORDER, SLOTTED, TIMED

_JUMP = 10  # seconds: a time stamp further away is a broken clock, and time goes on by one frame instead


@dataclass(frozen=True, eq=False)
class Picture:
    """A decoded frame: its index and its time in seconds, both counted from the first one."""

    index: int
    time: Fraction
    frame: VideoFrame


class Pictures:
    """Iterate to get the pictures in order. Where time stamps cannot be believed, pictures are counted.

    `wanted` may be moved on while the pictures come: those that end before it are not needed, and where the codec
    says so (H.264, `nal_ref_idc` 0) not even decoded. They still count.
    """

    def __init__(
        self,
        container: InputContainer,
        stream: VideoStream,
        packets: Iterator[Packet[VideoStream] | Fraction],
        rate: Fraction,
    ) -> None:
        self._stream, self._packets, self._rate = stream, packets, rate
        self._base = stream.time_base or 1 / rate
        name = stream.codec_context.name
        self._timed = container.format.name in TIMED and name in PLAIN  # a packet is a picture, and has its time
        self._counted = container.format.name in SLOTTED
        self._skips = self._timed and name == "h264"
        self.wanted = Fraction(0)
        self.origin: int | None = None
        self.frames = 0
        """Pictures seen so far, also those that were not decoded."""
        self.uneven = False
        """Whether some picture was off the grid of constant rate."""
        self.damage = 0
        """Packets that could not be decoded, and pictures that were decoded in part."""
        self._ahead: list[int] = []  # time stamps of packets whose pictures have not come out yet
        self._due: list[int] = []  # time stamps of pictures that should still come
        self._turn = count()
        self._held: list[tuple[int, int, VideoFrame]] = []  # came before their turn
        self._latest, self._latest_length, self._gap = Fraction(-1), Fraction(0), 1 / rate
        self._shift = Fraction(0)

    def set_rate(self, rate: Fraction, seen: Sequence[Picture]) -> None:
        """A better guess, after the first pictures."""
        self._rate = rate
        self.uneven = any(abs(picture.time * rate - picture.index) > ON_GRID for picture in seen)

    @property
    def end(self) -> Fraction:
        """Where the video ends, going by the pictures seen so far."""
        usual, length = 1 / self._rate, self._latest_length
        known = self.uneven and 0 < length <= max(10 * usual, Fraction(10))
        return max(self._latest, Fraction(0)) + (length if known else usual)

    def __iter__(self) -> Iterator[Picture]:
        for packet in self._packets:
            if isinstance(packet, Fraction) or not packet.size:
                continue
            needed = not self._skips or self._needed(packet)
            if self._skips:
                self._stream.codec_context.skip_frame = "DEFAULT" if needed else "NONREF"
            if packet.pts is not None and not packet.is_discard and not self._counted:
                if self._timed:
                    insort(self._ahead, packet.pts)
                if needed:
                    insort(self._due, packet.pts)
            yield from self._placed(packet)
        yield from self._placed(None)
        self._due.clear()
        yield from self._in_order()
        self._count_skipped()

    def _needed(self, packet: Packet[VideoStream]) -> bool:
        if packet.pts is None or self.origin is None:
            return True
        if self._time(packet.pts) >= self.wanted - Fraction(3, 2) * self._gap:
            return True
        # It may stay on screen until the next one that is known already, however long that takes.
        following = bisect_right(self._ahead, packet.pts)
        return following < len(self._ahead) and self._time(self._ahead[following]) > self.wanted

    def _placed(self, packet: Packet[VideoStream] | None) -> Iterator[Picture]:
        try:
            frames = self._stream.codec_context.decode(packet)
        except MEDIA_ERRORS:
            self.damage += 1
            return
        for frame in frames:
            self.damage += frame.is_corrupt
            stamp = frame.pts
            if stamp is None or self._counted:
                yield from self._shown(frame)
                continue
            at = bisect_left(self._due, stamp)
            if self._due[at : at + 1] == [stamp]:
                del self._due[at]
            heappush(self._held, (stamp, next(self._turn), frame))
            yield from self._in_order()

    def _in_order(self) -> Iterator[Picture]:
        """Decoders give pictures nearly, not always, in order: hold one while an earlier one is still due."""
        while self._held and (not self._due or self._held[0][0] < self._due[0] or len(self._held) > REORDER):
            stamp, _, frame = heappop(self._held)
            del self._due[: bisect_left(self._due, stamp)]  # never came
            yield from self._shown(frame)

    def _shown(self, frame: VideoFrame) -> Iterator[Picture]:
        placed = self._place(frame)
        if placed is not None:
            yield placed

    def _place(self, frame: VideoFrame) -> Picture | None:
        """Index and time of a frame; None for one that comes too late to be shown."""
        if self.origin is None:
            self.origin = frame.pts or 0
        if self._timed and frame.pts is not None:
            before = bisect_left(self._ahead, frame.pts)
            self._note([self._time(stamp) for stamp in self._ahead[:before]])
            del self._ahead[: before + (self._ahead[before : before + 1] == [frame.pts])]
            time = self._time(frame.pts)
        else:
            time = self._counted_time(frame)
        if time <= self._latest:
            return None
        self._note([time])
        self._latest_length = (frame.duration or 0) * self._base
        return Picture(self.frames - 1, time, frame)

    def _time(self, stamp: int) -> Fraction:
        return (stamp - (self.origin or 0)) * self._base

    def _counted_time(self, frame: VideoFrame) -> Fraction:
        """The time stamp, unless there is none, or none to be believed, or (AVI) it belongs to another picture."""
        following = Fraction(self.frames) / self._rate if self._counted else self._latest + 1 / self._rate
        if self.frames == 0:
            return Fraction(0)
        if self._counted or frame.pts is None or self.origin is None:
            return following
        time = (frame.pts - self.origin) * self._base + self._shift
        if abs(time - following) > _JUMP:
            self._shift += following - time
            return following
        return time

    def _note(self, times: list[Fraction]) -> None:
        """Count pictures in the order of their times, decoded or not."""
        for time in times:
            self.uneven = self.uneven or abs(time * self._rate - self.frames) > ON_GRID
            if self.frames:
                self._gap = max(self._gap, time - self._latest)
            self._latest = time
            self.frames += 1

    def _count_skipped(self) -> None:
        """The last pictures may have been skipped."""
        self._note([self._time(stamp) for stamp in self._ahead])
        self._ahead.clear()
