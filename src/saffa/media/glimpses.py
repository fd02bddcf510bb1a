"""A look at a video here and there: pictures at least some time apart, for a small part of what decoding it all costs.

A group of pictures begins with a key picture, which needs no other one. So key pictures can be looked at alone, and
groups in which nothing is wanted need not be decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import av
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.video import Video
from saffa.media.container import Decode, all_packets, open_movie, picture_stream, watch_only


class Glimpse(NamedTuple):
    """A decoded picture and its time in seconds from the first frame."""

    time: float
    frame: av.VideoFrame


def key_pictures(video: Video, every: float) -> Iterator[Glimpse]:
    """Pictures that need no other one, at least `every` seconds apart; where times cannot be believed, any pictures."""
    return glimpses(video, every, lambda _: False)


def glimpses(video: Video, every: float, wanted: Callable[[float], bool]) -> Iterator[Glimpse]:
    """Pictures at least `every` seconds apart, out of the groups whose first time is `wanted`; of others, the first.

    Pictures come in the order the decoder gives them, which is nearly that of time.
    """
    latest = -every
    for look in _decoded(video, every, wanted):
        if look.time - latest >= every * (1 - 1e-6):
            latest = look.time
            yield look


def _decoded(video: Video, every: float, wanted: Callable[[float], bool]) -> Iterator[Glimpse]:
    base = float(video.time_base)
    with open_movie(video.path) as container:
        stream = picture_stream(container, video.path)
        watch_only(container, stream)
        packets = all_packets(container, stream)
        if not video.counted:
            stream.codec_context.skip_frame = "NONREF"
            stream.codec_context.options = stream.codec_context.options | {"skip_loop_filter": "bidir"}
            packets = _needed(packets, video, every, wanted)
        for count, frame in enumerate(Decode(container, stream, None, packets).frames()):
            if video.counted:
                yield Glimpse(float(video.ticks[min(count, len(video.ticks) - 1)]) * base, frame)
            elif frame.pts is not None and frame.pts >= video.origin:
                yield Glimpse((frame.pts - video.origin) * base, frame)


def _needed(
    packets: Iterator[Packet[VideoStream]], video: Video, every: float, wanted: Callable[[float], bool]
) -> Iterator[Packet[VideoStream]]:
    """Packets of wanted groups, and the key packets of others that are not too near to each other."""
    base, taken, first, whole, length = float(video.time_base), -every, video.origin, True, 0
    for packet in packets:
        if packet.is_keyframe and packet.pts is not None:
            first = packet.pts
            time = (first - video.origin) * base
            due = time - taken >= every * (1 - 1e-6)
            whole = wanted(time) and (due or length > 1)  # after a group of one picture all may be key pictures
            length = 1
            if whole or due:
                taken = time
                yield packet
            continue
        length += 1
        if whole and (packet.pts is None or packet.pts >= first):  # earlier ones may need the group before
            yield packet
