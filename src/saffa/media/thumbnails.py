"""A few small pictures a second out of a whole video, as cheaply as decoding allows.

Which frame stands for a moment is left to the decoder: pictures that no other one needs are not decoded at all.
Scaling happens here, in the thread that decodes, with libav's bilinear filter (a triangle as wide as the shrinking
factor, like the one of the pictures that the encoder was trained on). The loop filter is left out where its lack
does not spread, in B-frames; elsewhere errors would add up from picture to picture (docs/method/visual.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import av
import numpy as np

from saffa.core.types import Rgb
from saffa.core.video import Video
from saffa.media.container import Decode, open_movie, picture_stream, watch_only

RATE = 2.0
"""Thumbnails a second."""
MAX_THUMBNAILS = 14400
"""Two hours at that rate; longer videos get fewer, so that memory stays bounded."""


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
    rgb = frame.reformat(size, size, "rgb24", interpolation="BILINEAR").to_ndarray()
    turned = np.rot90(rgb, -rotation // 90 % 4) if rotation else rgb
    return np.ascontiguousarray(turned, np.uint8)


def timed_pictures(video: Video) -> Iterator[tuple[float, av.VideoFrame]]:
    """Decoded frames with their time; where times cannot be believed every frame is decoded and counted."""
    base = float(video.time_base)
    with open_movie(video.path) as container:
        stream = picture_stream(container, video.path)
        watch_only(container, stream)
        if not video.counted:
            stream.codec_context.skip_frame = "NONREF"
            stream.codec_context.options = stream.codec_context.options | {"skip_loop_filter": "bidir"}
        for count, frame in enumerate(Decode(container, stream).frames()):
            if video.counted:
                yield float(int(video.ticks[min(count, len(video.ticks) - 1)]) * video.time_base), frame
            elif frame.pts is not None and frame.pts >= video.origin:
                yield (frame.pts - video.origin) * base, frame
