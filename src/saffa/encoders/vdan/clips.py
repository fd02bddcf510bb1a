"""Clips of a video as the encoders see them: 32 frames from frame f on, squashed to a square, black past the end.

Frames come as an iterator and are taken in one pass; how many there are is learned by reaching the end, never
from a count that a container claims.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from PIL import Image

from saffa.core.types import Floats, Rgb
from saffa.media.frame_stream import DecodedFrame

Frame = TypeVar("Frame")


@dataclass(frozen=True)
class ClipShape:
    """Shape of a clip: frames, side in pixels, and the mean and deviation that the backbone was trained with."""

    frames: int
    size: int
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]

    def normalised(self, clip: Rgb) -> Floats:
        """(frames, size, size, 3) uint8 → (3, frames, size, size); without the frame axis if a clip is a picture.

        Black past the end goes through the same formula: it becomes −mean/deviation, not 0.
        """
        mean, deviation = np.array([self.mean, self.deviation], np.float32)
        scaled = (clip.astype(np.float32) / np.float32(255) - mean) / deviation
        planes: Floats = np.ascontiguousarray(np.moveaxis(scaled, 3, 0))
        return planes[:, 0] if self.frames == 1 else planes


CLIP = ClipShape(32, 112, (0.43216, 0.394666, 0.37645), (0.22803, 0.22145, 0.216989))
"""VDAN+: Kinetics-400 statistics."""
PICTURE = ClipShape(1, 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
"""VDAN: one frame, ImageNet statistics."""


def resized(frame: Rgb, height: int, width: int) -> Rgb:
    """Bilinear as Pillow does it: a triangle as wide as the shrinking factor, 8-bit steps, rows after columns."""
    if frame.shape[:2] == (height, width):
        return frame
    return np.asarray(Image.fromarray(frame).resize((width, height), Image.Resampling.BILINEAR))


def squashed(frame: Rgb, size: int) -> Rgb:
    """The whole frame (H, W, 3) in a square; the aspect ratio is not kept, nothing is cut off."""
    return resized(frame, size, size)


class ClipCutter:
    """Cuts clips out of pictures that come with their index; each is converted and squashed at most once."""

    def __init__(self, shape: ClipShape = CLIP) -> None:
        self._shape = shape
        self._small: dict[int, Rgb] = {}

    def clip(self, stills: Sequence[DecodedFrame]) -> Rgb:
        """These pictures, black where there are fewer than a clip has: (frames, size, size, 3)."""
        size = self._shape.size
        clip = np.zeros((self._shape.frames, size, size, 3), np.uint8)
        kept: dict[int, Rgb] = {}
        for place, still in enumerate(stills[: self._shape.frames]):
            known = self._small.get(still.index)
            clip[place] = kept[still.index] = squashed(still.rgb(), size) if known is None else known
        self._small = kept
        return clip


def clips_of(
    frames: Iterable[Frame], to_rgb: Callable[[Frame], Rgb], shape: ClipShape, stride: int
) -> Iterator[tuple[int, Rgb]]:
    """(f, clip) for f = 0, stride, 2·stride, … until the frames end; a clip is (frames, size, size, 3).

    `stride` 1 is the paper's dense encoding, others are the grid. `to_rgb` turns a frame into (H, W, 3) uint8; it is
    called once for each frame that a clip holds and for no other.
    """
    if stride < 1:
        raise ValueError("the stride must be at least 1")
    small: deque[Rgb] = deque()  # squashed frames from f on
    f = 0
    for number, frame in enumerate(frames):
        if number >= f:
            small.append(squashed(to_rgb(frame), shape.size))
        if len(small) == shape.frames:
            yield f, np.stack(small)
            f += _drop(small, stride)
    while small:
        clip = np.zeros((shape.frames, shape.size, shape.size, 3), np.uint8)
        clip[: len(small)] = small
        yield f, clip
        f += _drop(small, stride)


def _drop(small: deque[Rgb], stride: int) -> int:
    """Let the first frames go, as many as there are; gives the stride."""
    for _ in range(min(stride, len(small))):
        small.popleft()
    return stride
