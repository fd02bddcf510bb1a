"""The planner's inner loops: shortest paths over (frame, velocity, acceleration), compiled by numba.

A state is a (velocity, acceleration) pair, see `Dynamics`. Being at frame f in state s means that f is
selected and was reached with s. A step to state s' reaches frame min(f + ν(s'), last), as the agent's
environment does (method A5), and earns `reward[that frame] - price - cost[s']`. From frame f no step may be longer
than `ceiling[f]`, shape (frames,): that is how corrections bound the path. An action that begins or ends a slow
stretch, `crossing[s, action]` = 1, costs `toll[f]`, shape (frames,): so slow stretches keep to spoken lines.

Compiled loops get the arrays that they fill: to compile numpy's own functions would take twice as long as the loops,
and the first plan of a new installation waits for it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from saffa.core.types import Doubles, Flags, Ints


def ring_length(velocity: Ints) -> int:
    """Frames of which values are kept: a power of two, for remainders would cost as much as all the rest."""
    return 1 << int(velocity[-1]).bit_length()


class BestPaths:
    """Finds the best path for one price after the other; all else stays the same."""

    def __init__(
        self,
        reward: Doubles,
        ceiling: Ints,
        toll: Doubles,
        cost: Doubles,
        velocity: Ints,
        successors: Ints,
        crossing: Doubles,
    ) -> None:
        last, states = len(reward) - 1, len(velocity)
        # A state that may be reached with and without the toll counts as two, so that the inner loop need not multiply.
        tolled = np.unique(successors[crossing > 0])
        twice = np.where(crossing > 0, states + np.searchsorted(tolled, successors), successors)
        plain = plain_states(successors, crossing)
        only, after = twice[:plain, 1].astype(np.uint16), np.ascontiguousarray(twice[plain:].T.astype(np.uint16))
        self._given = (reward, ceiling, toll, cost, velocity, only, after, tolled)  # small numbers load faster
        room = np.zeros((ring_length(velocity), states)), np.empty(states + len(tolled))
        # Made once: the system takes longer to hand out so much memory than it takes to fill it.
        self._room = (*room, np.empty((last, states - plain), np.uint8), np.empty((2, last), np.int64))

    def find(self, price: float, start: int) -> tuple[Ints, Ints]:
        """Frames and states of the best path from a state at frame 0, without frame 0."""
        n, path = _walk_best(price, start, *self._given, *self._room), self._room[-1]
        return path[0, :n].copy(), path[1, :n].copy()


def plain_states(successors: Ints, crossing: Doubles) -> int:
    """How many states, from the first one on, leave no choice: all actions do the same."""
    same = (successors == successors[:, :1]).all(1) & ~crossing.any(1)
    return int(np.logical_and.accumulate(same).sum())


@njit(cache=True, boundscheck=False)
def _walk_best(
    price: float,
    start: int,
    reward: Doubles,
    ceiling: Ints,
    toll: Doubles,
    cost: Doubles,
    velocity: Ints,
    only: NDArray[np.uint16],
    after: NDArray[np.uint16],
    tolled: Ints,
    value: Doubles,
    arrive: Doubles,
    action: NDArray[np.uint8],
    path: Ints,
) -> int:
    """Fill in the frames and states of the best path; how many there are.

    `value` is what being at a frame in a state is worth, with what it brings to arrive there, by frame modulo the ring.
    """
    last = len(reward) - 1
    states = len(velocity)
    plain = len(only)
    ring = len(value)
    for frame in range(last - 1, -1, -1):
        if frame + velocity[-1] < last and ceiling[frame] >= velocity[-1]:  # nearly always: nothing bounds the step
            for s in range(states):
                arrive[s] = value[(frame + velocity[s]) & (ring - 1), s]
        else:
            for s in range(states):
                reached = min(frame + velocity[s], last)
                to = reward[last] - price - cost[s] if reached == last else value[reached & (ring - 1), s]
                arrive[s] = to if reached - frame <= ceiling[frame] else -np.inf
        for k in range(len(tolled)):
            arrive[states + k] = arrive[tolled[k]] - toll[frame]
        here, chosen = value[frame & (ring - 1)], action[frame]
        for s in range(plain):
            here[s] = arrive[only[s]]
        rest = here[plain:]
        for s in range(states - plain):  # without branches; ties keep the velocity
            best, up, down = arrive[after[1, s]], arrive[after[0, s]], arrive[after[2, s]]
            choice = np.uint8(0) if up > best else np.uint8(1)
            best = up if up > best else best
            chosen[s] = np.uint8(2) if down > best else choice
            rest[s] = down if down > best else best
        gain = reward[frame] - price
        for s in range(states):  # with what it brings to arrive here
            here[s] = gain - cost[s] + here[s]
    n = 0
    frame = 0
    s = start
    while frame < last:
        s = int(only[s] if s < plain else after[action[frame, s - plain], s - plain])
        s = int(tolled[s - states]) if s >= states else s
        frame = min(frame + velocity[s], last)
        path[0, n] = frame
        path[1, n] = s
        n += 1
    return n


def possible_starts(ceiling: Ints, velocity: Ints, successors: Ints) -> Flags:
    """States in which a path may stand at frame 0 so that it can reach the last frame, shape (states,)."""
    possible = np.ones((ring_length(velocity), len(velocity)), np.bool_)
    _fill_possible(ceiling, velocity, successors, possible, np.empty(len(velocity), np.bool_))
    starts: Flags = possible[0].copy()
    return starts


@njit(cache=True, boundscheck=False)
def _fill_possible(ceiling: Ints, velocity: Ints, successors: Ints, possible: Flags, arrive: Flags) -> None:
    """Whether the last frame can be reached, by frame modulo the ring and state."""
    last = len(ceiling) - 1
    states = len(velocity)
    ring = len(possible)
    free = ring  # frames in a row from which it can be reached in any state
    for frame in range(last - 1, -1, -1):
        if free >= ring and ceiling[frame] >= velocity[-1]:
            continue
        free += 1
        for s in range(states):
            reached = min(frame + velocity[s], last)
            arrive[s] = reached - frame <= ceiling[frame] and (reached == last or possible[reached & (ring - 1), s])
        for s in range(states):
            able = arrive[successors[s, 0]] or arrive[successors[s, 1]] or arrive[successors[s, 2]]
            possible[frame & (ring - 1), s] = able
            free = free if able else 0
