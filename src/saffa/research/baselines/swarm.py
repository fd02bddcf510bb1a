"""Particle swarm optimisation: how SAS and MIFF set their parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cost = Callable[[Floats], Floats]
"""Of all places at once: (particles, variables) → (particles,)."""


@dataclass(frozen=True)
class Swarm:
    """A swarm in a box. `damping` multiplies the inertia after every iteration; speeds start in ±`first_speed`."""

    particles: int = 15
    iterations: int = 30
    stall: int | None = 8
    """Stop after so many iterations without gain."""
    low: float = 0.0
    high: float = 1.0
    inertia: float = 0.7
    damping: float = 1.0
    pull: float = 1.49
    """Towards a particle's own best place and towards that of all."""
    first_speed: float = 1.0
    speed_limit: float | None = None

    def minimise(self, cost: Cost, variables: int, seed: int = 0) -> Floats:
        """The best place found, (variables,)."""
        random = np.random.default_rng(seed)
        shape = (self.particles, variables)
        place = random.uniform(self.low, self.high, shape)
        speed = random.uniform(-self.first_speed, self.first_speed, shape)
        own, own_cost = place.copy(), np.array(cost(place))
        best = int(own_cost.argmin())
        waiting, inertia = 0, self.inertia
        for _ in range(self.iterations):
            to_own, to_best = random.random(shape), random.random(shape)
            speed = inertia * speed + self.pull * (to_own * (own - place) + to_best * (own[best] - place))
            if self.speed_limit is not None:
                speed = np.clip(speed, -self.speed_limit, self.speed_limit)
            place = np.clip(place + speed, self.low, self.high)
            costs = cost(place)
            record, better = own_cost[best], costs < own_cost
            own[better], own_cost[better] = place[better], costs[better]
            best = int(own_cost.argmin())
            waiting = 0 if own_cost[best] < record else waiting + 1
            inertia *= self.damping
            if self.stall is not None and waiting >= self.stall:
                break
        found: Floats = own[best]
        return found
