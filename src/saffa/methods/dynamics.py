"""How the skip between selected frames may change: the same rule for the agent and the planner, and its other ramps.

The agent has a velocity ν (the skip, in frames) and an acceleration ω. Each step it accelerates, does
nothing or decelerates (paper §3.2.1). The released code changes ω first and ν with the new ω
(`variant="code"`); the paper's text changes ν with the old ω, then ω (`variant="paper"`).

The planner also knows gentler and harder ramps. `normal` is `Dynamics`. `hard` may double or halve the speed with every
frame. `soft` climbs a ladder of speeds, each at most about 1.4 times the one before, and stays on every rung for a
quarter of a second of output.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Literal, Protocol, get_args

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Doubles, Ints

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
        """A copy of this rule with another highest velocity."""
        return replace(self, max_velocity=max_velocity)

    def state(self, velocity: int, acceleration: int) -> int:
        """Index of a (velocity, acceleration) pair."""
        return (velocity - self.min_velocity) * self.max_acceleration + acceleration - 1

    def velocities(self) -> Ints:
        """Velocity of each state, shape (states,)."""
        return self.min_velocity + np.arange(self.states) // self.max_acceleration

    def paces(self) -> Doubles:
        """Speed of each state, shape (states,)."""
        return self.velocities().astype(np.float64)

    def successors(self) -> Ints:
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
        """A copy of this rule with another highest velocity."""

    def state(self, velocity: int, acceleration: int) -> int:
        """A state to begin in, of this velocity or the nearest there is."""

    def velocities(self) -> Ints:
        """Velocity of each state, shape (states,); that of the last is the highest."""

    def paces(self) -> Doubles:
        """Speed that the states of a pattern of velocities have together, shape (states,)."""

    def successors(self) -> Ints:
        """State after each action, shape (states, 3)."""


Ramp = Literal["soft", "normal", "hard"]
RAMPS: tuple[str, ...] = get_args(Ramp)
STAY = Fraction(1, 4)
"""Seconds of output on each rung of the soft ladder."""
STEEPEST = 1.4
"""Ratio of neighbouring rungs where whole numbers allow it."""
PATTERNS = ((1,), (1, 1, 2), (1, 2, 2), (2,), (2, 2, 3), (2, 3, 3), (3,))
"""Skips that are repeated on the lowest rungs: between 1, 2 and 3 whole numbers alone would jump."""


def limits_for(ramp: str, dynamics: Dynamics, rate: Fraction) -> SpeedLimits:
    """The rule of that name within the same limits of speed; `rate` is that of the output."""
    if ramp == "normal":
        return dynamics
    if ramp == "hard":
        return HardRamp(dynamics.min_velocity, dynamics.max_velocity)
    if ramp == "soft":
        return SoftRamp(dynamics.min_velocity, dynamics.max_velocity, max(2, ceil(rate * STAY)))
    raise InputError(f"--ramp {ramp!r} is not known; choose {', '.join(RAMPS)}.")


@dataclass(frozen=True)
class HardRamp:
    """Each step doubles the velocity, keeps it or halves it."""

    min_velocity: int
    max_velocity: int

    def raised(self, max_velocity: int) -> HardRamp:
        """A copy of this rule with another highest velocity."""
        return replace(self, max_velocity=max_velocity)

    def state(self, velocity: int, acceleration: int) -> int:  # noqa: ARG002
        """The state of a velocity; there is no acceleration."""
        return velocity - self.min_velocity

    def velocities(self) -> Ints:
        """Velocity of each state, shape (states,)."""
        return np.arange(self.min_velocity, self.max_velocity + 1)

    def paces(self) -> Doubles:
        """Speed of each state, shape (states,)."""
        return self.velocities().astype(np.float64)

    def successors(self) -> Ints:
        """State after each action, shape (states, 3)."""
        v = self.velocities()
        changed = np.stack([2 * v, v, v // 2], axis=1)
        return np.clip(changed, self.min_velocity, self.max_velocity) - self.min_velocity


@dataclass(frozen=True)
class SoftRamp:
    """A ladder of speeds; `stay` steps at least on each rung. State = (steps since it was reached, rung)."""

    min_velocity: int
    max_velocity: int
    stay: int

    def rungs(self) -> list[tuple[int, ...]]:
        """Skips that are repeated on each rung, slowest first."""
        low, high = self.min_velocity, self.max_velocity
        found: list[tuple[int, ...]] = [p for p in PATTERNS if low <= min(p) and max(p) <= high]
        top = max((max(p) for p in found), default=low)
        found = found or [(low,)]
        while top < high:
            top = min(high, max(top + 1, int(top * STEEPEST)))
            found.append((top,))
        return found

    def _length(self) -> int:
        """States of a rung: the stay, and a whole number of repetitions to go on with."""
        return self.stay + 3

    def raised(self, max_velocity: int) -> SoftRamp:
        """A copy of this rule with another highest velocity."""
        return replace(self, max_velocity=max_velocity)

    def state(self, velocity: int, acceleration: int) -> int:  # noqa: ARG002
        """The last state of the stay on the rung nearest to the velocity: it may be left at once."""
        means = [sum(p) / len(p) for p in self.rungs()]
        rung = min(range(len(means)), key=lambda i: abs(means[i] - velocity))
        return (self._length() - 1) * len(means) + rung

    def velocities(self) -> Ints:
        """Velocity of each state, shape (states,)."""
        return np.array([p[k % len(p)] for k in range(self._length()) for p in self.rungs()])

    def paces(self) -> Doubles:
        """Mean speed of each state's rung, shape (states,)."""
        return np.tile([sum(p) / len(p) for p in self.rungs()], self._length())

    def successors(self) -> Ints:
        """State after each action, shape (states, 3): state k x rungs + rung was reached k steps ago.

        So the states that leave no choice, those of the stay, come first.
        """
        periods = [len(p) for p in self.rungs()]
        length, count = self._length(), len(periods)
        table = np.empty((length * count, 3), np.int64)
        for k in range(length):
            for rung, period in enumerate(periods):
                here = (k + 1 if k + 1 < length else length - period) * count + rung
                may_leave = k >= self.stay - 1
                up = rung + 1 if may_leave and rung + 1 < count else here
                down = rung - 1 if may_leave and rung > 0 else here
                table[k * count + rung] = up, here, down
        return table
