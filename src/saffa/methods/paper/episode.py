"""One walk through a video: where it starts, how it moves, when it ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

from saffa.core.errors import InputError
from saffa.methods.dynamics import Dynamics, Variant
from saffa.methods.paper.observation import skip_index

SPEEDS = (1, 24)  # S* in training is drawn from these whole numbers, both ends included

Start = Literal["target", "one"]
"""First velocity: the target speed (the authors' environment), or 1 (their hub demo)."""


@dataclass(frozen=True)
class Rules:
    """What differs between methods; the defaults are SAFFA's (method.md A5).

    max_velocity  ν_max; None is the paper's 25, which rises for targets above it
    keeps_end     a move past the last frame selects the last frame; otherwise it selects nothing
    """

    variant: Variant = "code"
    max_velocity: int | None = None
    keeps_end: bool = True

    def dynamics(self, speed: float) -> Dynamics:
        """Bounds for a target speed."""
        dynamics = Dynamics.for_speed(speed, self.variant)
        return dynamics if self.max_velocity is None else replace(dynamics, max_velocity=self.max_velocity)

    def first_velocity(self, speed: float, start: Start = "target") -> int:
        """The target in whole frames, within the bounds; or 1."""
        if start not in get_args(Start):
            raise InputError(f"Unknown start {start!r}: use 'target' or 'one'.")
        if start == "one":
            return 1
        return min(max(round(speed), 1), self.dynamics(speed).max_velocity)

    def end(self, frames: int) -> int:
        """An episode is over when frame + velocity gets here."""
        return frames - 1 if self.keeps_end else frames


class _Moves(dict[tuple[int, int, int], tuple[int, int]]):
    """`Dynamics.step` by velocity, acceleration and action, each worked out once."""

    def __init__(self, dynamics: Dynamics) -> None:
        self._dynamics = dynamics

    def __missing__(self, key: tuple[int, int, int]) -> tuple[int, int]:
        found = self[key] = self._dynamics.step(*key)
        return found


@lru_cache(maxsize=32)
def _moves(dynamics: Dynamics) -> _Moves:
    return _Moves(dynamics)


class Episode:
    """The agent's place in a video. It starts on frame 0, which is not in the list of selected frames.

    The average skip counts the first velocity and the last one unclamped, as the authors' does.
    """

    def __init__(self, frames: int, speed: float, rules: Rules, start: Start = "target") -> None:
        self.frames = frames
        self.speed = speed
        self.rules = rules
        self.dynamics = rules.dynamics(speed)
        self._moves = _moves(self.dynamics)
        self.frame = 0
        self.velocity = rules.first_velocity(speed, start)
        self.acceleration = 1
        self.done = False
        self._end, self._last = rules.end(frames), frames - 1
        self._total = self.velocity
        self._count = 1

    @property
    def average_skip(self) -> float:
        """Mean of the first velocity and all later ones."""
        return self._total / self._count

    @property
    def skip_index(self) -> int:
        """Place of the 1 in the one-hot vector."""
        return skip_index(self._total / self._count, self.speed)

    @property
    def left(self) -> int:
        """Frames from here to the last one."""
        return self._last - self.frame

    def move(self, action: int) -> None:
        """Take an action and jump."""
        velocity, self.acceleration = self._moves[self.velocity, self.acceleration, action]
        self.velocity = velocity
        self._total += velocity
        self._count += 1
        there = self.frame + velocity
        self.done = there >= self._end
        self.frame = min(there, self._last)
