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

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NEVER = 1 << 40
"""More steps than there are frames: no way."""


def _ring(velocity: Ints) -> int:
    """Frames of which values are kept: a power of two, for remainders would cost as much as all the rest."""
    return 1 << int(velocity[-1]).bit_length()


class BestPaths:
    """Finds the best path for one price after the other; all else stays the same."""

    def __init__(
        self,
        reward: Floats,
        ceiling: Ints,
        toll: Floats,
        cost: Floats,
        velocity: Ints,
        successors: Ints,
        crossing: Floats,
    ) -> None:
        last, states = len(reward) - 1, len(velocity)
        # A state that may be reached with and without the toll counts as two, so that the inner loop need not multiply.
        tolled = np.unique(successors[crossing > 0])
        twice = np.where(crossing > 0, states + np.searchsorted(tolled, successors), successors)
        plain = plain_states(successors, crossing)
        only, after = twice[:plain, 1].astype(np.uint16), np.ascontiguousarray(twice[plain:].T.astype(np.uint16))
        self._given = (reward, ceiling, toll, cost, velocity, only, after, tolled)  # small numbers load faster
        room = np.zeros((_ring(velocity), states)), np.empty(states + len(tolled))
        # Made once: the system takes longer to hand out so much memory than it takes to fill it.
        self._room = (*room, np.empty((last, states - plain), np.uint8), np.empty((2, last), np.int64))

    def find(self, price: float, start: int) -> tuple[Ints, Ints]:
        """Frames and states of the best path from a state at frame 0, without frame 0."""
        n, path = _walk_best(price, start, *self._given, *self._room), self._room[-1]
        return path[0, :n].copy(), path[1, :n].copy()


def plain_states(successors: Ints, crossing: Floats) -> int:
    """How many states, from the first one on, leave no choice: all actions do the same."""
    same = (successors == successors[:, :1]).all(1) & ~crossing.any(1)
    return int(np.logical_and.accumulate(same).sum())


