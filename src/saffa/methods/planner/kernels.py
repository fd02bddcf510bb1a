"""The planner's inner loops: shortest paths over (frame, velocity, acceleration), compiled by numba.

A state is a (velocity, acceleration) pair, see `Dynamics`. Being at frame f in state s means that f is
selected and was reached with s. A step to state s' reaches frame min(f + ν(s'), last), as the agent's
environment does (method A5), and earns `reward[that frame] - price - cost[s']`. From frame f no step may be longer
than `ceiling[f]`, shape (frames,): that is how corrections bound the path.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

PRICES = 8  # searched at once: fills the vector registers, so eight prices cost little more than one

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, boundscheck=False)
def best_values(
    reward: Floats, prices: Floats, ceiling: Ints, cost: Floats, velocity: Ints, successors: Ints, start: int
) -> Floats:
    """Value of the best path from frame 0 for each of the PRICES prices, shape (PRICES,)."""
    last = len(reward) - 1
    states = len(velocity)
    ring = velocity[-1] + 1
    value = np.zeros((ring, states, PRICES))  # the slot of the last frame stays zero until its ring turn is over
    arrive = np.empty((states, PRICES))
    for frame in range(last - 1, -1, -1):
        for s in range(states):
            reached = min(frame + velocity[s], last)
            gain = reward[reached] - cost[s] if reached - frame <= ceiling[frame] else -np.inf
            for k in range(PRICES):
                arrive[s, k] = gain - prices[k] + value[reached % ring, s, k]
        for s in range(states):
            faster, same, slower = arrive[successors[s, 0]], arrive[successors[s, 1]], arrive[successors[s, 2]]
            here = value[frame % ring, s]
            for k in range(PRICES):
                best = faster[k] if faster[k] > same[k] else same[k]
                here[k] = slower[k] if slower[k] > best else best
    values: Floats = value[0, start].copy()
    return values


@njit(cache=True, boundscheck=False)
def best_path(
    reward: Floats, price: float, ceiling: Ints, cost: Floats, velocity: Ints, successors: Ints, start: int
) -> tuple[Ints, Ints]:
    """Frames and states of the best path for one price, without frame 0."""
    last = len(reward) - 1
    states = len(velocity)
    ring = velocity[-1] + 1
    value = np.zeros((ring, states))
    arrive = np.empty(states)
    action = np.empty((last, states), np.uint8)
    for frame in range(last - 1, -1, -1):
        for s in range(states):
            reached = min(frame + velocity[s], last)
            arrive[s] = reward[reached] - price - cost[s] if reached - frame <= ceiling[frame] else -np.inf
            if reached < last:
                arrive[s] += value[reached % ring, s]
        for s in range(states):
            choice = 1  # ties keep the velocity
            best = arrive[successors[s, 1]]
            for a in (0, 2):
                if arrive[successors[s, a]] > best:
                    best = arrive[successors[s, a]]
                    choice = a
            value[frame % ring, s] = best
            action[frame, s] = choice
    frames = np.empty(last, np.int64)
    visited = np.empty(last, np.int64)
    n = 0
    frame = 0
    s = start
    while frame < last:
        s = successors[s, action[frame, s]]
        frame = min(frame + velocity[s], last)
        frames[n] = frame
        visited[n] = s
        n += 1
    return frames[:n].copy(), visited[:n].copy()


@njit(cache=True, boundscheck=False)
def bridge(
    reward: Floats,
    ceiling: Ints,
    cost: Floats,
    velocity: Ints,
    successors: Ints,
    start: tuple[int, int],
    end: tuple[int, int],
    most: int,
) -> tuple[Floats, NDArray[np.uint8]]:
    """Best ways between two (frame, state) pairs for every number of steps up to `most`.

    The count is a dimension of the dynamic program here, so the window must be short. An end at the
    last frame takes any state. Returns the value per count, shape (most + 1,), -inf where there is no
    way, and the actions, shape (window, states, most + 1).
    """
    last = len(reward) - 1
    states = len(velocity)
    ring = velocity[-1] + 1
    window = end[0] - start[0]
    value = np.full((ring, states, most + 1), -np.inf)
    arrive = np.full((states, most + 1), -np.inf)
    action = np.zeros((window, states, most + 1), np.uint8)
    for s in range(states):
        if end[0] == last or s == end[1]:
            value[end[0] % ring, s, 0] = 0.0
    for offset in range(window - 1, -1, -1):
        frame = start[0] + offset
        for s in range(states):
            reached = min(frame + velocity[s], last)
            if reached > end[0] or reached - frame > ceiling[frame]:
                arrive[s, 1:] = -np.inf
            else:
                gain = reward[reached] - cost[s]
                for m in range(most):
                    arrive[s, m + 1] = gain + value[reached % ring, s, m]
        for s in range(states):
            for m in range(most + 1):
                best = arrive[successors[s, 1], m]
                choice = 1
                if arrive[successors[s, 0], m] > best:
                    best = arrive[successors[s, 0], m]
                    choice = 0
                if arrive[successors[s, 2], m] > best:
                    best = arrive[successors[s, 2], m]
                    choice = 2
                value[frame % ring, s, m] = best
                action[offset, s, m] = choice
    return value[start[0] % ring, start[1]].copy(), action


@njit(cache=True, boundscheck=False)
def possible_starts(ceiling: Ints, velocity: Ints, successors: Ints) -> NDArray[np.bool_]:
    """States in which a path may stand at frame 0 so that it can reach the last frame, shape (states,)."""
    last = len(ceiling) - 1
    states = len(velocity)
    ring = velocity[-1] + 1
    possible = np.ones((ring, states), np.bool_)
    arrive = np.empty(states, np.bool_)
    for frame in range(last - 1, -1, -1):
        for s in range(states):
            reached = min(frame + velocity[s], last)
            arrive[s] = reached - frame <= ceiling[frame] and (reached == last or possible[reached % ring, s])
        for s in range(states):
            possible[frame % ring, s] = arrive[successors[s, 0]] or arrive[successors[s, 1]] or arrive[successors[s, 2]]
    starts: NDArray[np.bool_] = possible[0].copy()
    return starts
