"""SAS, Sparse Adaptive Sampling (Silva et al., CVPR 2018; method.md E).

1. Ranges where the score is high and a speed for each level (`ranges`). The score is the encoder's
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
from saffa.core.selection import Selection, check_speed
from saffa.core.types import Doubles, Floats, Ints, Share
from saffa.core.video import Axis, Narration, Video
from saffa.encoders.visual.frame_features import SeenVideo, see
from saffa.research.baselines.appearance import Appearance
from saffa.research.baselines.footage import Footage, watch
from saffa.research.baselines.ranges import ScoreRange, level_speeds, scaled_score, score_ranges
from saffa.research.baselines.smoothing import smoothed
from saffa.research.baselines.sparse import Descriptor

MAGNITUDES, DIRECTIONS, CONTENT = 50, 72, 80
TURNING, BLOCKS_TURNING, WIDENED, TURN_WEIGHT = 0.03, 23, 30, 0.1
"""A camera turns where more than 23 of 25 blocks move sideways together by more than .03 of the width; 30 frames around
it count with weight .1, which makes them near and so likely to be taken."""


@dataclass(frozen=True, eq=False)
class PictureDescriptor:
    """What a video shows: measures of every frame, and content (T, ≤ 80) with its row for every frame (F,)."""

    footage: Footage
    content: Doubles = field(repr=False)
    row_of_frame: Ints = field(repr=False)

    @classmethod
    def of(cls, video: Video, progress: Share = lambda _: None) -> PictureDescriptor:
        """Two passes over the file: every picture small, and about two a second through the classifier."""
        footage = watch(video, lambda share: progress(0.8 * share))
        seen = see(video, progress=lambda share: progress(0.8 + 0.2 * share))
        return cls.joined(footage, seen, video.times())

    @classmethod
    def joined(cls, footage: Footage, seen: SeenVideo, seconds: Doubles) -> PictureDescriptor:
        """The features seen last at the time of each frame."""
        features = seen.features.astype(np.float64)
        features -= features.mean(0)
        left, scale, _ = np.linalg.svd(features, full_matrices=False)
        content = left[:, :CONTENT] * scale[:CONTENT]
        rows = np.clip(np.searchsorted(seen.times, seconds + 1e-6, side="right") - 1, 0, None)
        return cls(footage, content / max(float(np.abs(content).max()), 1e-9), rows)

    def descriptor(self, score: Doubles) -> Descriptor:
        """Describe every frame; `score` has a number for each, 0..100."""
        size = np.array([self.footage.width, self.footage.height], np.float32)
        flow: Floats = self.footage.flow.coarse() / size
        parts: list[NDArray[np.floating]] = [
            histograms(np.linalg.norm(flow, axis=2), MAGNITUDES),
            histograms(np.arctan2(flow[..., 1], flow[..., 0]), DIRECTIONS),
            self.footage.moments,
            self.content[self.row_of_frame],
            score[:, None] / 100,
        ]
        return Descriptor.of(np.concatenate(parts, 1), turn_weights(flow[..., 0]))


def histograms(values: Floats, bins: int) -> Doubles:
    """Share of each frame's values in bins whose edges span the whole video, (F, bins)."""
    low, high = float(values.min()), float(values.max())
    place = np.clip(((values - low) / max(high - low, 1e-12) * bins).astype(np.int64), 0, bins - 1)
    out = np.zeros((len(values), bins))
    np.add.at(out, (np.arange(len(values))[:, None], place), 1 / values.shape[1])
    return out


def turn_weights(sideways: Floats) -> Doubles:
    """1, or .1 around frames where the camera turns; sideways flow in widths, (F, 25)."""
    right = (sideways > TURNING).sum(1) > BLOCKS_TURNING
    left = (sideways < -TURNING).sum(1) > BLOCKS_TURNING
    spread = np.convolve((right | left).astype(np.float64), np.ones(WIDENED))
    first = (WIDENED - 1) // 2
    return np.where(spread[first : first + len(sideways)] > 0.5, TURN_WEIGHT, 1.0)


ABSORB = 150
"""Frames: shorter gaps between ranges go to their neighbour."""
TOLERANCE = 0.25
"""How far the speed of all levels together may be off: half of BoT's, for nothing corrects it later."""


@dataclass(frozen=True, eq=False)
class SasVideo:
    """A video as SAS works on it: its ranges with their speeds, how frames look and what describes them."""

    ranges: tuple[ScoreRange, ...]
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

    pictures: PictureDescriptor | None = field(default=None, repr=False)
    name: str = "sas"
    reads_text: bool = True

    def watching(self, video: Axis, narration: Narration | None, progress: Share) -> Sas:  # noqa: ARG002
        """This method, ready for what the video shows."""
        return replace(self, pictures=PictureDescriptor.of(video, progress) if isinstance(video, Video) else None)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Plan over the whole video; the name says what the descriptor was."""
        speed = check_speed(speed)
        frames = self.sample(cut(alignment, speed, self.pictures))
        seen = "features" if self.pictures is None else "classifier for YOLO"
        return Selection(frames, alignment.frames, speed, f"{self.name} ({seen})")

    def sample(self, video: SasVideo) -> Ints:
        """Every range from its first frame to the start of the next one."""
        parts = []
        for r, speed, frames in zip(video.ranges, video.speeds, video.sparse(), strict=True):
            begun = np.union1d([r.start], frames)
            parts.append(smoothed(begun, r.end, max(1, round(r.frames / speed)), speed, video.appearance))
        return np.concatenate(parts)


def cut(alignment: Alignment, speed: float, pictures: PictureDescriptor | None) -> SasVideo:
    """Ranges by relevance; descriptor and appearance from pictures, or from the encoder's features."""
    rows = alignment.row_of_frame()
    score = scaled_score(alignment.relevance[rows].astype(np.float64))
    ranges = tuple(score_ranges(score, float(alignment.rate), ABSORB))
    levels = level_speeds(ranges, speed, TOLERANCE)
    speeds = tuple(levels[r.level] for r in ranges)
    if pictures is None:
        return SasVideo(ranges, speeds, Appearance.of_features(alignment), Descriptor.of_features(alignment))
    return SasVideo(ranges, speeds, pictures.footage.colours, pictures.descriptor(score))
