"""The length controller's tables: which actions still allow the wanted number of frames, by the dynamics alone."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from saffa.agent.dynamics import Dynamics

if TYPE_CHECKING:
    from saffa.agent.plus_moves import Rules

MAX_CELLS = 4_000_000  # of a table; beyond it a distance is continued at full or at least speed


@lru_cache(maxsize=4)
def rules_for(dynamics: Dynamics) -> Rules:
    """The dynamics with the fewest and most steps to the end from every (distance, velocity, acceleration)."""
    from saffa.agent.plus_moves import Rules  # noqa: PLC0415 (numba)
    from saffa.agent.plus_steps import step_bounds  # noqa: PLC0415

    velocities, successors = dynamics.velocities(), dynamics.successors()
    reach = min(max(1500, dynamics.max_velocity**2), MAX_CELLS // dynamics.states)
    return Rules(velocities, successors, *step_bounds(reach, velocities, successors))
