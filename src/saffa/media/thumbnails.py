"""A few small pictures a second out of a whole video, as cheaply as decoding allows.

Which frame stands for a moment is left to the decoder: pictures that no other one needs are not decoded at all.
Scaling happens here, in the thread that decodes, with libav's bilinear filter (a triangle as wide as the shrinking
factor, like the one of the pictures that the encoder was trained on). The loop filter is left out where its lack
does not spread, in B-frames; elsewhere errors would add up from picture to picture (docs/method/visual.md).

Glimpses are cheaper still. A group of pictures begins with a key picture, which needs no other one: key pictures can be
looked at alone, and groups in which nothing is wanted need not be decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import av
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.types import Rgb
from saffa.core.video import Video
from saffa.media.container import Decode, Dependence, all_packets, open_movie, picture_stream, watch_only
from saffa.media.frame_stream import upright

RATE = 2.0
"""Thumbnails a second."""
MAX_THUMBNAILS = 14400
"""Two hours at that rate; longer videos get fewer, so that memory stays bounded."""


Packets = Iterator["Packet[VideoStream]"]


class Thumbnail(NamedTuple):
    """A picture (size, size, 3), upright, squashed to a square, and its time in seconds from the first frame."""

    time: float
    picture: Rgb


def thumbnail_rate(duration: float) -> float:
    """Thumbnails a second for a video of that many seconds."""
    return min(RATE, MAX_THUMBNAILS / max(duration, 1e-9))


def thumbnails(video: Video, size: int, rate: float | None = None) -> Iterator[Thumbnail]:
    """The first picture that is at hand in every 1/rate seconds, in the order the decoder gives them."""
    rate = thumbnail_rate(float(video.duration)) if rate is None else rate
    taken = -1
    for time, frame in timed_pictures(video):
        cell = int(time * rate + 1e-6)
        if cell > taken:
            taken = cell
            yield Thumbnail(time, small_picture(frame, size, video.rotation))


def small_picture(frame: av.VideoFrame, size: int, rotation: int) -> Rgb:
    """The whole frame in a square, (size, size, 3), turned as it is shown."""
    return upright(frame.reformat(size, size, "rgb24", interpolation="BILINEAR"), rotation)


def timed_pictures(
    video: Video, needed: Callable[[Packets], Packets] = lambda packets: packets
) -> Iterator[tuple[float, av.VideoFrame]]:
    """Decoded frames with their time, of the `needed` packets; where times cannot be believed all are counted."""
    base = float(video.time_base)
    with open_movie(video.path) as container:
        stream = picture_stream(container, video.path)
        watch_only(container, stream)
        packets: Packets = all_packets(container, stream)
        if not video.counted:
            stream.codec_context.skip_frame = "NONREF"
            stream.codec_context.options = stream.codec_context.options | {"skip_loop_filter": "bidir"}
            unreferenced = Dependence.of(container, stream).unreferenced
            packets = (packet for packet in needed(packets) if not packet.size or not unreferenced(packet))
        for count, frame in enumerate(Decode(container, stream, None, packets).frames()):
            if video.counted:
                yield float(int(video.ticks[min(count, len(video.ticks) - 1)]) * video.time_base), frame
            elif frame.pts is not None and frame.pts >= video.origin:
                yield (frame.pts - video.origin) * base, frame


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
    for time, frame in timed_pictures(video, lambda packets: _needed(packets, video, every, wanted)):
        if time - latest >= every * (1 - 1e-6):
            latest = time
            yield Glimpse(time, frame)


def _needed(packets: Packets, video: Video, every: float, wanted: Callable[[float], bool]) -> Packets:
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
