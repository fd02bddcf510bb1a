"""Episodes to be played while learning: videos with target speeds and the random numbers that decide the actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.types import Doubles, Ints
from saffa.methods.dynamics import Dynamics
from saffa.methods.paper.agent import Agent
from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.loading import save_agent
from saffa.methods.paper.observation import position_scales
from saffa.methods.paper.policy import Split
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.reward import Paid, Reward
from saffa.research.training.saffa.settings import AgentSettings
from saffa.research.training.saffa.walk_loop import Layers, PublishedCourse, sampled_walk

ALL_AT_ONCE = 4  # in a product of matrices a cell costs about a quarter of what it costs alone


@dataclass(frozen=True)
class EpisodeOrder:
    """An episode to play: a video, a target speed, and a uniform number for every step, (≥ F,)."""

    track: Paid
    speed: float
    draws: Doubles


def play(agent: Agent, orders: Sequence[EpisodeOrder], reward: Reward) -> list[Experience]:
    """Sample one episode for each order, as `rollouts.walk` with these draws would, but compiled."""
    policy = Split(agent.policy, agent.observation)
    layers = _layers(policy, any(not _tabled(order) for order in orders))
    return [_play(agent, policy, layers, order, reward) for order in orders]


class PublishedPlayer:
    """Plays the episodes of a training run of the paper's agent, with the policy as it is."""

    def __init__(self, tracks: Sequence[Track], settings: AgentSettings) -> None:
        self.tracks = tracks
        self.networks = PublishedNetworks.seeded(settings.traits(tracks[0].width, tracks[0].encoder), settings.seed)
        self._agent = self.networks.agent(settings.method)

    def play(self, orders: Sequence[EpisodeOrder], reward: Reward) -> list[Experience]:
        """One sampled episode for each order."""
        return play(self._agent, orders, reward)

    def agent(self) -> Agent:
        """The policy as an agent to use; it shares the memory of the networks."""
        return self._agent

    def save(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the agent as a model folder."""
        save_agent(self._agent, folder, facts=facts, overwrite=True)


def _play(agent: Agent, policy: Split, layers: Layers, order: EpisodeOrder, reward: Reward) -> Experience:
    track, rules = embedded(order), agent.rules
    agent.check_width(track.width)
    dynamics = rules.dynamics(order.speed)
    velocity, successors = _motions(dynamics)
    course = PublishedCourse(
        embeddings=track.embeddings,
        cells=policy.table(track.embeddings if _tabled(order) else track.embeddings[:0]),
        rows=track.rows,
        scales=position_scales(track.frames),
        velocity=velocity,
        successors=successors,
        start=dynamics.state(rules.first_velocity(order.speed), 1),
        end=rules.end(track.frames),
        speed=float(order.speed),
    )
    steps = sampled_walk(layers, course, order.draws)
    return Experience.of(
        track, order.speed, steps.reached, steps.actions, steps.skip_indices, steps.average_skip, reward
    )


def embedded(order: EpisodeOrder) -> Track:
    """The track of an order, which must have embeddings."""
    if not isinstance(order.track, Track):
        raise TypeError("the published state needs embeddings")
    return order.track


def _tabled(order: EpisodeOrder) -> bool:
    """Whether it pays to look at all cells of the video beforehand: few will be passed by."""
    return len(embedded(order).embeddings) * order.speed <= ALL_AT_ONCE * order.track.frames


def _layers(policy: Split, looks: bool) -> Layers:
    """The policy's weights as they are now, turned for the loop: it adds up rows."""
    cell = policy.cell.T if looks else policy.cell.T[:0]
    _, second, third = policy.network.weights
    b1, b2, b3 = policy.network.biases
    turned = [np.ascontiguousarray(w) for w in (cell, policy.position.T, policy.skip, second.T, third.T)]
    return Layers(turned[0], b1, turned[1], turned[2], turned[3], b2, turned[4], b3)


@lru_cache
def _motions(dynamics: Dynamics) -> tuple[Ints, Ints]:
    """Velocity of each state, (states,), and the state after each action, (states, 3): the same for all episodes."""
    return dynamics.velocities(), dynamics.successors()
