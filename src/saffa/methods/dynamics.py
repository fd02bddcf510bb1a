"""How the skip between selected frames may change: the same rule for the agent and the planner.

The agent has a velocity ν (the skip, in frames) and an acceleration ω. Each step it accelerates, does
nothing or decelerates (paper §3.2.1). The released code changes ω first and ν with the new ω
(`variant="code"`); the paper's text changes ν with the old ω, then ω (`variant="paper"`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

ACCELERATE, NOTHING, DECELERATE = 0, 1, 2
ACTIONS = (ACCELERATE, NOTHING, DECELERATE)
MAX_VELOCITY = 25
MAX_ACCELERATION = 5

Variant = Literal["code", "paper"]


@dataclass(frozen=True)
class Dynamics:
    """Bounds of velocity and acceleration, and the order in which an action changes them."""

    variant: Variant = "code"
    min_velocity: int = 1
    max_velocity: int = MAX_VELOCITY
    max_acceleration: int = MAX_ACCELERATION

    def __post_init__(self) -> None:
        if not 1 <= self.min_velocity <= self.max_velocity:
            raise ValueError(f"velocities {self.min_velocity}..{self.max_velocity} are not a range from 1 up")
        if self.variant not in ("code", "paper"):
            raise ValueError(f"unknown dynamics {self.variant!r}: use 'code' or 'paper'")

    @classmethod
    def for_speed(cls, speed: float, variant: Variant = "code") -> Dynamics:
        """The paper's bounds; above 25× the ceiling rises to twice the target, so that there is room to slow down."""
        ceiling = MAX_VELOCITY if speed <= MAX_VELOCITY else ceil(2 * speed)
        return cls(variant=variant, max_velocity=ceiling)

    def step(self, velocity: int, acceleration: int, action: int) -> tuple[int, int]:
        """Velocity and acceleration after one action."""
        sign = {ACCELERATE: 1, NOTHING: 0, DECELERATE: -1}[action]
        changed = min(max(acceleration + sign, 1), self.max_acceleration)
        push = changed if self.variant == "code" else acceleration
        moved = min(max(velocity + sign * push, self.min_velocity), self.max_velocity)
        return moved, changed

    @property
    def states(self) -> int:
        """Number of (velocity, acceleration) pairs."""
        return (self.max_velocity - self.min_velocity + 1) * self.max_acceleration

    def raised(self, max_velocity: int) -> Dynamics:
        """The same rule with another highest velocity."""
        return replace(self, max_velocity=max_velocity)

    def state(self, velocity: int, acceleration: int) -> int:
        """Index of a (velocity, acceleration) pair."""
        return (velocity - self.min_velocity) * self.max_acceleration + acceleration - 1

    def velocities(self) -> NDArray[np.int64]:
        """Velocity of each state, shape (states,)."""
        return self.min_velocity + np.arange(self.states) // self.max_acceleration

    def paces(self) -> NDArray[np.float64]:
        """Speed of each state, shape (states,)."""
        return self.velocities().astype(np.float64)

    def successors(self) -> NDArray[np.int64]:
        """State after each action, shape (states, 3)."""
        pairs = [
            (v, w) for v in range(self.min_velocity, self.max_velocity + 1) for w in range(1, self.max_acceleration + 1)
        ]
        return np.array([[self.state(*self.step(v, w, a)) for a in ACTIONS] for v, w in pairs])


class SpeedLimits(Protocol):
    """How speed may change, as the planner sees it: states with a velocity each, and where three actions lead."""

    @property
    def min_velocity(self) -> int:
        """The slowest there is."""

    @property
    def max_velocity(self) -> int:
        """The fastest there is."""

    def raised(self, max_velocity: int) -> SpeedLimits:
        """The same rule with another highest velocity."""

    def state(self, velocity: int, acceleration: int) -> int:
        """A state to begin in, of this velocity or the nearest there is."""

    def velocities(self) -> NDArray[np.int64]:
        """Velocity of each state, shape (states,); that of the last is the highest."""

    def paces(self) -> NDArray[np.float64]:
        """Speed that the states of a pattern of velocities have together, shape (states,)."""

    def successors(self) -> NDArray[np.int64]:
        """State after each action, shape (states, 3)."""
