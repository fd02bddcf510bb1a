"""What one episode left for learning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from saffa.core.types import Doubles, Flags, Floats, Ints
from saffa.research.training.saffa.reward import Paid, Reward


@dataclass(frozen=True, eq=False)
class Experience:
    """One sampled episode of n steps: enough to rebuild its states, and what it earned.

    visited, reached  (n,)  frame before and after each action
    actions           (n,)
    skip_indices      (n,)  place of the 1 in the one-hot vector, before each action
    rewards           (n,)
    states            (n, STATE)  of the compact agent, before each action
    permitted         (n, 3)      actions that it might take
    """

    track: Paid
    speed: float
    visited: Ints = field(repr=False)
    reached: Ints = field(repr=False)
    actions: Ints = field(repr=False)
    skip_indices: Ints = field(repr=False)
    average_skip: float
    rewards: Doubles = field(repr=False)
    states: Floats | None = field(default=None, repr=False)
    permitted: Flags | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def of(
        cls,
        track: Paid,
        speed: float,
        reached: Ints,
        actions: Ints,
        skip_indices: Ints,
        average_skip: float,
        reward: Reward,
    ) -> Experience:
        """Add where each action was taken and what it earned."""
        return cls(
            track=track,
            speed=speed,
            visited=np.concatenate([[0], reached[:-1]]),
            reached=reached,
            actions=actions,
            skip_indices=skip_indices,
            average_skip=average_skip,
            rewards=reward.of_episode(track, reached, speed, average_skip),
        )
