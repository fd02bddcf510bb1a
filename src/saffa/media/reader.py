"""Frames of a video in one sequential decode, each matched to its index by its time, not by counting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

import av
import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import SaffaError
from saffa.core.video import Video
from saffa.media.container import Decode, open_movie, picture_stream, watch_only
from saffa.media.index import REORDER

Warn = Callable[[str], None]


def read_frames(
    video: Video, wanted: Iterable[int] | None = None, *, warn: Warn | None = None
) -> Iterator[tuple[int, av.VideoFrame]]:
    """Yield (index, frame) for every wanted index, in order; None means all frames.

    Every wanted index is answered. If the decoder gives no picture for one (damage), the nearest one that it
    did give stands in, and `warn` hears about it once at the end. On an even axis (`media.even`) several indices
    may be answered by the same picture.
    """
    slots = np.arange(video.frames) if wanted is None else np.array(list(wanted), np.int64)
    if not len(slots):
        return
    if np.any(np.diff(slots) <= 0) or slots[0] < 0 or slots[-1] >= video.frames:
        raise ValueError("wanted frames must be strictly increasing indices of the video")
    indices, counts = np.unique(video.on_screen(slots), return_counts=True)
    answers = iter(slots.tolist())
    substituted = 0
    for (_, frame, exact), count in zip(_answered(_numbered(video, indices), indices), counts.tolist(), strict=True):
        substituted += not exact
        for slot in islice(answers, count):
            yield slot, frame
    if substituted:
        (warn or logging.getLogger(__name__).warning)(
            f"{video.path.name}: {substituted} frames could not be decoded; the nearest picture stands in."
        )


def _numbered(video: Video, indices: NDArray[np.int64]) -> Iterator[tuple[int, av.VideoFrame]]:
    """Decoded frames with their index in the file, in decoder order; may skip unwanted ones."""
    frames = len(video.ticks)
    by_tick = None if video.counted else set(video.ticks[indices].tolist())
    with open_movie(video.path) as container:
        stream = picture_stream(container, video.path)
        watch_only(container, stream)
        for count, frame in enumerate(Decode(container, stream, video.origin, by_tick).frames()):
            if video.counted:
                if count < frames:
                    yield count, frame
            elif frame.pts is not None:
                tick = frame.pts - video.origin
                nearest = int(np.searchsorted(video.ticks, tick))
                if nearest < frames and video.ticks[nearest] == tick:
                    yield nearest, frame


def _answered(
    numbered: Iterator[tuple[int, av.VideoFrame]], indices: NDArray[np.int64]
) -> Iterator[tuple[int, av.VideoFrame, bool]]:
    """Put the frames in order and fill what is missing with the nearest picture."""
    waiting = indices.tolist()
    asked = set(waiting)
    waiting.reverse()
    early: dict[int, av.VideoFrame] = {}  # arrived, but an earlier wanted one has not
    last: tuple[int, av.VideoFrame] | None = None
    newest = -1
    for item in chain(numbered, [None]):
        if item is not None:
            newest = max(newest, item[0])
            if item[0] in asked:
                early[item[0]] = item[1]
        # A frame that is still not here after the decoder's longest delay, or at the end, will never come.
        while waiting and (waiting[-1] in early or item is None or waiting[-1] < newest - 2 * REORDER):
            want = waiting.pop()
            frame = early.pop(want, None)
            if frame is not None:
                last = (want, frame)
            yield want, frame or _nearest(want, last, early, item), frame is not None
        if not waiting:
            return
        if item is not None and item[0] < waiting[-1] and (last is None or item[0] > last[0]):
            last = item


def _nearest(
    want: int,
    last: tuple[int, av.VideoFrame] | None,
    early: dict[int, av.VideoFrame],
    current: tuple[int, av.VideoFrame] | None,
) -> av.VideoFrame:
    near = [entry for entry in (last, current, *early.items()) if entry is not None]
    if not near:
        raise SaffaError("the video has no picture that can be decoded; the file changed or is damaged.")
    return min(near, key=lambda entry: abs(entry[0] - want))[1]
