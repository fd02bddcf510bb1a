"""REINFORCE with a learned baseline and an entropy bonus (paper eqs. 4-8), many episodes in one backward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saffa.methods.paper.observation import Observation
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.networks import Networks

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

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

    def __post_init__(self) -> None:
        for name in ("lr", "critic_lr", "entropy_beta", "weight_decay"):
            if not 0 <= getattr(self, name) < inf:
                raise ValueError(f"{name} must be 0 or a number above, not {getattr(self, name):g}")
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must lie in 0..1, not {self.gamma:g}")


@dataclass(frozen=True)
class Losses:
    """Of one update: sums over time, means over episodes."""

    policy: float
    critic: float
    entropy: float
    """Mean over steps."""
    steps: int


def returns(rewards: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """R_t = r_t + γ R_{t+1}, shape (n,)."""
    out = np.empty(len(rewards))
    total = 0.0
    for step in range(len(rewards) - 1, -1, -1):
        total = rewards[step] + gamma * total
        out[step] = total
    return out


def standardised(advantages: Tensor) -> Tensor:
    """Of one episode, (n,), with mean 0 and deviation 1 (0 where all are equal)."""
    centred = advantages - advantages.mean()
    return centred / (centred.square().mean().sqrt() + 1e-8)


class Learner:
    """Networks with their optimisers: one Adam step each per update."""

    def __init__(self, networks: Networks, learning: Learning) -> None:
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
        for parameter in self.networks.parameters():
            parameter.grad = None if episodes else torch.zeros_like(parameter)
        policy = critic = entropy = 0.0
        for piece in _pieces(episodes):
            batch_losses = self._losses(piece, batch)
            (batch_losses.policy + batch_losses.critic).backward()  # type: ignore[no-untyped-call]
            policy += batch_losses.policy.item()
            critic += batch_losses.critic.item()
            entropy += batch_losses.entropy.item()
        steps = sum(len(episode) for episode in episodes)
        return Losses(policy, critic, entropy / max(steps, 1), steps)

    def step(self) -> None:
        """Move the weights along the gradients that are set."""
        self.policy_optimiser.step()
        self.critic_optimiser.step()

    def _losses(self, episodes: Sequence[Experience], batch: int) -> _Terms:
        states = [torch.from_numpy(part) for part in parts_of(episodes, self.networks.traits.observation)]
        actions = torch.from_numpy(np.concatenate([e.actions for e in episodes]))
        gains = [returns(e.rewards, self.learning.gamma) for e in episodes]
        target = torch.from_numpy(np.concatenate(gains).astype(np.float32))
        # Over time the policy's loss is a sum, the critic's a mean (a sum in the paper). Over episodes both are means.
        share = np.concatenate([np.full(len(e), 1 / len(e), np.float32) for e in episodes])
        values: Tensor = self.networks.critic.of_parts(*states)[:, 0]
        critic = ((values - target) ** 2 * torch.from_numpy(share)).sum() / batch
        log_pi = torch.log_softmax(self.networks.policy.of_parts(*states), dim=1)
        entropy = -(log_pi.exp() * log_pi).sum()
        taken = log_pi.gather(1, actions[:, None])[:, 0]
        advantage = target - values.detach()
        if self.learning.normalise:
            advantage = torch.cat([standardised(part) for part in torch.split(advantage, [len(e) for e in episodes])])
        policy = (-(taken * advantage).sum() - self.learning.entropy_beta * entropy) / batch
        return _Terms(policy, critic, entropy.detach())


@dataclass(frozen=True)
class _Terms:
    policy: Tensor
    critic: Tensor
    entropy: Tensor


def parts_of(episodes: Sequence[Experience], observation: Observation) -> tuple[Floats, Ints, Floats]:
    """All states of the episodes as `Network.of_parts` takes them: cells that were seen, row and tail of each state."""
    cells, rows, tails = [], [], []
    met = 0
    for episode in episodes:
        track = episode.track
        seen, row = np.unique(track.rows[episode.visited], return_inverse=True)
        cells.append(track.embeddings[seen])
        rows.append(row + met)
        tails.append(observation.tails(track.frames, episode.visited, episode.skip_indices))
        met += len(seen)
    return np.concatenate(cells), np.concatenate(rows), np.concatenate(tails)


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
