"""Episodes to be played while learning: videos with target speeds and the random numbers that decide the actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saffa.agent.agent import Agent
from saffa.agent.dynamics import Dynamics
from saffa.agent.experience import Experience
from saffa.agent.observation import position_scales
from saffa.agent.policy import Split
from saffa.agent.reward import Reward
from saffa.agent.track import Track
from saffa.agent.walk_loop import Course, Layers, sampled_walk

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Order:
    """An episode to play: a video, a target speed, and a uniform number for every step, (≥ F,)."""

    track: Track
    speed: float
    draws: NDArray[np.float64]


def play(agent: Agent, orders: Sequence[Order], reward: Reward) -> list[Experience]:
    """Sample one episode for each order, as `rollouts.walk` with these draws would, but compiled."""
    policy = Split(agent.policy, agent.observation)
    layers = _layers(policy)
    return [_play(agent, policy, layers, order, reward) for order in orders]


def _play(agent: Agent, policy: Split, layers: Layers, order: Order, reward: Reward) -> Experience:
    track, rules = order.track, agent.rules
    agent.check_width(track.width)
    dynamics = rules.dynamics(order.speed)
    velocity, successors = _motions(dynamics)
    course = Course(
        cells=policy.cells(track.embeddings),
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


def _layers(policy: Split) -> Layers:
    """The policy's weights as they are now, turned for the loop: it adds up rows."""
    _, second, third = policy.network.weights
    _, b2, b3 = policy.network.biases
    turned = (np.ascontiguousarray(w) for w in (policy.position.T, policy.skip, second.T, third.T))
    position, skip, second, third = turned
    return Layers(position, skip, second, b2, third, b3)


@lru_cache
def _motions(dynamics: Dynamics) -> tuple[Ints, Ints]:
    """Velocity of each state, (states,), and the state after each action, (states, 3): the same for all episodes."""
    return dynamics.velocities(), dynamics.successors()
