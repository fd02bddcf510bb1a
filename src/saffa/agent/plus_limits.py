"""The length controller: which actions still allow the wanted number of frames, by the dynamics alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saffa.agent.dynamics import Dynamics

MAX_CELLS = 4_000_000  # of a table; beyond it a distance is continued at full or at least speed

Steps = NDArray[np.int32]


class Limits:
    """Fewest and most steps to the last frame from every (distance, velocity, acceleration)."""

    def __init__(self, dynamics: Dynamics) -> None:
        from saffa.agent.plus_steps import step_bounds  # noqa: PLC0415 (numba)

        velocities, successors = dynamics.velocities(), dynamics.successors()
        self.velocity: list[int] = velocities.tolist()
        self.successors: list[list[int]] = successors.tolist()
        self._top, self._low = dynamics.max_velocity, dynamics.min_velocity
        self._reach = min(max(1500, self._top**2), MAX_CELLS // dynamics.states)
        self._few, self._many = step_bounds(self._reach, velocities, successors)

    def gap(self, distance: int, state: int, steps: int) -> int:
        """By how many steps `steps` is out of reach for that distance; 0 if it can be kept."""
        if distance <= 0:
            return abs(steps)
        if distance <= self._reach:
            few, many = self._few.item(distance, state), self._many.item(distance, state)
        else:
            leaps = -(-(distance - self._reach) // self._top)
            few = self._few.item(distance - leaps * self._top, state) + leaps
            many = self._many.item(self._reach, state) + (distance - self._reach) // self._low
        return max(few - steps, steps - many, 0)


@lru_cache(maxsize=4)
def limits(dynamics: Dynamics) -> Limits:
    """The tables are made once per dynamics."""
    return Limits(dynamics)
