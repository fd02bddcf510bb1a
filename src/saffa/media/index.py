"""Which frames a file really shows, and when: the presentation times of all of them; and whether bytes are missing.

Container frame counts are often wrong. Two ways to know better: read the packets' times without decoding
(fast), or decode everything and look. The first is taken only where it gives what decoding would give. libav steps over
damage in silence, so the bytes of the container are looked at too: cut at the end, zeroed or left out in the middle.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.types import Ints, Share
from saffa.media.container import MEDIA_ERRORS, TIMED, Decode, check_stopped, open_movie, picture_stream, watch_only

# Codecs with one shown frame a packet.
PLAIN = {"h264", "hevc", "vp9", "libvpx-vp9", "av1", "libdav1d"}

# AVI has no presentation times. Its packets fill slots in the order they are stored, and libav stamps each
# picture with (about) the slot of its packet, which for B-frames is not the one it is shown in.
SLOTTED = {"avi"}

# Decoders hold back at most 16 frames; times further out of order are a broken clock.
REORDER = 16
_HEAD = 32

HOLE, HOLES = 4, 0.01
"""A gap of more frames than that may be a hole, if there are no more of them than that share of the frames."""


@dataclass(frozen=True)
class FrameIndex:
    """Presentation times (stream ticks, increasing) of all shown frames, and what was noticed on the way."""

    ticks: Ints
    last_duration: int
    counted: bool
    damage: int
    missing: int
    cut: bool
    decoded: bool

    @property
    def spoilt(self) -> bool:
        """Whether something of the file is lost."""
        return self.cut or self.damage > 0


@dataclass
class _Packets:
    """The picture's packets as the demuxer gives them."""

    shown: array[int] = field(default_factory=lambda: array("q"))
    keys: array[int] = field(default_factory=lambda: array("q"))
    seen: int = 0
    last_duration: int = 0
    plain: bool = True


def index_frames(path: Path, progress: Share | None = None) -> FrameIndex:
    """The frames of the file's picture. Raises nothing for damage: what decodes is what counts."""
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        watch_only(container, stream)
        plain = container.format.name in TIMED and stream.codec_context.name in PLAIN
        packets = _read_packets(container, stream) if plain else _Packets(plain=False)
        promised = stream.frames
    ticks = np.array(packets.shown, np.int64)
    ticks.sort()
    torn = lacks_bytes(path) or (_holes(ticks) > 0 and is_torn(path))
    whole = packets.plain and packets.seen >= promised and not torn
    distinct = len(ticks) > 0 and bool(np.all(np.diff(ticks) > 0))
    if whole and distinct and _same_as_decoded(path, ticks, np.array(packets.keys, np.int64)):
        return FrameIndex(ticks, packets.last_duration, counted=False, damage=0, missing=0, cut=False, decoded=False)
    return _decode_all(path, progress, torn)


def _read_packets(container: InputContainer, stream: VideoStream) -> _Packets:
    found = _Packets()
    whole_picture = _picture_check(stream)
    latest = -(2**62)
    try:
        for packet in container.demux(stream):
            if packet.size == 0:
                continue
            found.seen += 1
            if packet.pts is None or packet.is_corrupt or not whole_picture(packet):
                found.plain = False
                break
            if packet.is_discard:
                continue
            found.shown.append(packet.pts)
            if packet.is_keyframe:
                found.keys.append(packet.pts)
            if packet.pts > latest:
                latest, found.last_duration = packet.pts, packet.duration or 0
    except (*MEDIA_ERRORS, IndexError):  # as in `all_packets`
        found.plain = False
    check_stopped(container)
    return found


def _picture_check(stream: VideoStream) -> Callable[[Packet[VideoStream]], bool]:
    """A cheap look at a packet's bytes: is it one whole shown picture? Catches holes in damaged files."""
    name, extra = stream.codec_context.name, stream.codec_context.extradata or b""
    if name == "h264":
        return _NalCheck((extra[4] & 3) + 1, hevc=False) if extra[:1] == b"\1" else _never
    if name == "hevc":
        return _NalCheck((extra[21] & 3) + 1, hevc=True) if len(extra) > 22 else _never
    return _shown_vp9 if "vp9" in name else _begins_with_data


