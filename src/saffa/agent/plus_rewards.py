"""What `saffa+` is paid for a frame: its share in the expected F1 of the video.

F1 is 2·hits / (selected + relevant frames), so what counts is the chance that a frame belongs to a step. Relevance is
not that chance: one encoder's grows with it all the way up, another's is as sure of the good half as of the best tenth.
The chances of each encoder are read off the steps of its training videos; nothing else of the steps is used. Some
encoders mean the same by a number in every video; for others only the order within a video counts, so that relevance is
first given in deviations from the video's mean. Whatever tells the steps better is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from saffa.agent.plus_moves import Curve

Floats = NDArray[np.float64]
Steps = Sequence[tuple[int, int]]

LEVELS = 40
SELECTED = 1 / 12
"""Of all frames, at the benchmarks' speed."""


@dataclass(frozen=True, eq=False)
class Pay:
    """What relevance is worth.

    levels, chances  (k,)  the chance of a step by relevance, both rising
    unit                   makes rewards of size 1
    relative               whether relevance is given in deviations from the video's mean
    """

    levels: Floats
    chances: Floats
    unit: float = 1.0
    relative: bool = False

    def chance(self, curve: Curve) -> Floats:
        """Of each frame, (frames,)."""
        return np.asarray(np.interp(relevance_of(curve, self.relative), self.levels, self.chances))

    def of(self, curve: Curve) -> Floats:
        """Reward of each frame, (frames,), 0 on the average. A step counts more where steps are rare, as in F1."""
        chance = self.chance(curve)
        mean = float(chance.mean())
        return np.asarray(self.unit * (chance - mean) / (mean + SELECTED))


def relevance_of(curve: Curve, relative: bool = False) -> Floats:
    """Of each frame, (frames,); `relative`: in deviations from the video's mean."""
    relevance = np.interp(np.arange(curve.frames) / curve.rate, curve.times, curve.relevance)
    return (relevance - relevance.mean()) / max(float(relevance.std()), 1e-9) if relative else relevance


def pay_for(curves: Sequence[Curve], steps: Sequence[Steps]) -> Pay:
    """From curves and the steps of their videos."""
    moments = [np.arange(0, curve.frames, max(round(curve.rate / 2), 1)) for curve in curves]
    inside = np.concatenate([_inside(own, at) for own, at in zip(steps, moments, strict=True)])
    found = []
    for relative in (False, True):
        parts = [relevance_of(curve, relative)[at] for curve, at in zip(curves, moments, strict=True)]
        found.append(_fitted(np.concatenate(parts), inside, relative))
    return min(found, key=itemgetter(0))[1]


def _fitted(relevance: Floats, inside: Floats, relative: bool) -> tuple[float, Pay]:
    """Mean squared error of the chances, and the pay; by levels of relevance with equally many moments (n,) each."""
    order = np.argsort(relevance, kind="stable")
    parts = [part for part in np.array_split(order, LEVELS) if len(part)]
    levels = np.array([relevance[part].mean() for part in parts])
    share = np.array([inside[part].mean() for part in parts])
    # More relevance never means less chance: halfway between the least rising curve above and the greatest below.
    rising = (np.maximum.accumulate(share) + np.minimum.accumulate(share[::-1])[::-1]) / 2
    every = np.interp(relevance, levels, rising)
    spread = float(every.std())
    unit = (float(every.mean()) + SELECTED) / spread if spread > 0 else 1.0
    return float(np.square(inside - every).mean()), Pay(levels, rising, unit, relative)


def _inside(steps: Steps, frames: NDArray[np.int64]) -> Floats:
    """1 for frames within a step [start, end), (n,)."""
    found = np.zeros(len(frames))
    for start, end in steps:
        found[(frames >= start) & (frames < end)] = 1.0
    return found
