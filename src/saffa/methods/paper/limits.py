"""The length controller: how many steps the dynamics allow for a distance. Compiled by numba.

The fewest steps come from accelerating all the way, the most from decelerating (after at most four accelerations).
Both are sums of arithmetic series, so any distance and any speed cost the same; the tests hold them against all walks.
"""

from __future__ import annotations

from math import ceil, sqrt

from numba import njit

from saffa.methods.dynamics import MAX_ACCELERATION


@njit(cache=True)
def fewest_steps(distance: int, velocity: int, acceleration: int, ceiling: int) -> int:
    """To cover a distance in frames from a state of the dynamics (`variant="code"`)."""
    steps = 0
    while distance > 0 and acceleration < MAX_ACCELERATION:
        acceleration += 1
        velocity = min(velocity + acceleration, ceiling)
        distance -= velocity
        steps += 1
    if distance <= 0:
        return steps
    rising = (ceiling - velocity) // MAX_ACCELERATION  # steps that the ceiling does not cut
    if distance > _sum(velocity, MAX_ACCELERATION, rising):
        rest = distance - _sum(velocity, MAX_ACCELERATION, rising)
        return steps + rising + ceil(rest / ceiling)
    return steps + _terms(distance, velocity, MAX_ACCELERATION)


@njit(cache=True)
def most_steps(distance: int, velocity: int, acceleration: int, floor: int, ceiling: int) -> int:
    """Steps that the slowest walk takes for a distance.

    At the ceiling it may pay to gather acceleration first: the walk brakes harder then.
    """
    best = _braking_steps(distance, velocity, acceleration, floor)
    steps = 0
    while distance > 0 and acceleration < MAX_ACCELERATION:
        acceleration += 1
        velocity = min(velocity + acceleration, ceiling)
        distance -= velocity
        steps += 1
        best = max(best, steps + _braking_steps(distance, velocity, acceleration, floor))
    return best


@njit(cache=True)
def _braking_steps(distance: int, velocity: int, acceleration: int, floor: int) -> int:
    """Decelerating all the way: the acceleration falls to 1, and then ν by 1 a step."""
    steps = 0
    while distance > 0 and acceleration > 1:
        acceleration -= 1
        velocity = max(velocity - acceleration, floor)
        distance -= velocity
        steps += 1
    if distance <= 0:
        return steps
    falling = velocity - floor
    if distance > _sum(velocity, -1, falling):
        rest = distance - _sum(velocity, -1, falling)
        return steps + falling + ceil(rest / floor)
    return steps + _terms(distance, velocity, -1)


@njit(cache=True)
def _sum(start: int, change: int, terms: int) -> int:
    """(start + change) + (start + 2 change) + … of so many terms."""
    return terms * start + change * terms * (terms + 1) // 2


@njit(cache=True)
def _terms(total: int, start: int, change: int) -> int:
    """How many terms of that series reach `total`, which it does reach."""
    middle = start + change / 2
    root = sqrt(max(middle * middle + 2 * change * total, 0.0))
    terms = max(int((root - middle) / change), 1)
    while terms > 1 and _sum(start, change, terms - 1) >= total:
        terms -= 1
    while _sum(start, change, terms) < total:
        terms += 1
    return terms
