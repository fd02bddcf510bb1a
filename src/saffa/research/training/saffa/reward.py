"""What the agent is paid (paper eq. 3): e_D·e_v on the way, closeness to the target speed at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from saffa.methods.paper.embedding_track import Track

Weight = Literal["F*", "F", "0"]
"""λ: the wanted number of frames F* = ⌊F/S*⌋ (the paper's), all frames, or no speed term at all."""


@dataclass(frozen=True)
class Reward:
    """λ and σ of the speed term; the defaults are the authors'.

    centre  pay e_D·e_v less its mean over the video, so that a step earns only where the text fits better than usual
    """

    weight: Weight = "F*"
    sigma: float = 0.5
    centre: bool = False

    def __post_init__(self) -> None:
        if self.weight not in ("F*", "F", "0"):
            raise ValueError(f"unknown weight {self.weight!r}: use 'F*', 'F' or '0'")
        if not 0 < self.sigma < math.inf:
            raise ValueError(f"sigma must be a number above 0, not {self.sigma:g}")

    def terminal(self, frames: int, speed: float, average_skip: float) -> float | None:
        """λ exp(−½((average − S*)/σ)²), or None where λ is 0: then the last step too is paid for its frame."""
        factor = {"F*": int(frames // speed), "F": frames, "0": 0}[self.weight]
        if factor == 0:
            return None
        return factor * math.exp(-0.5 * ((average_skip - speed) / self.sigma) ** 2)

    def on_the_way(self, track: Track, reached: NDArray[np.int64]) -> NDArray[np.float64]:
        """What landing on n frames earns, (n,)."""
        fits = track.fit_at(reached).astype(np.float64)
        return fits - track.mean_fit if self.centre else fits

    def of_episode(
        self, track: Track, reached: NDArray[np.int64], speed: float, average_skip: float
    ) -> NDArray[np.float64]:
        """Rewards (n,) of an episode from the frames it reached, (n,)."""
        rewards = self.on_the_way(track, reached)
        last = self.terminal(track.frames, speed, average_skip)
        if last is not None:
            rewards[-1] = last
        return rewards
