"""What `saffa+` is paid for a frame while it learns: by relevance (`Enough`) or by the chance of a step (`Pay`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saffa.agent.plus_moves import Curve

Floats = NDArray[np.float64]
Steps = Sequence[tuple[int, int]]

LEVELS = 40
SELECTED = 1 / 12
"""Of all frames, at the benchmarks' speed."""


class Reward(Protocol):
    """What the frames of a video are worth."""

    def of(self, curve: Curve) -> Floats:
        """Of each frame, (frames,)."""


@dataclass(frozen=True)
class Enough:
    """Relevance in deviations from the video's mean; above `enough` it counts by `slope` only.

    Any sure step is as good as another. That makes the agent take a good moment that is there instead of waiting for a
    better one. Needs to know no steps.
    """

    enough: float = 0.5
    slope: float = 0.1

    def of(self, curve: Curve) -> Floats:
        """Of each frame, (frames,)."""
        relevance = relevance_of(curve, relative=True)
        return np.where(relevance > self.enough, self.enough + self.slope * (relevance - self.enough), relevance)


@dataclass(frozen=True, eq=False)
class Pay:
    """A frame's share in the expected F1 of its video.

    F1 is 2·hits / (selected + relevant frames), so what counts is the chance that a frame belongs to a step. Relevance
    is not that chance; how they go together is read off the steps of an encoder's training videos.

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
    """From curves and the steps of their videos.

    Some encoders mean the same by a number in every video; for others only the order within a video counts, so that
    deviations from its mean tell the steps better. Whatever does is taken.
    """
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
