"""Which frames are kept, and how many should be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from saffa.core.corrections import Correction
from saffa.core.errors import InputError
from saffa.core.types import Doubles, Ints

WATCHABLE_SECONDS = 1.0
WATCHABLE_SKIP = 2
"""A step can be watched with at least so many seconds of output, of frames that stand for at most so many."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Selected frames of a video: strictly increasing 0-based indices in presentation order.

    `cuts` are ranges of frames [start, end) that are left out altogether, in order. `corrections` are those that were
    obeyed, with ranges in seconds.
    """

    frames: Ints
    source_frames: int
    target_speed: float
    method: str
    cuts: tuple[tuple[int, int], ...] = ()
    corrections: tuple[Correction, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.frames) or self.frames[0] < 0 or self.frames[-1] >= self.source_frames:
            raise ValueError("a selection holds at least one frame of the video and none outside it")
        if np.any(np.diff(self.frames) <= 0):
            raise ValueError("selected frames must be strictly increasing")
        if any(np.any((self.frames >= start) & (self.frames < end)) for start, end in self.cuts):
            raise ValueError("no selected frame may lie in a cut")

    @property
    def speed(self) -> float:
        """Speed-up that results: source frames per selected frame (OS in the paper)."""
        return self.source_frames / len(self.frames)

    def skips(self) -> Ints:
        """Source frames that each selected frame stands for, shape (selected,): up to the next one, without cuts."""
        skips = np.diff(self.frames, append=self.source_frames)
        for start, end in self.cuts:
            before = int(np.searchsorted(self.frames, start)) - 1
            if before >= 0:
                skips[before] -= end - start
        return skips

    def ends(self) -> Ints:
        """The frame before which the stretch that each selected frame stands for ends, shape (selected,)."""
        return self.frames + self.skips()


def chosen_frames(selection: Selection) -> Doubles:
    """1 for each selected frame, 0 for the others, shape (frames,)."""
    chosen = np.zeros(selection.source_frames)
    chosen[selection.frames] = 1.0
    return chosen


def wanted_frames(frames: int, speed: float) -> int:
    """Number of frames to select for a target speed."""
    return max(1, round(frames / speed))


def even_frames(frames: int, count: int) -> Ints:
    """`count` evenly spaced frames of a video, frame 0 first: k·F/n, rounded down."""
    return np.arange(count) * frames // count


def check_speed(speed: float) -> float:
    """A target speed is a finite number from 1 up."""
    if not math.isfinite(speed) or speed < 1:
        raise InputError(f"The speed must be a number of 1 or more, not {speed:g}.")
    return float(speed)
