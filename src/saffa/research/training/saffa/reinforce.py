"""REINFORCE with a learned baseline and an entropy bonus (paper eqs. 4-8), many episodes in one backward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import Parameter

from saffa.core.types import Doubles, Floats, Ints
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.networks import Network

PIECE = 16_384  # steps in one backward pass; more episodes only add gradients, so memory stays bounded


@dataclass(frozen=True)
class Learning:
    """How the networks learn; the defaults are the authors' (method.md A6)."""

    lr: float = 5e-5
    """Step size of the policy."""
    critic_lr: float = 1e-3
    gamma: float = 0.99
    """Discount."""
    entropy_beta: float = 0.01
    """Weight of the entropy bonus."""
    weight_decay: float = 1e-5
    """L2 penalty, added to the gradient before Adam (not AdamW's)."""
    normalise: bool = False
    """Whether the advantages of an episode are shifted and scaled to mean 0 and deviation 1."""
    group: bool = False
    """Baseline: the mean return that the other episodes of the same video and S* had from the same frame on, instead of
    a critic, which cannot know how good the rest of a video is; advantages have mean 0 and deviation 1 in an update."""
    last_lr: float = 1.0
    """Share of `lr` that is left at the end, linearly: large steps find the speed, small ones the best frames."""

    def __post_init__(self) -> None:
        for name in ("lr", "critic_lr", "entropy_beta", "weight_decay"):
            if not 0 <= getattr(self, name) < inf:
                raise ValueError(f"{name} must be 0 or a number above, not {getattr(self, name):g}")
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must lie in 0..1, not {self.gamma:g}")


class Told(Protocol):
    """Facts that can be stored with the weights."""

    def to_json(self) -> dict[str, Any]:
        """These facts as plain values."""


class Learnable(Protocol):
    """Policy and critic of an agent, in PyTorch: `networks.PublishedNetworks`, or `compact.CompactNetworks`."""

    policy: Network
    critic: Network

    @property
    def traits(self) -> Told:
        """What the agent is."""

    def parameters(self) -> Iterator[Parameter]:
        """All weights."""

    def inputs(self, episodes: Sequence[Experience]) -> tuple[Floats, Ints, Floats]:
        """All states of the episodes as `Network.of_parts` takes them."""


N = TypeVar("N", bound=Learnable)


@dataclass(frozen=True)
class Losses:
    """Losses of one update: sums over time, means over episodes."""

    policy: float
    critic: float
    entropy: float
    """Mean over steps."""
    steps: int


def returns(rewards: Doubles, gamma: float) -> Doubles:
    """R_t = r_t + γ R_{t+1}, shape (n,)."""
    out = np.empty(len(rewards))
    total = 0.0
    for step in range(len(rewards) - 1, -1, -1):
        total = rewards[step] + gamma * total
        out[step] = total
    return out


def standardised(advantages: Tensor) -> Tensor:
    """Advantages of one episode, (n,), with mean 0 and deviation 1 (0 where all are equal)."""
    centred = advantages - advantages.mean()
    return centred / (centred.square().mean().sqrt() + 1e-8)


def group_advantages(episodes: Sequence[Experience], gamma: float) -> list[Doubles]:
    """Advantages of each episode, (n,): its return less the others' mean, of its video and S*, from that frame on.

    Mean 0 and deviation 1 over all episodes, each counted alike.
    """
    gains = [returns(e.rewards, gamma) for e in episodes]
    found = []
    for place, own in enumerate(episodes):
        others = [k for k, e in enumerate(episodes) if k != place and (e.track, e.speed) == (own.track, own.speed)]
        usual = [np.interp(own.visited, episodes[k].visited, gains[k]) for k in others]
        found.append(gains[place] - np.mean(usual or [np.zeros(len(own))], axis=0))
    every = np.concatenate(found)
    return [(part - every.mean()) / (every.std() + 1e-8) for part in found]


