"""The length controller's sums against the plain recursion over all walks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.methods.dynamics import Dynamics
from saffa.methods.paper.limits import fewest_steps, most_steps


def bounds(dynamics: Dynamics, reach: int) -> tuple[list[list[int]], list[list[int]]]:
    """Fewest and most steps by distance and state."""
    velocity, successors = dynamics.velocities(), dynamics.successors()
    few, many = [[0] * dynamics.states], [[0] * dynamics.states]
    for distance in range(1, reach + 1):
        left = [[max(distance - velocity[then], 0) for then in row] for row in successors]
        few.append([1 + min(few[d][s] for d, s in zip(*w, strict=True)) for w in zip(left, successors, strict=True)])
        many.append([1 + max(many[d][s] for d, s in zip(*w, strict=True)) for w in zip(left, successors, strict=True)])
    return few, many


@pytest.mark.parametrize(
    "dynamics", [Dynamics(), Dynamics(max_velocity=3), Dynamics(max_velocity=41), Dynamics(min_velocity=3)]
)
def test_they_are_the_shortest_and_longest_walks(dynamics: Dynamics) -> None:
    few, many = bounds(dynamics, 240)
    for distance in range(241):
        for velocity in range(dynamics.min_velocity, dynamics.max_velocity + 1):
            for acceleration in range(1, 6):
                state = dynamics.state(velocity, acceleration)
                assert fewest_steps(distance, velocity, acceleration, dynamics.max_velocity) == few[distance][state]
                most = most_steps(distance, velocity, acceleration, dynamics.min_velocity, dynamics.max_velocity)
                assert most == many[distance][state]


@given(st.integers(1, 3_000_000), st.integers(1, 4000), st.integers(1, 5), st.integers(0, 4000))
def test_far_and_fast(distance: int, velocity: int, acceleration: int, room: int) -> None:
    dynamics = Dynamics(max_velocity=velocity + room)
    top = dynamics.max_velocity

    def steps_of(prefix: int, action: int) -> int:
        """Of a walk that accelerates `prefix` times and then does the same all the way."""
        v, w, left, steps = velocity, acceleration, distance, 0
        while left > 0 and not (v == {0: top, 2: 1}[action] and steps >= prefix):
            v, w = dynamics.step(v, w, 0 if steps < prefix else action)
            left -= v
            steps += 1
        return steps + int(np.ceil(max(left, 0) / v))

    assert fewest_steps(distance, velocity, acceleration, top) == steps_of(0, 0)
    assert most_steps(distance, velocity, acceleration, 1, top) == max(steps_of(n, 2) for n in range(5))
