"""One decoded picture of a video with its place: what an encoder that reads along gets to see."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from av import VideoFrame
from numpy.typing import NDArray

Rgb = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Still:
    """Picture `index` of the video; `rotation` is how far it must be turned clockwise to stand upright."""

    index: int
    frame: VideoFrame = field(repr=False)
    rotation: int = 0

    def rgb(self) -> Rgb:
        """The picture (H, W, 3) as it is shown. Costs a conversion: ask once."""
        return upright(self.frame, self.rotation)


def upright(frame: VideoFrame, rotation: int) -> Rgb:
    """The picture (H, W, 3) as it is shown: turned clockwise by `rotation` degrees."""
    rgb: Rgb = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
    return np.ascontiguousarray(np.rot90(rgb, -rotation // 90 % 4)) if rotation else rgb
