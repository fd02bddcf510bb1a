"""Clips of a video as the encoders see them: 32 frames from frame f on, squashed to a square, black past the end.

Frames come as an iterator and are taken in one pass; how many there are is learned by reaching the end, never
from a count that a container claims.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from saffa.media.frame_stream import DecodedFrame

Rgb = NDArray[np.uint8]
Floats = NDArray[np.float32]
Frame = TypeVar("Frame")


@dataclass(frozen=True)
class ClipShape:
    """How many frames a clip has, its side in pixels, and what the backbone was trained to see as 0 and 1."""

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


class ClipWindow(Generic[Frame]):
    """Cuts clips out of a stream of frames, in one pass; each frame is converted and squashed at most once.

    `to_rgb` turns an item of the stream into (H, W, 3) uint8; it is not called for frames that no clip holds.
    """

    def __init__(self, frames: Iterator[Frame], to_rgb: Callable[[Frame], Rgb], shape: ClipShape = CLIP) -> None:
        self._frames, self._to_rgb, self._shape = frames, to_rgb, shape
        self._small: deque[Rgb] = deque()  # squashed frames from `_start` on
        self._start = 0
        self._ended = False

    @property
    def read(self) -> int:
        """Frames taken from the stream so far; all there are, once the end was reached."""
        return self._start + len(self._small)

    def clip(self, f: int) -> Rgb | None:
        """Frames f … f+31, (frames, size, size, 3); None if the stream ends before f. f must not go back."""
        if f < self._start:
            raise ValueError(f"clip {f} lies before {self._start}: clips are cut in one pass")
        while self._small and self._start < f:
            self._small.popleft()
            self._start += 1
        while not self._ended and self.read < f + self._shape.frames:
            self._take(keep=self.read >= f)
        if not self._small:
            return None
        size = self._shape.size
        clip = np.zeros((self._shape.frames, size, size, 3), np.uint8)
        clip[: len(self._small)] = list(self._small)[: self._shape.frames]
        return clip

    def _take(self, *, keep: bool) -> None:
        for frame in self._frames:
            if keep:
                self._small.append(squashed(self._to_rgb(frame), self._shape.size))
            else:
                self._start += 1
            return
        self._ended = True


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


def clips_at(window: ClipWindow[Frame], wanted: Iterable[int]) -> Iterator[tuple[int, Rgb]]:
    """(f, clip) for each wanted frame, in increasing order, until the stream ends."""
    for f in wanted:
        clip = window.clip(f)
        if clip is None:
            return
        yield f, clip


def every(stride: int) -> Iterable[int]:
    """Frames 0, stride, 2·stride, …: stride 1 is the paper's dense encoding, others are the grid."""
    if stride < 1:
        raise ValueError("the stride must be at least 1")
    return count(0, stride)