class _NalCheck:
    """H.264 and HEVC in mp4/mkv: length-prefixed units that fill the packet, one of them of a picture."""

    def __init__(self, prefix: int, hevc: bool) -> None:
        self._prefix = prefix
        self._shift, self._mask = (1, 0x3F) if hevc else (0, 0x1F)
        self._pictures = range(32) if hevc else range(1, 6)

    def __call__(self, packet: Packet[VideoStream]) -> bool:
        data = memoryview(packet)
        at, size, picture = 0, len(data), False
        while at + self._prefix < size:
            length = int.from_bytes(data[at : at + self._prefix], "big")
            if length == 0:
                return False
            kind = data[at + self._prefix] >> self._shift & self._mask
            picture = picture or kind in self._pictures
            at += self._prefix + length
        return picture and at == size


def _shown_vp9(packet: Packet[VideoStream]) -> bool:
    data = memoryview(packet)
    first, superframe = data[0], data[-1] & 0xE0 == 0xC0
    return first >> 6 == 0b10 and (superframe or bool(first & 0b1010))


def _begins_with_data(packet: Packet[VideoStream]) -> bool:
    return memoryview(packet)[0] not in (0, 0xFF)


def _never(_packet: Packet[VideoStream]) -> bool:
    return False


def _same_as_decoded(path: Path, ticks: Ints, keys: Ints) -> bool:
    """Decode the head and the tail, where decoders drop frames, and compare with the packets' times."""
    if not len(keys):
        return False
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        watch_only(container, stream)
        head = _decoded_ticks(container, stream, _HEAD)
        if not len(head) or not np.array_equal(head, ticks[: len(head)]):
            return False
        last_key = int(keys.max())
        container.seek(last_key, stream=stream)
        tail = _decoded_ticks(container, stream)
    return np.array_equal(tail[tail >= last_key], ticks[ticks >= last_key])


def _decoded_ticks(container: InputContainer, stream: VideoStream, limit: int | None = None) -> Ints:
    """Times of the next frames in order; none if one of them is damaged or has no time."""
    found: list[int] = []
    for frame in islice(Decode(container, stream).frames(), limit):
        if frame.pts is None or frame.is_corrupt:
            return np.empty(0, np.int64)
        found.append(frame.pts)
    return np.sort(np.array(found, np.int64))


def _decode_all(path: Path, progress: Share | None, torn: bool) -> FrameIndex:
    times: array[int] = array("q")
    no_time, corrupt, last_duration = 0, 0, 0
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        watch_only(container, stream)
        run = Decode(container, stream)
        for frame in _reported(run, container.size, progress):
            no_time += frame.pts is None
            corrupt += frame.is_corrupt
            times.append(frame.pts or 0)
            last_duration = frame.duration or last_duration
        promised = stream.frames
        step = _tick_step(stream)
        slotted = container.format.name in SLOTTED
    ticks = np.array(times, np.int64)
    if slotted and len(ticks):  # as many slots, given to the pictures in the order the decoder shows them
        ticks = np.sort(ticks) - ticks.min() + (run.began or 0)
    broken = bool(no_time) or _broken_clock(ticks)
    if broken:
        ticks, last_duration = np.arange(len(ticks), dtype=np.int64) * step, step
    # A few frames fewer than promised is how containers count; a cut file lacks a visible stretch.
    ticks, missing, damage = np.sort(ticks), promised - len(ticks), run.damage + corrupt
    holes = _holes(ticks)
    torn = torn or (holes > 0 and is_torn(path))
    missing = max(missing if missing > REORDER else 0, holes if torn or damage else 0)
    return FrameIndex(
        ticks,
        last_duration,
        counted=slotted or broken,
        damage=damage,
        missing=missing,
        cut=missing > 0 or torn,
        decoded=True,
    )


def _reported(run: Decode, size: int, progress: Share | None) -> Iterator[av.VideoFrame]:
    for i, frame in enumerate(run.frames()):
        if progress is not None and i % 64 == 0 and size > 0:
            progress(min(run.position / size, 1.0))
        yield frame


def _holes(ticks: Ints) -> int:
    """How many frames a few wide gaps leave out of what comes evenly; 0 where pictures come as they like."""
    gaps = np.diff(ticks)
    usual = max(float(np.median(gaps)), 1.0) if len(gaps) else 1.0
    wide = gaps[gaps > HOLE * usual]
    return int(np.sum(np.round(wide / usual) - 1)) if len(wide) <= HOLES * len(ticks) else 0


