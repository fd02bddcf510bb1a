"""Many episodes side by side, one batched look at the policy for each step of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saffa.agent.agent import Agent
from saffa.agent.dynamics import ACTIONS, Dynamics
from saffa.agent.experience import Experience
from saffa.agent.observation import position_scales, skip_indices
from saffa.agent.policy import Batched, softmax
from saffa.agent.reward import Reward
from saffa.agent.rollouts import walk
from saffa.agent.track import Track

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Order:
    """An episode to play: a video, a target speed, and a uniform number for every step, (≥ F,)."""

    track: Track
    speed: float
    draws: NDArray[np.float64]


def play(agent: Agent, orders: Sequence[Order], reward: Reward) -> list[Experience]:
    """Sample one episode for each order. One alone walks step by step: arrays of one element only cost time."""
    if len(orders) == 1:
        return [_play_one(agent, orders[0], reward)]
    return _Front(agent, orders).play(reward) if orders else []


def _play_one(agent: Agent, order: Order, reward: Reward) -> Experience:
    roll = walk(agent, order.track, order.speed, draws=order.draws)
    last = order.track.frames - 1
    reached = roll.selected if agent.rules.keeps_end else np.append(roll.selected, last)
    return Experience.of(order.track, order.speed, reached, roll.actions, roll.skip_indices, roll.average_skip, reward)


class _Front:
    """The episodes that still run, as parallel arrays (n,): `Episode` for many.

    A (velocity, acceleration) pair is one number, `motion`. Ceilings differ between targets above 25, so each
    episode has its own table of successors; the numbering is the same in all.
    """

    def __init__(self, agent: Agent, orders: Sequence[Order]) -> None:
        self.observation = agent.observation
        self.policy = Batched(agent.policy)
        self.orders = orders
        rules = agent.rules
        dynamics = [rules.dynamics(order.speed) for order in orders]
        widest = max(dynamics, key=lambda d: d.states)
        self.velocities = widest.velocities()
        self.successors = np.zeros((len(orders), widest.states, len(ACTIONS)), np.int64)
        for table, d in zip(self.successors, dynamics, strict=True):
            table[: d.states] = _successors(d)
        first = np.array([rules.first_velocity(order.speed) for order in orders])
        self.motion = np.array([d.state(int(v), 1) for d, v in zip(dynamics, first, strict=True)])
        self.who = np.arange(len(orders))
        self.frame = np.zeros(len(orders), np.int64)
        self.total = first.astype(np.float64)
        self.last = np.array([order.track.frames - 1 for order in orders])
        self.end = np.array([rules.end(order.track.frames) for order in orders])
        self.speed = np.array([float(order.speed) for order in orders])
        self.scales = np.stack([position_scales(order.track.frames) for order in orders])
        self.averages = np.zeros(len(orders))

    def play(self, reward: Reward) -> list[Experience]:
        """Step until every episode has ended."""
        who, reached, actions, indices = [], [], [], []
        step = 0
        while len(self.who):
            index = skip_indices(self.total / (step + 1), self.speed)
            action = self._choose(index, step)
            done = self._move(action)
            who.append(self.who)
            reached.append(self.frame)
            actions.append(action)
            indices.append(index)
            step += 1
            if done.any():
                self._retire(done, step)
        order = np.argsort(np.concatenate(who), kind="stable")  # by episode, in time
        cuts = np.cumsum(np.bincount(np.concatenate(who)))[:-1]
        went, did, saw = (np.split(np.concatenate(c)[order], cuts) for c in (reached, actions, indices))
        return [
            Experience.of(o.track, o.speed, went[i], did[i], saw[i], float(self.averages[i]), reward)
            for i, o in enumerate(self.orders)
        ]

    def _choose(self, index: Ints, step: int) -> Ints:
        observation = self.observation
        states = np.empty((len(self.who), observation.width), np.float32)
        uniform = np.empty(len(self.who))
        for row, (who, frame) in enumerate(zip(self.who.tolist(), self.frame.tolist(), strict=True)):
            order = self.orders[who]
            states[row, : observation.embedding] = order.track.at(frame)
            uniform[row] = order.draws[step]
        observation.write(states, self.scales, (self.last - self.frame)[:, None], index)
        chances = softmax(self.policy(states))
        action = (uniform >= chances[:, 0]).astype(np.int64)
        action += uniform >= chances[:, 0] + chances[:, 1]
        return action

    def _move(self, action: Ints) -> NDArray[np.bool_]:
        self.motion = self.successors[self.who, self.motion, action]
        velocity = self.velocities[self.motion]
        self.total = self.total + velocity
        there = self.frame + velocity
        self.frame = np.minimum(there, self.last)
        done: NDArray[np.bool_] = there >= self.end
        return done

    def _retire(self, done: NDArray[np.bool_], steps: int) -> None:
        self.averages[self.who[done]] = self.total[done] / (steps + 1)
        keep = ~done
        self.who, self.frame, self.motion = self.who[keep], self.frame[keep], self.motion[keep]
        self.total, self.speed, self.scales = self.total[keep], self.speed[keep], self.scales[keep]
        self.last, self.end = self.last[keep], self.end[keep]


@lru_cache
def _successors(dynamics: Dynamics) -> Ints:
    """State after each action, (states, 3): the same for every batch."""
    return dynamics.successors()
