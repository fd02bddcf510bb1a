"""Which pictures of a video need which others, so that those that nobody needs are not decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

TIMED = {"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"}
"""Containers that give every packet its own presentation time."""
_MOST_HELD = 600  # packets; a longer stretch of unneeded pictures is decoded after all
_MOST_HELD_BYTES = 32 << 20
_KEYS_RESET = {"vp8", "libvpx", "vp9", "libvpx-vp9", "av1", "libdav1d"}  # a key frame replaces all that was remembered
_H264_RESTART = frozenset({5})  # IDR
_HEVC_RESTART = frozenset({16, 17, 18, 19, 20})  # BLA and IDR; pictures after CRA may refer to those before it


@dataclass(frozen=True)
class Dependence:
    """What the codec of a stream guarantees about references between its pictures."""

    marks_unreferenced: bool
    """Whether pictures that no other refers to say so: H.264 (`nal_ref_idc` 0), HEVC of a single temporal layer."""
    restarts: Callable[[Packet[VideoStream]], bool]
    """Whether no picture from this packet on, in decoding order, refers to one before it."""

    @classmethod
    def of(cls, container: InputContainer, stream: VideoStream) -> Dependence:
        """The guarantees for a stream; without time stamps of its own a packet cannot be told to be unneeded."""
        name, extra = stream.codec_context.name, stream.codec_context.extradata or b""
        timed = container.format.name in TIMED
        layers = extra[21] >> 3 & 7 if name == "hevc" and len(extra) > 22 else 0
        marked = name == "h264" or (timed and layers == 1)
        return cls(marked, _restart_check(stream, extra) if timed else _never)


def _restart_check(stream: VideoStream, extra: bytes) -> Callable[[Packet[VideoStream]], bool]:
    name = stream.codec_context.name
    if stream.codec_context.codec.intra_only:
        return lambda _packet: True
    if name in _KEYS_RESET:
        return lambda packet: packet.is_keyframe
    if name == "h264" and extra[:1] == b"\1":
        prefix = (extra[4] & 3) + 1
        return lambda packet: packet.is_keyframe and _kinds(packet, prefix, 0, 0x1F, range(1, 6)) <= _H264_RESTART
    if name == "hevc" and len(extra) > 22:
        prefix = (extra[21] & 3) + 1
        return lambda packet: packet.is_keyframe and _kinds(packet, prefix, 1, 0x3F, range(32)) <= _HEVC_RESTART
    return _never


def _never(_packet: Packet[VideoStream]) -> bool:
    return False


def _kinds(packet: Packet[VideoStream], prefix: int, shift: int, mask: int, pictures: range) -> set[int]:
    """Kinds of the picture units in a packet of length-prefixed units; an impossible kind if there is none."""
    data, at, found = memoryview(packet), 0, set[int]()
    while at + prefix < len(data):
        kind = data[at + prefix] >> shift & mask
        if kind in pictures:
            found.add(kind)
        at += prefix + int.from_bytes(data[at : at + prefix], "big")
    return found or {-1}


def without_unneeded(
    packets: Iterator[Packet[VideoStream]],
    needed: Callable[[Packet[VideoStream]], bool],
    restarts: Callable[[Packet[VideoStream]], bool],
    *,
    final: bool,
) -> Iterator[tuple[Packet[VideoStream], bool]]:
    """Packets to decode, each with whether its own picture is needed.

    Unneeded packets are held back until a needed one comes, which may refer to them, and forgotten where the codec
    starts afresh. `final`: whether an answer of `needed` never changes. If it may (somebody is still choosing), the
    last pictures before a needed one are kept, since one of them may be on screen.
    """
    held: list[Packet[VideoStream]] = []
    size = 0
    for packet in packets:
        if not packet.size:
            continue
        wanted = needed(packet)
        if held and (final or not wanted) and restarts(packet):
            held, size = [], 0
        if not wanted and len(held) < _MOST_HELD and size < _MOST_HELD_BYTES:
            held.append(packet)
            size += packet.size
            continue
        yield from ((one, False) for one in held)
        held, size = [], 0
        yield packet, wanted
    if not final:
        yield from ((one, False) for one in held)