class PolicyLearner(Generic[N]):
    """Networks with their optimisers: one Adam step each per update."""

    def __init__(self, networks: N, learning: Learning) -> None:
        self.networks = networks
        self.learning = learning
        decay = learning.weight_decay
        policy, critic = networks.policy.parameters(), networks.critic.parameters()
        self.policy_optimiser = torch.optim.Adam(policy, lr=learning.lr, weight_decay=decay, fused=True)
        self.critic_optimiser = torch.optim.Adam(critic, lr=learning.critic_lr, weight_decay=decay, fused=True)

    def gradients(self, episodes: Sequence[Experience], batch: int) -> Losses:
        """Set the gradients of the losses, averaged over a batch of that many episodes.

        `episodes` may be a part of the batch (a worker's share); the parts' gradients and losses add up.
        """
        learning = self.networks.policy if self.learning.group else self.networks
        for parameter in learning.parameters():
            parameter.grad = None if episodes else torch.zeros_like(parameter)
        policy = critic = entropy = 0.0
        grouped = self.learning.group and len(episodes) > 0
        advantages = iter(group_advantages(episodes, self.learning.gamma) if grouped else ())
        for piece in _pieces(episodes):
            batch_losses = self._losses(piece, batch, [next(advantages) for _ in piece] if grouped else None)
            (batch_losses.policy + batch_losses.critic).backward()  # type: ignore[no-untyped-call]
            policy += batch_losses.policy.item()
            critic += batch_losses.critic.item()
            entropy += batch_losses.entropy.item()
        steps = sum(len(episode) for episode in episodes)
        return Losses(policy, critic, entropy / max(steps, 1), steps)

    def step(self, done: float = 0.0) -> None:
        """Move the weights along the gradients that are set, after that share of the training."""
        for group in self.policy_optimiser.param_groups:
            group["lr"] = self.learning.lr * (1 - (1 - self.learning.last_lr) * done)
        self.policy_optimiser.step()
        self.critic_optimiser.step()

    def _losses(self, episodes: Sequence[Experience], batch: int, advantages: Sequence[Doubles] | None) -> _Terms:
        states = [torch.from_numpy(part) for part in self.networks.inputs(episodes)]
        actions = torch.from_numpy(np.concatenate([e.actions for e in episodes]))
        share = torch.from_numpy(np.concatenate([np.full(len(e), 1 / len(e), np.float32) for e in episodes]))
        log_pi = torch.log_softmax(_of_permitted(self.networks.policy.of_parts(*states), episodes), dim=1)
        entropies = -(log_pi.exp() * log_pi).sum(1)
        taken = log_pi.gather(1, actions[:, None])[:, 0]
        bonus = self.learning.entropy_beta * entropies
        if advantages is not None:  # a mean over time: every episode counts alike, however long it is
            better = torch.from_numpy(np.concatenate(advantages).astype(np.float32))
            return _Terms(-((taken * better + bonus) * share).sum() / batch, torch.zeros(()), entropies.detach().sum())
        target = torch.from_numpy(
            np.concatenate([returns(e.rewards, self.learning.gamma) for e in episodes]).astype(np.float32)
        )
        # Over time the policy's loss is a sum, the critic's a mean (a sum in the paper). Over episodes both are means.
        values: Tensor = self.networks.critic.of_parts(*states)[:, 0]
        critic = ((values - target) ** 2 * share).sum() / batch
        advantage = target - values.detach()
        if self.learning.normalise:
            advantage = torch.cat([standardised(part) for part in torch.split(advantage, [len(e) for e in episodes])])
        policy = (-(taken * advantage).sum() - bonus.sum()) / batch
        return _Terms(policy, critic, entropies.detach().sum())


@dataclass(frozen=True)
class _Terms:
    policy: Tensor
    critic: Tensor
    entropy: Tensor


def _of_permitted(scores: Tensor, episodes: Sequence[Experience]) -> Tensor:
    """Scores (n, 3) in which actions that an episode did not permit have no chance."""
    if episodes[0].permitted is None:
        return scores
    permitted = np.concatenate([e.permitted for e in episodes if e.permitted is not None])
    return scores.masked_fill(torch.from_numpy(~permitted), -1e9)


def _pieces(episodes: Sequence[Experience]) -> Iterator[list[Experience]]:
    """Consecutive episodes of together at most PIECE steps, one at least."""
    piece: list[Experience] = []
    steps = 0
    for episode in episodes:
        if piece and steps + len(episode) > PIECE:
            yield piece
            piece, steps = [], 0
        piece.append(episode)
        steps += len(episode)
    if piece:
        yield piece
