"""SAS, Sparse Adaptive Sampling (Silva et al., CVPR 2018; method.md E).

1. Ranges where the score is high and a speed for each level (`ranges`, `speedups`). The score is the encoder's
   relevance; the authors detect faces, pedestrians or (for YouCook2) kitchen objects and do not read the text.
2. A descriptor of every frame. Of a video file: flow, colours, and features of an image classifier where the authors
   count YOLO's objects. Of a benchmark that has no pictures: the encoder's features.
3. Per range, the few frames that reconstruct it (`sparse`), then smoothing up to its length (`smoothing`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.core.narration import Narration
from saffa.core.selection import Selection, check_speed
from saffa.core.video import Axis, Video
from saffa.methods.base import Progress
from saffa.research.baselines.appearance import Appearance
from saffa.research.baselines.picture_descriptor import PictureDescriptor
from saffa.research.baselines.ranges import Range, scaled_score, score_ranges
from saffa.research.baselines.smoothing import smoothed
from saffa.research.baselines.sparse import Descriptor
from saffa.research.baselines.speedups import Allotment, level_speeds

ABSORB = 150
"""Frames: shorter gaps between ranges go to their neighbour."""
TOLERANCE = 0.25
"""Of the speed of the levels together: half of BoT's, for nothing corrects it later."""

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Cut:
    """A video as SAS works on it: its ranges with their speeds, how frames look and what describes them."""

    ranges: tuple[Range, ...]
    speeds: tuple[float, ...]
    appearance: Appearance
    descriptor: Descriptor

    def sparse(self) -> list[Ints]:
        """The reconstructing frames of each range; the first of all is frame 0."""
        found = [
            self.descriptor.sparse_frames(r.start, r.end, speed)
            for r, speed in zip(self.ranges, self.speeds, strict=True)
        ]
        found[0] = np.union1d([0], found[0])
        return found


@dataclass(frozen=True, eq=False)
class Sas:
    """Reads pictures where they are given by `watching`."""

    allotment: Allotment = "length-fair"
    pictures: PictureDescriptor | None = field(default=None, repr=False)
    name: str = "sas"
    reads_text: bool = True

    def watching(self, video: Axis, narration: Narration | None, progress: Progress) -> Sas:  # noqa: ARG002
        """The same with what this video shows."""
        return replace(self, pictures=PictureDescriptor.of(video, progress) if isinstance(video, Video) else None)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Plan over the whole video; the name says what the descriptor was."""
        speed = check_speed(speed)
        frames = self.sample(cut(alignment, speed, self.allotment, self.pictures))
        seen = "features" if self.pictures is None else "classifier for YOLO"
        return Selection(frames, alignment.frames, speed, f"{self.name} ({seen})")

    def sample(self, video: Cut) -> Ints:
        """Every range from its first frame to the start of the next one."""
        parts = []
        for r, speed, frames in zip(video.ranges, video.speeds, video.sparse(), strict=True):
            begun = np.union1d([r.start], frames)
            parts.append(smoothed(begun, r.end, max(1, round(r.frames / speed)), speed, video.appearance))
        return np.concatenate(parts)


def cut(alignment: Alignment, speed: float, allotment: Allotment, pictures: PictureDescriptor | None) -> Cut:
    """Ranges by relevance; descriptor and appearance from pictures, or from the encoder's features."""
    rows = alignment.row_of_frame()
    score = scaled_score(alignment.relevance[rows].astype(np.float64))
    ranges = tuple(score_ranges(score, float(alignment.rate), ABSORB))
    levels = level_speeds(ranges, speed, allotment, TOLERANCE)
    speeds = tuple(levels[r.level] for r in ranges)
    if pictures is None:
        return Cut(ranges, speeds, Appearance.of_features(alignment), Descriptor.of_features(alignment))
    return Cut(ranges, speeds, pictures.footage.colours, pictures.descriptor(score))
