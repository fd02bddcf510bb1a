"""Prices per frame to begin with: one that gives too many steps and one that gives too few, both near the right one.

A crude model tells how many steps a price gives: frames worth more than the price are all taken, others at the highest
speed. How far it is off hardly changes with the price, so one try tells where the right price is.
"""

from __future__ import annotations

import numpy as np

from saffa.core.types import Doubles

LEVELS = 2000
"""Values of the reward that the model knows."""
BEYOND, MORE = 0.01, 4
"""The second try aims so much below or above the wanted steps, each that stays on the same side MORE times as much."""
TRIES = 5
"""On the same side, before the end is tried."""


class PriceGuess:
    """Guesses for a reward (frames,) and a wanted number of steps; prices lie within ±`reach`.

    `bound` of the steps are taken elsewhere, whatever the price.
    """

    def __init__(self, reward: Doubles, fastest: int, reach: float, steps: int, bound: float = 0.0) -> None:
        self._levels = np.sort(reward[:: max(1, len(reward) // LEVELS)])[::-1] if len(reward) else np.zeros(1)
        self._shares = np.linspace(1 / fastest, 1, len(self._levels))  # of the frames that are worth a level or more
        self._reach, self._steps, self._bound = reach, max(1.0, steps - bound), bound
        self._tries = 0
        self.first = self._price_of(self._steps / max(1, len(reward)))

    def beyond(self, price: float, steps: int) -> float | None:
        """A price on the other side of the right one, after one that gave so many steps; None if there is none."""
        taken = steps - self._bound
        side = 1 if taken > self._steps else -1
        if price == side * self._reach:
            return None
        goal = self._steps * (1 - side * BEYOND * MORE**self._tries)
        self._tries += 1
        share = float(np.interp(-price, -self._levels, self._shares))
        guess = self._price_of(share * goal / max(taken, 1.0))
        return guess if self._tries < TRIES and price * side < guess * side else side * self._reach

    def _price_of(self, share: float) -> float:
        return float(np.interp(share, self._shares, self._levels))