@njit(cache=True, boundscheck=False)
def _walk_best(
    price: float,
    start: int,
    reward: Floats,
    ceiling: Ints,
    toll: Floats,
    cost: Floats,
    velocity: Ints,
    only: NDArray[np.uint16],
    after: NDArray[np.uint16],
    tolled: Ints,
    value: Floats,
    arrive: Floats,
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


def bridge(
    reward: Floats,
    ceiling: Ints,
    toll: Floats,
    cost: Floats,
    velocity: Ints,
    successors: Ints,
    crossing: Floats,
    start: tuple[int, int],
    end: tuple[int, int],
    most: int,
) -> tuple[Floats, NDArray[np.uint8]]:
    """Best ways between two (frame, state) pairs for every number of steps up to `most`.

    The count is a dimension of the dynamic program here, so the window must be short. An end at the
    last frame takes any state. Returns the value per count, shape (most + 1,), -inf where there is no
    way, and the actions, shape (window, states, counts), of which the first is that of `fewest` steps to the end;
    without those of `plain_states`.
    """
    plain = plain_states(successors, crossing)
    states, ring, window, fastest = len(velocity), _ring(velocity), end[0] - start[0], int(velocity.max())
    least = fewest(window, fastest)
    if most < least:
        return np.full(most + 1, -np.inf), np.empty((window, states - plain, 0), np.uint8)
    value = np.full((ring, states, most + 1), -np.inf)
    action = np.empty((window, states - plain, most + 1 - least), np.uint8)
    value[end[0] & (ring - 1), slice(None) if end[0] == len(reward) - 1 else end[1], 0] = 0.0
    rule = (cost, velocity, successors, crossing)
    _fill_counts(reward, ceiling, toll, *rule, start[0], end[0], fastest, value, np.empty(states), action)
    values: Floats = value[start[0] & (ring - 1), start[1]].copy()
    values[:least] = -np.inf
    return values, action


def fewest(distance: int, fastest: int) -> int:
    """Steps that are needed at least for so many frames."""
    return -(-distance // fastest)


@njit(cache=True, boundscheck=False)
def _fill_counts(
    reward: Floats,
    ceiling: Ints,
    toll: Floats,
    cost: Floats,
    velocity: Ints,
    successors: Ints,
    crossing: Floats,
    first: int,
    end: int,
    fastest: int,
    value: Floats,
    gain: Floats,
    action: NDArray[np.uint8],
) -> None:
    """Values and actions of a bridge, backwards from its end, for the numbers of steps that can matter at each frame.

    Fewer do not reach the end, and more are not left after those from the start to here.
    """
    last = len(reward) - 1
    ring, states, counts = value.shape
    plain = states - action.shape[1]
    for offset in range(end - first - 1, -1, -1):
        frame = first + offset
        low = (end - frame + fastest - 1) // fastest
        high = counts - (offset + fastest - 1) // fastest
        for s in range(states):  # what a step to each state brings
            reached = min(frame + velocity[s], last)
            possible = reached <= end and reached - frame <= ceiling[frame]
            gain[s] = reward[reached] - cost[s] if possible else -np.inf
        for s in range(states):
            value[frame & (ring - 1), s, low - 1] = -np.inf
            here, to = value[frame & (ring - 1), s, low:high], successors[s, 1]
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
            chosen = action[offset, s - plain]
            for m in range(len(here)):  # without branches; ties keep the velocity
                best, faster, slower = stays + same[m] - stay, speeds + up[m] - pay, brakes + down[m] - brake
                choice = np.uint8(0) if faster > best else np.uint8(1)
                best = faster if faster > best else best
                chosen[m] = np.uint8(2) if slower > best else choice
                here[m] = slower if slower > best else best


def step_range(
    ceiling: Ints, velocity: Ints, successors: Ints, start: tuple[int, int], end: tuple[int, int]
) -> tuple[int, int]:
    """Fewest and most steps that there can be between two (frame, state) pairs; fewest above most if there is no way.

    An end at the last frame takes any state. Not every number between the two need be possible.
    """
    counts = np.empty((2, _ring(velocity), len(velocity)), np.int64)
    counts[0], counts[1] = _NEVER, -_NEVER
    stop = slice(None) if end[0] == len(ceiling) - 1 else end[1]
    counts[:, end[0] & (counts.shape[1] - 1), stop] = 0
    _fill_range(ceiling, velocity, successors, start[0], end[0], counts)
    fewest_steps, most_steps = counts[:, start[0] & (counts.shape[1] - 1), start[1]].tolist()
    return fewest_steps, most_steps


@njit(cache=True, boundscheck=False)
def _fill_range(ceiling: Ints, velocity: Ints, successors: Ints, first: int, end: int, counts: Ints) -> None:
    """Fewest and most steps to the end by frame, modulo the ring, and state."""
    last, ring = len(ceiling) - 1, counts.shape[1]
    for frame in range(end - 1, first - 1, -1):
        for s in range(len(velocity)):
            low, high = _NEVER, -_NEVER
            for action in range(3):
                to = successors[s, action]
                reached = min(frame + velocity[to], last)
                if reached <= end and reached - frame <= ceiling[frame]:
                    low = min(low, 1 + counts[0, reached & (ring - 1), to])
                    high = max(high, 1 + counts[1, reached & (ring - 1), to])
            counts[0, frame & (ring - 1), s] = low
            counts[1, frame & (ring - 1), s] = high


def possible_starts(ceiling: Ints, velocity: Ints, successors: Ints) -> NDArray[np.bool_]:
    """States in which a path may stand at frame 0 so that it can reach the last frame, shape (states,)."""
    possible = np.ones((_ring(velocity), len(velocity)), np.bool_)
    _fill_possible(ceiling, velocity, successors, possible, np.empty(len(velocity), np.bool_))
    starts: NDArray[np.bool_] = possible[0].copy()
    return starts


@njit(cache=True, boundscheck=False)
def _fill_possible(
    ceiling: Ints, velocity: Ints, successors: Ints, possible: NDArray[np.bool_], arrive: NDArray[np.bool_]
) -> None:
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
