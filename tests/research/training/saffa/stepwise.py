"""The authors' way to train, step by step, against which the fast way is checked and timed; and episodes replayed.

One episode, both networks asked once for every frame with their graphs kept, the losses built in a Python loop, one
Adam step each. It draws the same actions from the same uniform numbers, so both must end with the same weights.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.episode import Episode, Rules
from saffa.methods.paper.rollouts import draw
from saffa.research.training.saffa.env import FastForwardEnv
from saffa.research.training.saffa.episode_sampling import EpisodeOrder, embedded
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.reinforce import Losses, PolicyLearner, returns, standardised
from saffa.research.training.saffa.reward import Reward


def update(learner: PolicyLearner[PublishedNetworks], order: EpisodeOrder, reward: Reward) -> Losses:
    """Play one episode and learn from it."""
    traits, beta = learner.networks.traits, learner.learning.entropy_beta
    env = FastForwardEnv(
        embedded(order), target_speed=order.speed, reward=reward, observation=traits.observation, rules=traits.rules
    )
    state, _ = env.reset()
    log_chances: list[Tensor] = []
    entropies: list[Tensor] = []
    values: list[Tensor] = []
    rewards: list[float] = []
    over = False
    while not over:
        seen = torch.from_numpy(state)[None]
        chances = torch.softmax(learner.networks.policy(seen), dim=1)[0]
        values.append(learner.networks.critic(seen)[0, 0])
        action = draw(tuple(chances.tolist()), order.draws[len(rewards)])
        log_chances.append(torch.log(chances[action]))
        entropies.append(-(chances * torch.log(chances)).sum())
        state, paid, over, _, _ = env.step(action)
        rewards.append(paid)
    policy = torch.zeros(())
    critic = torch.zeros(())
    gains = returns(np.array(rewards), learner.learning.gamma)
    advantages = torch.tensor([gain - value.item() for gain, value in zip(gains, values, strict=True)])
    if learner.learning.normalise:
        advantages = standardised(advantages)
    for log_chance, entropy, value, gain, advantage in zip(
        log_chances, entropies, values, gains, advantages.tolist(), strict=True
    ):
        policy = policy - log_chance * advantage - beta * entropy
        critic = critic + (value - gain) ** 2
    critic = critic / len(rewards)
    learner.policy_optimiser.zero_grad()
    learner.critic_optimiser.zero_grad()
    policy.backward()  # type: ignore[no-untyped-call]
    critic.backward()  # type: ignore[no-untyped-call]
    learner.step()
    return Losses(policy.item(), critic.item(), torch.stack(entropies).mean().item(), len(rewards))


def replay(track: Track, speed: float, actions: Iterable[int], rules: Rules, reward: Reward) -> Experience:
    """The episode that given actions make; they must lead to the end of the video, and no further."""
    episode = Episode(track.frames, speed, rules)
    steps: list[tuple[int, int, int]] = []
    for action in actions:
        if episode.done:
            raise ValueError(f"the video ends after {len(steps)} actions")
        index = episode.skip_index
        episode.move(action)
        steps.append((episode.frame, action, index))
    if not episode.done:
        raise ValueError(f"{len(steps)} actions do not reach the end of the video")
    reached, taken, indices = np.array(steps, np.int64).T
    return Experience.of(track, speed, reached, taken, indices, episode.average_skip, reward)