def _broken_clock(ticks: Ints) -> bool:
    order = np.argsort(ticks, kind="stable")
    displaced = np.abs(order - np.arange(len(ticks)))
    return bool(np.any(np.diff(ticks[order]) <= 0) or (len(ticks) and displaced.max() > REORDER))


def _tick_step(stream: VideoStream) -> int:
    rate = stream.guessed_rate or stream.average_rate or 25
    base = stream.time_base
    return max(1, round(1 / (rate * base))) if base else 1


_ELEMENT_HEAD = 12  # bytes that hold any element's id and size
_MATROSKA, _SEGMENT, _CLUSTER = 0x1A45DFA3, 0x18538067, 0x1F43B675
_ELEMENTS = {
    *(_CLUSTER, 0x114D9B74, 0x1549A966, 0x1654AE6B, 0x1C53BB6B, 0x1941A469, 0x1043A770, 0x1254C367),  # of a segment
    *(0xE7, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF, 0x5854),  # of a cluster
    *(0xEC, 0xBF),  # anywhere: padding, checksums
}
_BOXES = {b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"moof", b"styp", b"sidx", b"uuid", b"meta", b"pnot"}
_SYNC, _TS_PACKETS = 0x47, (188, 192, 204)
_PIECE = 188 * 192 * 204 // 16  # bytes of a transport stream looked at in one go: whole packets of every size


def lacks_bytes(path: Path) -> bool:
    """Whether a Matroska or mp4 file is shorter than it says. Reads a few bytes."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if _element(file, 0)[0] == _MATROSKA:
            _, length, at = _element(file, 0)
            kind, length, at = _element(file, at + (length or 0))
            return kind == _SEGMENT and length is not None and at + length > size
        return _cut_box(file, size)


def is_torn(path: Path) -> bool:
    """Whether something inside a Matroska file or a transport stream is no part of it. Reads along the whole file."""
    with path.open("rb") as file:
        if _element(file, 0)[0] == _MATROSKA:
            return _torn_elements(file, path.stat().st_size)
        return _torn_packets(file)


def _torn_elements(file: BinaryIO, size: int) -> bool:
    """Follow all elements of the segment and its clusters; an unknown one, or one beyond the end, is damage."""
    _, length, at = _element(file, 0)
    kind, _, at = _element(file, at + (length or 0))
    if kind != _SEGMENT:
        return True
    while at < size:
        kind, length, at = _element(file, at)
        if kind not in _ELEMENTS or (length is None and kind != _CLUSTER):
            return True
        at += 0 if kind == _CLUSTER else length or 0
    return at > size


def _element(file: BinaryIO, at: int) -> tuple[int, int | None, int]:
    """Id, size of the content (None: until the next of its kind) and its beginning; id 0 if there is none."""
    file.seek(at)
    head = file.read(_ELEMENT_HEAD)
    width = 9 - head[0].bit_length() if head else 9
    if width > 4 or len(head) <= width:
        return 0, None, at
    kind, more = int.from_bytes(head[:width], "big"), 9 - head[width].bit_length()
    if more > 8 or len(head) < width + more:
        return 0, None, at
    size = int.from_bytes(head[width : width + more], "big") & ~(1 << 7 * more)
    return kind, None if size == (1 << 7 * more) - 1 else size, at + width + more


def _cut_box(file: BinaryIO, size: int) -> bool:
    """Follow the outermost boxes of an mp4 file to its end."""
    at = 0
    while at + 8 <= size:
        file.seek(at)
        head = file.read(16)
        length, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if kind not in _BOXES or length == 0:  # another kind of file, or a box to the end
            return False
        if length == 1:
            length = int.from_bytes(head[8:16], "big")
        if length < 8:
            return False
        at += length
    return at > size


def _torn_packets(file: BinaryIO) -> bool:
    """Whether a transport stream loses its step: every packet begins with the same byte."""
    file.seek(0)
    head = file.read(5 * max(_TS_PACKETS))
    steps = ((step, at) for step in _TS_PACKETS for at in (0, 4) if set(head[at::step][:4]) == {_SYNC})
    step, at = next(steps, (0, 0))
    if not step:
        return False
    file.seek(at)
    while piece := file.read(_PIECE - _PIECE % step):
        if np.any(np.frombuffer(piece, np.uint8)[::step] != _SYNC):
            return True
    return False
