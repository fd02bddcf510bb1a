"""What a training run of an agent logs about each epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from saffa.core.types import Doubles
from saffa.methods.dynamics import ACTIONS
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.reinforce import Losses


@dataclass(frozen=True)
class EpochFacts:
    """Means over an epoch's episodes, of sampled actions (not of the likeliest ones, which a user gets).

    `skip_error` is |average skip − S*|; `fit` is e_D·e_v over all selected frames.
    """

    epoch: int
    episodes: int
    steps: int
    reward: float
    fit: float
    skip_error: float
    accelerate: float
    nothing: float
    decelerate: float
    entropy: float
    policy_loss: float
    critic_loss: float
    seconds: float

    @property
    def finite(self) -> bool:
        """Whether the losses are numbers still."""
        return all(map(isfinite, (self.policy_loss, self.critic_loss, self.entropy)))


class Tally:
    """Sums that become `EpochFacts`; as one array, so that workers can add theirs."""

    def __init__(self) -> None:
        self.sums: Doubles = np.zeros(8 + len(ACTIONS))

    def add(self, episodes: Sequence[Experience], losses: Losses, batch: int) -> None:
        """Count the episodes of one update; `losses` are those of a batch of `batch`."""
        self.sums[:8] += (
            len(episodes),
            losses.steps,
            sum(float(e.rewards.sum()) for e in episodes),
            sum(float(e.track.fit_at(e.reached).sum()) for e in episodes),
            sum(abs(e.average_skip - e.speed) for e in episodes),
            losses.entropy * losses.steps,
            losses.policy * batch,
            losses.critic * batch,
        )
        for episode in episodes:
            self.sums[8:] += np.bincount(episode.actions, minlength=len(ACTIONS))

    def facts(self, epoch: int, seconds: float) -> EpochFacts:
        """The means."""
        episodes, steps, reward, fit, error, entropy, policy, critic, up, stay, down = self.sums.tolist()
        return EpochFacts(
            epoch=epoch,
            episodes=int(episodes),
            steps=int(steps),
            reward=reward / episodes,
            fit=fit / steps,
            skip_error=error / episodes,
            accelerate=up / steps,
            nothing=stay / steps,
            decelerate=down / steps,
            entropy=entropy / steps,
            policy_loss=policy / episodes,
            critic_loss=critic / episodes,
            seconds=seconds,
        )
