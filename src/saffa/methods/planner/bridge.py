"""Best ways of each number of steps between two places of a path, compiled by numba.

States, steps and what they earn are those of `kernels`. The number of steps is a dimension of the dynamic program here,
so only short stretches are planned in this way: the bridge where two optimal paths meet, and what is replanned.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from saffa.core.types import Doubles, Ints
from saffa.methods.planner.kernels import plain_states, ring_length

Counts = NDArray[np.int32]
_NEVER = 1 << 28
"""More steps than there are frames: no way."""


def bridge(
    reward: Doubles,
    ceiling: Ints,
    toll: Doubles,
    cost: Doubles,
    velocity: Ints,
    successors: Ints,
    crossing: Doubles,
    start: tuple[int, int],
    end: tuple[int, int],
    most: int,
    least: int = 0,
    to_end: Counts | None = None,
) -> tuple[Doubles, NDArray[np.uint8]]:
    """Best ways between two (frame, state) pairs for every number of steps from `least` to `most`.

    The count is a dimension of the dynamic program here, so the window must be short. An end at the
    last frame takes any state. Returns the value per count, shape (most + 1,), -inf where there is no
    way, and the actions, shape (window, states, counts), of which the first is that of `fewest` steps to the end;
    without those of `plain_states`. `to_end` is what `steps_to_end` gives, if it is known.
    """
    plain = plain_states(successors, crossing)
    states, ring, window, fastest = len(velocity), ring_length(velocity), end[0] - start[0], int(velocity.max())
    least = max(least, fewest(window, fastest))
    if most < least:
        return np.full(most + 1, -np.inf), np.empty((window, states - plain, 0), np.uint8)
    if to_end is None:
        to_end = steps_to_end(ceiling, velocity, successors, start[0], end)
    taken = _no_ways(to_end.shape)
    taken[:, 0, start[1]] = 0
    _fill_steps_taken(ceiling, velocity, successors, start[0], end[0], taken)
    value = np.zeros((ring, states, most + 1))
    value[end[0] & (ring - 1)] = -np.inf
    value[end[0] & (ring - 1), slice(None) if end[0] == len(reward) - 1 else end[1], 0] = 0.0
    action = np.empty((window, states - plain, most + 1 - fewest(window, fastest)), np.uint8)
    given = (reward, ceiling, toll, cost, velocity, successors, crossing, start[0], end[0], fastest)
    _fill_counts(*given, least, taken, to_end, value, np.empty(states), action)
    values = np.full(most + 1, -np.inf)
    values[least:] = value[start[0] & (ring - 1), start[1], least:]
    return values, action


def fewest(distance: int, fastest: int) -> int:
    """Steps that are needed at least for so many frames."""
    return -(-distance // fastest)


@njit(cache=True, boundscheck=False)
def _fill_counts(
    reward: Doubles,
    ceiling: Ints,
    toll: Doubles,
    cost: Doubles,
    velocity: Ints,
    successors: Ints,
    crossing: Doubles,
    first: int,
    end: int,
    fastest: int,
    least: int,
    taken: Counts,
    to_end: Counts,
    value: Doubles,
    gain: Doubles,
    action: NDArray[np.uint8],
) -> None:
    """Values and actions of a bridge, backwards from its end, for the numbers of steps that can matter.

    At each frame after the first and in each state `taken` has the fewest and most steps from the start, `to_end` those
    to the end: of `least` steps in all, or more, so many may be left.
    """
    last = len(reward) - 1
    ring, states, counts = value.shape
    plain = states - action.shape[1]
    for offset in range(end - first - 1, -1, -1):
        frame = first + offset
        row = frame & (ring - 1)
        base = (end - frame + fastest - 1) // fastest
        for s in range(states):  # what a step to each state brings
            reached = min(frame + velocity[s], last)
            possible = reached <= end and reached - frame <= ceiling[frame]
            gain[s] = reward[reached] - cost[s] if possible else -np.inf
        for s in range(states):
            first_asked = max(least - taken[1, offset, s], base - 1)
            after_asked = min(counts - taken[0, offset, s], counts)
            if first_asked >= after_asked:
                continue
            low = min(max(first_asked, to_end[0, offset, s]), after_asked)
            high = max(min(after_asked, to_end[1, offset, s] + 1), low)
            value[row, s, first_asked:low] = -np.inf
            value[row, s, high:after_asked] = -np.inf
            if low == high:
                continue
            here, to = value[row, s, low:high], successors[s, 1]
            stays, same = gain[to], value[min(frame + velocity[to], last) & (ring - 1), to, low - 1 : high - 1]
            if s < plain:
                for m in range(len(here)):
                    here[m] = stays + same[m]
                continue
            pay, stay, brake = toll[frame] * crossing[s, 0], toll[frame] * crossing[s, 1], toll[frame] * crossing[s, 2]
            to = successors[s, 0]
            speeds, up = gain[to], value[min(frame + velocity[to], last) & (ring - 1), to, low - 1 : high - 1]
            to = successors[s, 2]
            brakes, down = gain[to], value[min(frame + velocity[to], last) & (ring - 1), to, low - 1 : high - 1]
            chosen = action[offset, s - plain, low - base : high - base]
            _choose(here, chosen, same, up, down, stays, stay, speeds, pay, brakes, brake)


@njit(cache=True, boundscheck=False)
def _choose(
    here: Doubles,
    chosen: NDArray[np.uint8],
    same: Doubles,
    up: Doubles,
    down: Doubles,
    stays: float,
    stay: float,
    speeds: float,
    pay: float,
    brakes: float,
    brake: float,
) -> None:
    """The best of three actions for each number of steps, without branches; ties keep the velocity."""
    for m in range(len(here)):
        best, faster, slower = stays + same[m] - stay, speeds + up[m] - pay, brakes + down[m] - brake
        choice = np.uint8(0) if faster > best else np.uint8(1)
        best = faster if faster > best else best
        chosen[m] = np.uint8(2) if slower > best else choice
        here[m] = slower if slower > best else best


def steps_to_end(ceiling: Ints, velocity: Ints, successors: Ints, begin: int, end: tuple[int, int]) -> Counts:
    """Fewest and most steps to an end (frame, state), (2, frames, states), by frame from `begin` on and state.

    Fewest is above most if there is no way. An end at the last frame takes any state. Not every number between the two
    need be possible.
    """
    counts = _no_ways((2, end[0] - begin + 1, len(velocity)))
    counts[:, -1, slice(None) if end[0] == len(ceiling) - 1 else end[1]] = 0
    _fill_range(ceiling, velocity, successors, begin, end[0], counts)
    return counts


def _no_ways(shape: tuple[int, ...]) -> Counts:
    counts = np.empty(shape, np.int32)
    counts[0], counts[1] = _NEVER, -_NEVER
    return counts


@njit(cache=True, boundscheck=False)
def _fill_range(ceiling: Ints, velocity: Ints, successors: Ints, first: int, end: int, counts: Counts) -> None:
    """Fewest and most steps to the end, by frame after the first and state."""
    last = len(ceiling) - 1
    for offset in range(end - first - 1, -1, -1):
        frame = first + offset
        for s in range(len(velocity)):
            low, high = _NEVER, -_NEVER
            for action in range(3):
                to = successors[s, action]
                reached = min(frame + velocity[to], last)
                if reached <= end and reached - frame <= ceiling[frame]:
                    low = min(low, 1 + counts[0, reached - first, to])
                    high = max(high, 1 + counts[1, reached - first, to])
            counts[0, offset, s] = low
            counts[1, offset, s] = high


@njit(cache=True, boundscheck=False)
def _fill_steps_taken(ceiling: Ints, velocity: Ints, successors: Ints, first: int, end: int, counts: Counts) -> None:
    """Fewest and most steps from the start, by frame after the first and state."""
    last = len(ceiling) - 1
    for offset in range(end - first):
        frame = first + offset
        for s in range(len(velocity)):
            low, high = counts[0, offset, s] + 1, counts[1, offset, s] + 1
            if low > high:
                continue
            for action in range(3):
                to = successors[s, action]
                reached = min(frame + velocity[to], last)
                if reached <= end and reached - frame <= ceiling[frame]:
                    counts[0, reached - first, to] = min(counts[0, reached - first, to], low)
                    counts[1, reached - first, to] = max(counts[1, reached - first, to], high)
