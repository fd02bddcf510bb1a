"""A bridge is the best way of each number of steps, as a search through all ways finds it."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.methods.dynamics import Dynamics
from saffa.methods.planner.bridge import bridge, fewest, steps_to_end
from saffa.methods.planner.kernels import possible_starts

DYNAMICS = Dynamics(max_velocity=4, max_acceleration=2)
VELOCITY, SUCCESSORS = DYNAMICS.velocities(), DYNAMICS.successors()
START, END = (3, 4), (24, 2)


def followed(actions: NDArray[np.uint8], steps: int) -> list[int]:
    """The states of the way with so many steps."""
    frame, state = START
    states = []
    for left in range(steps, 0, -1):
        action = int(actions[frame - START[0], state, left - fewest(END[0] - frame, 4)])
        state = int(SUCCESSORS[state, action])
        frame += int(VELOCITY[state])
        states.append(state)
    assert (frame, state) == END
    return states


@pytest.mark.parametrize("seed", range(3))
def test_every_number_of_steps_has_its_best_value(seed: int) -> None:
    """From (frame 3, state 4) to (frame 24, state 2), with bounds on the step, costs and tolls."""
    rng = np.random.default_rng(seed)
    reward, toll, cost = rng.normal(size=30), rng.random(30), rng.random(len(VELOCITY))
    ceiling, crossing = rng.integers(2, 5, 30), rng.integers(0, 2, SUCCESSORS.shape).astype(np.float64)

    @cache
    def best(frame: int, state: int, steps: int) -> float:
        if steps == 0:
            return 0.0 if (frame, state) == END else -np.inf
        found = -np.inf
        for action, after in enumerate(SUCCESSORS[state].tolist()):
            step = int(VELOCITY[after])
            if step <= ceiling[frame] and frame + step <= END[0]:
                gain = reward[frame + step] - cost[after] - toll[frame] * crossing[state, action]
                found = max(found, gain + best(frame + step, after, steps - 1))
        return float(found)

    given = (reward, ceiling, toll, cost, VELOCITY, SUCCESSORS, crossing, START, END)
    values, actions = bridge(*given, 18)
    assert np.isfinite(values).sum() > 5
    np.testing.assert_allclose(values, [best(*START, steps) for steps in range(19)])
    for steps in np.flatnonzero(np.isfinite(values)).tolist():  # one number alone: the same way
        alone, same = bridge(*given, steps, steps)
        assert np.flatnonzero(np.isfinite(alone)).tolist() == [steps]
        assert alone[steps] == values[steps]
        assert followed(same, steps) == followed(actions, steps)


def test_too_few_steps_are_no_way() -> None:
    """21 frames need more than two steps of at most 4."""
    flat, free = np.zeros(30), np.full(30, 4)
    crossing = np.zeros(SUCCESSORS.shape)
    values, _ = bridge(flat, free, flat, np.zeros(len(VELOCITY)), VELOCITY, SUCCESSORS, crossing, START, END, 2)
    assert values.tolist() == [-np.inf] * 3


@pytest.mark.parametrize("seed", range(30))
def test_starts_from_which_the_bounds_can_be_kept(seed: int) -> None:
    """Where short steps are asked for soon, only slow states may begin; free stretches of many lengths lie between."""
    rng = np.random.default_rng(seed)
    frames = int(rng.integers(2, 40))
    ceiling = np.full(frames, 4)
    for place in rng.integers(0, frames, 3).tolist():
        ceiling[place : place + int(rng.integers(1, 4))] = rng.integers(1, 4)

    @cache
    def possible(frame: int, state: int) -> bool:
        if frame == frames - 1:
            return True
        reached = [(min(frame + int(VELOCITY[s]), frames - 1), s) for s in SUCCESSORS[state].tolist()]
        return any(to - frame <= ceiling[frame] and possible(to, s) for to, s in reached)

    starts = possible_starts(ceiling, VELOCITY, SUCCESSORS)
    assert starts.tolist() == [possible(0, state) for state in range(len(VELOCITY))]


def test_some_starts_are_impossible() -> None:
    starts = possible_starts(np.array([4, 1, 1, 1, 1, 4, 4]), VELOCITY, SUCCESSORS)
    assert 0 < starts.sum() < len(starts)


def test_a_bridge_to_the_last_frame_ends_in_any_state() -> None:
    """The last step may be cut short by the end."""
    reward = np.zeros(12)
    free, crossing = np.full(12, 4), np.zeros(SUCCESSORS.shape)
    values, _ = bridge(reward, free, reward, np.zeros(8), VELOCITY, SUCCESSORS, crossing, (9, 6), (11, 0), 2)
    assert np.isfinite(values).tolist() == [False, True, False]
    values, _ = bridge(reward, free, reward, np.zeros(8), VELOCITY, SUCCESSORS, crossing, (8, 6), (10, 0), 2)
    assert not np.isfinite(values).any()


def test_fewest_steps() -> None:
    assert [fewest(distance, 4) for distance in (0, 1, 4, 5, 8, 9)] == [0, 1, 1, 2, 2, 3]


@pytest.mark.parametrize("end", [END, (24, 0), (29, -1)], ids=str)
def test_the_range_of_steps_is_that_of_the_bridge(end: tuple[int, int]) -> None:
    """Where bounds leave no way, fewest is above most."""
    flat, ceiling, crossing = np.zeros(30), np.random.default_rng(5).integers(1, 5, 30), np.zeros(SUCCESSORS.shape)
    for state in range(len(VELOCITY)):
        start = (3, state)
        values, _ = bridge(flat, ceiling, flat, flat[: len(VELOCITY)], VELOCITY, SUCCESSORS, crossing, start, end, 28)
        possible = np.flatnonzero(np.isfinite(values))
        low, high = steps_to_end(ceiling, VELOCITY, SUCCESSORS, start[0], end)[:, 0, state].tolist()
        if len(possible):
            assert (low, high) == (possible.min(), possible.max())
        else:
            assert low > high
