"""Inner loop of the length controller, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Steps = NDArray[np.int32]


@njit(cache=True)
def step_bounds(reach: int, velocity: Ints, successors: Ints) -> tuple[Steps, Steps]:
    """Fewest and most steps that cover d frames from each state, both of shape (reach + 1, states)."""
    states = len(velocity)
    few = np.zeros((reach + 1, states), np.int32)
    many = np.zeros((reach + 1, states), np.int32)
    for distance in range(1, reach + 1):
        for s in range(states):
            least = np.int32(1 << 30)
            most = np.int32(0)
            for a in range(3):
                then = successors[s, a]
                left = max(distance - velocity[then], 0)
                least = min(least, few[left, then] + 1)
                most = max(most, many[left, then] + 1)
            few[distance, s] = least
            many[distance, s] = most
    return few, many
