"""The frames of a video in one sequential decode: in order, each with its true index, decoded only where needed."""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count, islice

import numpy as np
from av import VideoFrame
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.errors import SaffaError
from saffa.core.types import Ints, Rgb
from saffa.core.video import ON_GRID, Video
from saffa.media.container import TIMED, Decode, open_movie, picture_stream, turn_of, watch_only
from saffa.media.index import HOLE, HOLES, PLAIN, REORDER, SLOTTED
from saffa.media.probe import damaged

MOST_MISSING = 0.5
"""Share of the wanted frames for which another may stand in where pictures are only looked at."""
_JUMP = 10  # seconds: a time stamp further away is a broken clock, and time goes on by one frame instead


@dataclass(frozen=True, eq=False)
class DecodedFrame:
    """Frame `index` of a video, `time` seconds after the first; `rotation` degrees clockwise turn it upright."""

    index: int
    frame: VideoFrame = field(repr=False)
    rotation: int = 0
    time: Fraction = Fraction(0)

    def rgb(self) -> Rgb:
        """The picture (H, W, 3) as it is shown. Costs a conversion: ask once."""
        return upright(self.frame, self.rotation)


def upright(frame: VideoFrame, rotation: int) -> Rgb:
    """The picture (H, W, 3) as it is shown: turned clockwise by `rotation` degrees."""
    rgb: Rgb = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
    return np.ascontiguousarray(np.rot90(rgb, -rotation // 90 % 4)) if rotation else rgb


def read_frames(
    video: Video,
    wanted: Iterable[int] | None = None,
    *,
    warn: Callable[[str], None] | None = None,
    most_missing: float = MOST_MISSING,
) -> Iterator[tuple[int, VideoFrame]]:
    """Yield (index, frame) for every wanted index of a probed video, in order; None means all frames.

    Every wanted index is answered. If the decoder gives no picture for one (damage), the nearest one that it did give
    stands in, and `warn` hears about it once at the end; SaffaError as soon as that holds for more than `most_missing`
    of them (one frame is never too many).
    In a `ConstantRateVideo` indices are slots, and several may be answered by the same picture.
    """
    slots = np.arange(video.frames) if wanted is None else np.array(list(wanted), np.int64)
    if not len(slots):
        return
    if np.any(np.diff(slots) <= 0) or slots[0] < 0 or slots[-1] >= video.frames:
        raise ValueError("wanted frames must be strictly increasing indices of the video")
    indices, counts = np.unique(video.on_screen(slots), return_counts=True)
    answers = iter(slots.tolist())
    substituted = 0
    for (frame, exact), times in zip(_filled(_numbered(video, indices), indices), counts.tolist(), strict=True):
        substituted += not exact
        if substituted > max(1.0, most_missing * len(indices)):
            raise damaged(video.path.name, most_missing, len(indices))
        for slot in islice(answers, times):
            yield slot, frame
    if substituted:
        (warn or logging.getLogger(__name__).warning)(
            f"{video.path.name}: {substituted} frames could not be decoded; the nearest picture stands in."
        )


def _numbered(video: Video, indices: Ints) -> Iterator[tuple[int, VideoFrame]]:
    """Decoded frames with their index in the file, in order; may skip those that are not among `indices`."""
    wanted = set(video.ticks[indices].tolist())
    with open_movie(video.path) as container:
        stream = picture_stream(container, video.path)
        watch_only(container, stream)
        if video.counted:
            yield from zip(range(len(video.ticks)), Decode(container, stream).frames(), strict=False)
            return
        decode = Decode(container, stream, lambda p: p.pts is None or p.pts - video.origin in wanted, final=True)
        order = _Order(indices.tolist())
        for frame in decode.frames():
            if frame.pts is not None:
                tick = frame.pts - video.origin
                index = int(np.searchsorted(video.ticks, tick))
                if index < len(video.ticks) and video.ticks[index] == tick:
                    yield from order.put(index, frame)
        yield from order.rest()


def _filled(numbered: Iterator[tuple[int, VideoFrame]], indices: Ints) -> Iterator[tuple[VideoFrame, bool]]:
    """A frame for each index: its own, or the nearest one, and whether it is its own."""
    waiting = deque(indices.tolist())
    last: tuple[int, VideoFrame] | None = None
    for index, frame in numbered:
        while waiting and waiting[0] < index:
            want = waiting.popleft()
            nearer = last is not None and want - last[0] <= index - want
            yield (last[1] if last is not None and nearer else frame), False
        if waiting and waiting[0] == index:
            waiting.popleft()
            yield frame, True
        if not waiting:
            return
        last = (index, frame)
    if last is None:
        raise SaffaError("the video has no picture that can be decoded; the file changed or is damaged.")
    for _ in waiting:
        yield last[1], False


class _Order:
    """Puts frames in order: decoders give them nearly, not always, so. One is held while an earlier one is due."""

    def __init__(self, due: Iterable[int] = ()) -> None:
        self._due = deque(due)
        self._held: list[tuple[int, int, VideoFrame]] = []
        self._turn = count()

    def expect(self, key: int) -> None:
        """A frame of that key should come."""
        insort(self._due, key)

    def put(self, key: int, frame: VideoFrame) -> Iterator[tuple[int, VideoFrame]]:
        """Add a frame; gives all whose turn has come."""
        heappush(self._held, (key, next(self._turn), frame))
        while self._held and (not self._due or self._held[0][0] <= self._due[0] or len(self._held) > REORDER):
            yield self._next()

    def rest(self) -> Iterator[tuple[int, VideoFrame]]:
        """The frames that are left at the end."""
        while self._held:
            yield self._next()

    def _next(self) -> tuple[int, VideoFrame]:
        key, _, frame = heappop(self._held)
        while self._due and self._due[0] <= key:  # it is here, or never came
            self._due.popleft()
        return key, frame


class FrameStream:
    """Frames of a video that is read once, in order. Where time stamps cannot be believed, frames are counted.

    `wanted` (seconds) may be moved on while the frames come: those that end before it are not needed, and where the
    codec guarantees that nothing needed refers to them not even decoded. They still count.
    """

    def __init__(
        self, container: InputContainer, stream: VideoStream, packets: Iterator[Packet[VideoStream]], rate: Fraction
    ) -> None:
        name, kind = stream.codec_context.name, container.format.name
        self._timed = kind in TIMED and name in PLAIN  # a packet is a picture, and has its time
        self._counted = kind in SLOTTED
        self._decode = Decode(container, stream, self._expect, packets)
        self._rate, self._base = rate, stream.time_base or 1 / rate
        self.wanted = Fraction(0)
        self.origin: int | None = None
        """Time stamp of the first frame."""
        self.frames = 0
        """Frames seen so far, also those that were not decoded."""
        self.uneven = False
        """Whether some frame was off the grid of constant rate."""
        self._corrupt = self._rotation = self._holes = self._skipped = 0
        self._ahead: list[int] = []  # time stamps of packets whose frames have not come out yet
        self._order = _Order()
        self._latest, self._latest_length, self._gap = Fraction(-1), Fraction(0), 1 / rate
        self._shift = Fraction(0)

    @property
    def damage(self) -> int:
        """Packets that could not be decoded, and frames that were decoded in part."""
        return self._decode.damage + self._corrupt

    @property
    def skipped(self) -> int:
        """How many frames a few wide gaps leave out of what comes evenly."""
        return self._skipped if self._holes <= HOLES * self.frames else 0

    @property
    def end(self) -> Fraction:
        """Where the video ends, going by the frames seen so far."""
        usual, length = 1 / self._rate, self._latest_length
        known = self.uneven and 0 < length <= max(10 * usual, Fraction(10))
        return max(self._latest, Fraction(0)) + (length if known else usual)

    def set_rate(self, rate: Fraction, seen: Sequence[DecodedFrame]) -> None:
        """A better guess of the rate, after the first frames."""
        self._rate = rate
        self.uneven = any(abs(frame.time * rate - frame.index) > ON_GRID for frame in seen)

    def __iter__(self) -> Iterator[DecodedFrame]:
        for frame in self._decode.frames():
            self._corrupt += frame.is_corrupt
            if frame.pts is None or self._counted:
                yield from self._placed(frame)
                continue
            for _, next_frame in self._order.put(frame.pts, frame):
                yield from self._placed(next_frame)
        for _, next_frame in self._order.rest():
            yield from self._placed(next_frame)
        self._note(self._time(stamp) for stamp in self._ahead)  # the last frames may have been skipped
        self._ahead.clear()

    def _expect(self, packet: Packet[VideoStream]) -> bool:
        """Note the time of a packet; whether its frame is needed."""
        needed = not self._timed or self._is_needed(packet)
        if packet.pts is not None and not packet.is_discard and not self._counted:
            if self._timed:
                insort(self._ahead, packet.pts)
            if needed:
                self._order.expect(packet.pts)
        return needed

    def _is_needed(self, packet: Packet[VideoStream]) -> bool:
        if packet.pts is None or self.origin is None:
            return True
        if self._time(packet.pts) >= self.wanted - Fraction(3, 2) * self._gap:
            return True
        # It may stay on screen until the next one that is known already, however long that takes.
        following = bisect_right(self._ahead, packet.pts)
        return following < len(self._ahead) and self._time(self._ahead[following]) > self.wanted

    def _placed(self, frame: VideoFrame) -> Iterator[DecodedFrame]:
        """A frame with its index and time; nothing for one that comes too late to be shown."""
        if self.origin is None:
            self.origin, self._rotation = frame.pts or 0, turn_of(frame)
        if self._timed and frame.pts is not None:
            before = bisect_left(self._ahead, frame.pts)
            self._note(self._time(stamp) for stamp in self._ahead[:before])
            del self._ahead[: before + (self._ahead[before : before + 1] == [frame.pts])]
            time = self._time(frame.pts)
        else:
            time = self._counted_time(frame)
        if time > self._latest:
            self._note([time])
            self._latest_length = (frame.duration or 0) * self._base
            yield DecodedFrame(self.frames - 1, frame, self._rotation, time)

    def _time(self, stamp: int) -> Fraction:
        return (stamp - (self.origin or 0)) * self._base

    def _counted_time(self, frame: VideoFrame) -> Fraction:
        """The time stamp, unless there is none, or none to be believed, or (AVI) it belongs to another frame."""
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

    def _note(self, times: Iterable[Fraction]) -> None:
        """Count frames in the order of their times, decoded or not."""
        for time in times:
            self.uneven = self.uneven or abs(time * self._rate - self.frames) > ON_GRID
            gap = time - self._latest if self.frames else Fraction(0)
            self._gap = max(self._gap, gap)
            if gap * self._rate > HOLE:
                self._holes, self._skipped = self._holes + 1, self._skipped + round(gap * self._rate) - 1
            self._latest = time
            self.frames += 1
