"""Weights of the graph's terms, found for each video by a swarm (method_bot.md §2, "Weights by PSO")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import hypot

import numpy as np
from numpy.typing import NDArray

from saffa.core.types import Doubles, Ints
from saffa.research.baselines.ranges import ScoreRange
from saffa.research.baselines.skip_graph import SkipGraph

Cost = Callable[[Doubles], Doubles]
"""Costs of all places at once: (particles, variables) → (particles,)."""


@dataclass(frozen=True)
class Swarm:
    """A swarm in the unit box."""

    particles: int = 15
    iterations: int = 30
    stall: int = 8
    """Stop after so many iterations without gain."""
    inertia: float = 0.7
    pull: float = 1.49
    """Towards a particle's own best place and towards that of all."""

    def minimise(self, cost: Cost, variables: int, seed: int = 0) -> Doubles:
        """The best place found, (variables,)."""
        random = np.random.default_rng(seed)
        shape = (self.particles, variables)
        place = random.random(shape)
        speed = random.uniform(-1.0, 1.0, shape)
        own, own_cost = place.copy(), np.array(cost(place))
        best = int(own_cost.argmin())
        waiting = 0
        for _ in range(self.iterations):
            to_own, to_best = random.random(shape), random.random(shape)
            speed = self.inertia * speed + self.pull * (to_own * (own - place) + to_best * (own[best] - place))
            place = np.clip(place + speed, 0.0, 1.0)
            costs = cost(place)
            record, better = own_cost[best], costs < own_cost
            own[better], own_cost[better] = place[better], costs[better]
            best = int(own_cost.argmin())
            waiting = 0 if own_cost[best] < record else waiting + 1
            if waiting >= self.stall:
                break
        found: Doubles = own[best]
        return found


SHAKE = hypot(5.0, 2.5)
"""Half the picture's diagonal in blocks: the unit of J1."""
SWARM = Swarm()


@dataclass(frozen=True, eq=False)
class Goal:
    """J = J1 + J2 + J3 of a path: steadiness, length and semantics.

    score  (F,)           how interesting each frame is
    focus  (F, reach, 2)  focus of expansion of each jump; None where no flow is known, and then no J1
    """

    score: Doubles = field(repr=False)
    target: float
    focus: NDArray[np.int8] | None = field(default=None, repr=False)
    top: float = field(init=False)
    """Score of the round(F/S* + 1) best frames."""

    def __post_init__(self) -> None:
        best = round(len(self.score) / self.target + 1)
        object.__setattr__(self, "top", float(np.sort(self.score)[::-1][:best].sum()))

    def __call__(self, path: Ints) -> float:
        """J."""
        wanted = len(self.score) / self.target
        length = abs(len(path) - wanted) / wanted
        return self.shake(path) + length + self.missed(path)

    def shake(self, path: Ints) -> float:
        """J1: how much the focus of expansion moves from one transition to the next."""
        skips = np.diff(path)
        if self.focus is None or len(skips) < 2:
            return 0.0
        moves = self.focus[path[1:], skips - 1].astype(np.float64)
        return float(np.linalg.norm(np.diff(moves, axis=0), axis=1).mean()) / SHAKE

    def missed(self, path: Ints) -> float:
        """J3: share of the score of the best frames that the path does not collect; 0 where there is no score."""
        return (self.top - float(self.score[path].sum())) / self.top if self.top > 0 else 0.0


def searched_path(
    graph: SkipGraph, ranges: Sequence[ScoreRange], speeds: Sequence[float], goal: Goal, seed: int
) -> Ints:
    """The path under the weights that the swarm likes best."""
    shape = (2, len(graph.terms))

    def costs(places: Doubles) -> Doubles:
        return np.array([goal(path) for path in graph.paths(ranges, speeds, places.reshape(-1, *shape))])

    best = SWARM.minimise(costs, 2 * len(graph.terms), seed)
    return graph.path(ranges, speeds, best.reshape(shape))
