"""What the agent is paid (paper eq. 3): how well its frames fit the text, and at the end closeness to S*."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from saffa.core.types import Doubles, Floats, Ints

Weight = Literal["F*", "F", "0"]
"""λ: the wanted number of frames F* = ⌊F/S*⌋ (the paper's), all frames, or no speed term at all."""


class Paid(Protocol):
    """A video whose frames can be paid: `embedding_track.Track`, or `compact.SignalTrack`."""

    @property
    def frames(self) -> int:
        """Length of the video, F."""

    @property
    def mean_fit(self) -> float:
        """Mean of the fit over all frames."""

    def fit_at(self, frames: Ints) -> Floats:
        """How well n frames fit the text, (n,): e_D·e_v, or the relevance."""


@dataclass(frozen=True)
class Reward:
    """λ and σ of the speed term, and departures from the paper; the defaults are the authors' values."""

    weight: Weight = "F*"
    sigma: float = 0.5
    centre: bool = False
    """Pay the fit less its mean over the video: a frame earns only where the text fits better than usual."""
    capped: bool = False
    """Pay F* frames at most: otherwise a walk that is too slow earns more than one at the target speed."""
    per_frame: bool = False
    """Divide by F*: otherwise a slow target counts by far more than a fast one."""
    first_sigma: float | None = None
    """σ falls from here in the first half of the training: far from the target, a narrow σ shows no way to it."""

    def __post_init__(self) -> None:
        if self.weight not in ("F*", "F", "0"):
            raise ValueError(f"unknown weight {self.weight!r}: use 'F*', 'F' or '0'")
        if not 0 < self.sigma < math.inf:
            raise ValueError(f"sigma must be a number above 0, not {self.sigma:g}")

    def after(self, done: float) -> Reward:
        """The reward with the σ that holds after that share of the training."""
        if self.first_sigma is None:
            return self
        fall = (self.sigma / self.first_sigma) ** min(1.0, 2 * done)
        return replace(self, sigma=self.first_sigma * fall, first_sigma=None)

    def terminal(self, frames: int, speed: float, average_skip: float) -> float | None:
        """λ exp(−½((average − S*)/σ)²), or None where λ is 0: then the last step too is paid for its frame."""
        factor = {"F*": int(frames // speed), "F": frames, "0": 0}[self.weight]
        if factor == 0:
            return None
        return factor * math.exp(-0.5 * ((average_skip - speed) / self.sigma) ** 2)

    def on_the_way(self, track: Paid, reached: Ints) -> Doubles:
        """What landing on n frames earns, (n,)."""
        fits = track.fit_at(reached).astype(np.float64)
        return fits - track.mean_fit if self.centre else fits

    def of_episode(self, track: Paid, reached: Ints, speed: float, average_skip: float) -> Doubles:
        """Rewards (n,) of an episode from the frames it reached, (n,)."""
        rewards = self.on_the_way(track, reached)
        budget = max(int(track.frames // speed), 1)
        if self.capped:
            rewards[budget:] = 0
        last = self.terminal(track.frames, speed, average_skip)
        if last is not None:
            rewards[-1] = last
        return rewards / budget if self.per_frame else rewards
