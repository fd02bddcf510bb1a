"""SAS's descriptor of every picture (method.md E, SAS steps 3 and 4).

Flow magnitudes (50 bins) and directions (72 bins), colour moments (144), content, score. For the content the authors
count the 80 classes that YOLO finds; here 80 principal components of the features of an image classifier stand in,
looked at about twice a second and held between.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saffa.core.video import Video
from saffa.encoders.visual.frame_features import SeenVideo, see
from saffa.methods.base import Progress
from saffa.research.baselines.footage import Footage, watch
from saffa.research.baselines.sparse import Descriptor

MAGNITUDES, DIRECTIONS, CONTENT = 50, 72, 80
TURNING, BLOCKS_TURNING, WIDENED, TURN_WEIGHT = 0.03, 23, 30, 0.1
"""A camera turns where more than 23 of 25 blocks move sideways together by more than .03 of the width; 30 frames around
it count with weight .1, which makes them near and so likely to be taken."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PictureDescriptor:
    """What a video shows: measures of every frame, and content (T, ≤ 80) with its row for every frame (F,)."""

    footage: Footage
    content: Floats = field(repr=False)
    row_of_frame: NDArray[np.intp] = field(repr=False)

    @classmethod
    def of(cls, video: Video, progress: Progress = lambda _: None) -> PictureDescriptor:
        """Two passes over the file: every picture small, and about two a second through the classifier."""
        footage = watch(video, lambda share: progress(0.8 * share))
        seen = see(video, progress=lambda share: progress(0.8 + 0.2 * share))
        return cls.joined(footage, seen, video.times())

    @classmethod
    def joined(cls, footage: Footage, seen: SeenVideo, seconds: Floats) -> PictureDescriptor:
        """The features seen last at the time of each frame."""
        features = seen.features.astype(np.float64)
        features -= features.mean(0)
        left, scale, _ = np.linalg.svd(features, full_matrices=False)
        content = left[:, :CONTENT] * scale[:CONTENT]
        rows = np.clip(np.searchsorted(seen.times, seconds + 1e-6, side="right") - 1, 0, None)
        return cls(footage, content / max(float(np.abs(content).max()), 1e-9), rows)

    def descriptor(self, score: Floats) -> Descriptor:
        """With the score of every frame, 0..100."""
        size = np.array([self.footage.width, self.footage.height], np.float32)
        flow: NDArray[np.float32] = self.footage.flow.coarse() / size
        parts: list[NDArray[np.floating]] = [
            histograms(np.linalg.norm(flow, axis=2), MAGNITUDES),
            histograms(np.arctan2(flow[..., 1], flow[..., 0]), DIRECTIONS),
            self.footage.moments,
            self.content[self.row_of_frame],
            score[:, None] / 100,
        ]
        return Descriptor.of(np.concatenate(parts, 1), turn_weights(flow[..., 0]))


def histograms(values: NDArray[np.float32], bins: int) -> Floats:
    """Share of each frame's values in bins whose edges span the whole video, (F, bins)."""
    low, high = float(values.min()), float(values.max())
    place = np.clip(((values - low) / max(high - low, 1e-12) * bins).astype(np.int64), 0, bins - 1)
    out = np.zeros((len(values), bins))
    np.add.at(out, (np.arange(len(values))[:, None], place), 1 / values.shape[1])
    return out


def turn_weights(sideways: NDArray[np.float32]) -> Floats:
    """1, or .1 around frames where the camera turns; sideways flow in widths, (F, 25)."""
    right = (sideways > TURNING).sum(1) > BLOCKS_TURNING
    left = (sideways < -TURNING).sum(1) > BLOCKS_TURNING
    spread = np.convolve((right | left).astype(np.float64), np.ones(WIDENED))
    first = (WIDENED - 1) // 2
    return np.where(spread[first : first + len(sideways)] > 0.5, TURN_WEIGHT, 1.0)
