"""What `saffa+` is paid for a frame while it learns: by relevance. No step boundaries are used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saffa.methods.plus.moves import Curve
from saffa.methods.plus.plus import Prior

Floats = NDArray[np.float64]

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
    better one.
    """

    enough: float = 0.5
    slope: float = 0.1

    def of(self, curve: Curve) -> Floats:
        """Of each frame, (frames,)."""
        relevance = relevance_of(curve, relative=True)
        return np.where(relevance > self.enough, self.enough + self.slope * (relevance - self.enough), relevance)


@dataclass(frozen=True)
class Chance:
    """A frame's share in the expected F1 of its video, for an encoder whose relevance is the chance of a step.

    F1 is 2·hits / (selected + relevant frames), so what counts is the chance that a frame belongs to a step. `unit`
    makes rewards of size 1.
    """

    unit: float = 1.0

    @classmethod
    def of_scale(cls, prior: Prior) -> Chance:
        """For an encoder whose relevance has this mean and deviation."""
        return cls((prior.mean + SELECTED) / prior.deviation if prior.deviation > 0 else 1.0)

    def of(self, curve: Curve) -> Floats:
        """Reward of each frame, (frames,), 0 on the average. A step counts more where steps are rare, as in F1."""
        chance = np.clip(relevance_of(curve), 0.0, 1.0)
        mean = float(chance.mean())
        return np.asarray(self.unit * (chance - mean) / (mean + SELECTED))


def relevance_of(curve: Curve, relative: bool = False) -> Floats:
    """Of each frame, (frames,); `relative`: in deviations from the video's mean."""
    relevance = np.interp(np.arange(curve.frames) / curve.rate, curve.times, curve.relevance)
    return (relevance - relevance.mean()) / max(float(relevance.std()), 1e-9) if relative else relevance
