"""One move of `saffa+`, and whole walks for its training: compiled by numba."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from saffa.methods.dynamics import MAX_ACCELERATION, Dynamics
from saffa.methods.paper.limits import fewest_steps, most_steps
from saffa.methods.plus.memory import (
    INPUTS,
    PERIOD,
    Memory,
    fresh_memory,
    look,
    write_motion,
    write_place,
    write_relevance,
)

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]


class Network(NamedTuple):
    """Three layers with ReLU between, weights as (inputs, outputs): INPUTS → hidden → hidden → one score per action."""

    first: Singles
    first_bias: Singles
    second: Singles
    second_bias: Singles
    third: Singles
    third_bias: Singles


class Rules(NamedTuple):
    """The dynamics: velocity of each state, (states,), and the state after each action, (states, 3)."""

    velocity: Ints
    successors: Ints


class Curve(NamedTuple):
    """A video as `saffa+` reads it: times, relevance and place in the text of each cell, shape (T,)."""

    times: Floats
    relevance: Floats
    progress: Floats
    sentences: int
    frames: int
    rate: float


class Spot(NamedTuple):
    """Where it stands: frame, last frame, frames still wanted, state of the dynamics, frames per second."""

    frame: int
    last: int
    left: int
    state: int
    rate: float


class Visits(NamedTuple):
    """A walk, one row per step: inputs (n, INPUTS), where it stood, and the frames wanted from there on."""

    selected: Ints
    inputs: Singles
    frames: Ints
    states: Ints
    left: Ints
    free: NDArray[np.bool_]


@lru_cache(maxsize=4)
def rules_for(dynamics: Dynamics) -> Rules:
    """As arrays."""
    return Rules(dynamics.velocities(), dynamics.successors())


@njit(cache=True)
def scores_of(network: Network, inputs: Floats) -> Singles:
    """Score of each action, shape (3,)."""
    first = network.first_bias.copy()
    for i in range(len(inputs)):
        value = np.float32(inputs[i])
        for k in range(len(first)):
            first[k] += value * network.first[i, k]
    second = network.second_bias.copy()
    for i in range(len(first)):
        if first[i] > 0:
            for k in range(len(second)):
                second[k] += first[i] * network.second[i, k]
    scores = network.third_bias.copy()
    for i in range(len(second)):
        if second[i] > 0:
            for k in range(3):
                scores[k] += second[i] * network.third[i, k]
    return scores


@njit(cache=True)
def missed_steps(rules: Rules, distance: int, state: int, steps: int) -> int:
    """By how many steps `steps` is out of reach for that distance; 0 if it can be kept."""
    if distance <= 0:
        return abs(steps)
    velocity, acceleration = rules.velocity[state], state % MAX_ACCELERATION + 1
    floor, ceiling = rules.velocity[0], rules.velocity[-1]
    fewest = fewest_steps(distance, velocity, acceleration, ceiling)
    most = most_steps(distance, velocity, acceleration, floor, ceiling)
    missed: int = max(fewest - steps, steps - most, 0)
    return missed


@njit(cache=True)
def choose(scores: Singles, rules: Rules, state: int, distance: int, left: int) -> tuple[int, bool]:
    """State after the best-scored action that keeps (nearest to) the wanted number, and whether there was a choice."""
    best, gap, top, open_ways = state, 1 << 30, np.float32(-np.inf), 0
    for action in range(3):
        reached = rules.successors[state, action]
        missed = missed_steps(rules, distance - rules.velocity[reached], reached, left - 1)
        open_ways += missed == 0
        if missed < gap or (missed == gap and scores[action] > top):
            best, gap, top = reached, missed, scores[action]
    return best, open_ways > 1


@njit(cache=True)
def write_inputs(memory: Memory, rules: Rules, spot: Spot, relevance: float, inputs: Floats) -> None:
    """All INPUTS numbers for the frame it stands on."""
    ceiling = rules.velocity[-1]
    write_relevance(memory, relevance, inputs)
    write_place(memory, spot.frame, spot.last, spot.left, ceiling, spot.rate, inputs)
    write_motion(rules.velocity[spot.state], spot.state % MAX_ACCELERATION + 1, ceiling, spot.rate, inputs)


@njit(cache=True)
def take_in(memory: Memory, spot: Spot, looks: int, relevance: float, progress: float) -> int:
    """Look as often as periods have passed (a leap over several counts as often); the number of looks so far."""
    while spot.frame / spot.rate >= looks * PERIOD:
        look(memory, relevance, progress)
        looks += 1
    return looks


@njit(cache=True)
def move(network: Network, rules: Rules, memory: Memory, inputs: Floats, spot: Spot, relevance: float) -> int:
    """The next state."""
    write_inputs(memory, rules, spot, relevance, inputs)
    return choose(scores_of(network, inputs), rules, spot.state, spot.last - spot.frame, spot.left)[0]


@njit(cache=True)
def even_move(rules: Rules, spot: Spot, goal: float) -> int:
    """The next state where nothing tells one moment from another: whatever lands nearest to the frame `goal`."""
    scores = np.zeros(3, np.float32)
    for action in range(3):
        scores[action] = -abs(spot.frame + rules.velocity[rules.successors[spot.state, action]] - goal)
    return choose(scores, rules, spot.state, spot.last - spot.frame, spot.left)[0]


@njit(cache=True)
def cell_at(curve: Curve, cell: int, frame: int) -> int:
    """The newest cell whose time has come, from `cell` on."""
    while cell + 1 < len(curve.times) and curve.times[cell + 1] <= frame / curve.rate:
        cell += 1
    return cell


@njit(cache=True)
def walk_curve(
    network: Network,
    rules: Rules,
    curve: Curve,
    scale: tuple[float, float],
    start: int,
    wanted: int,
    stray: float,
    seed: int,
) -> Visits:
    """A whole walk. With the chance `stray` a step is random, so that training sees what its own walks don't."""
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    last = curve.frames - 1
    memory = fresh_memory(curve.frames / curve.rate, scale[0], scale[1], curve.sentences)
    inputs, seen = np.zeros(INPUTS), np.zeros((wanted + 1, INPUTS), np.float32)
    selected, frames = np.zeros(wanted + 1, np.int64), np.zeros(wanted + 1, np.int64)
    states, lefts = np.zeros(wanted + 1, np.int64), np.zeros(wanted + 1, np.int64)
    free = np.zeros(wanted + 1, np.bool_)
    frame, state, left, looks, cell, n = 0, start, wanted - 1, 0, 0, 0
    while frame < last and left > 0:
        spot = Spot(frame, last, left, state, curve.rate)
        cell = cell_at(curve, cell, frame)
        looks = take_in(memory, spot, looks, curve.relevance[cell], curve.progress[cell])
        write_inputs(memory, rules, spot, curve.relevance[cell], inputs)
        scores = scores_of(network, inputs)
        if np.random.random() < stray:  # noqa: NPY002
            scores[np.random.randint(0, 3)] = np.inf  # noqa: NPY002
        seen[n] = inputs.astype(np.float32)
        frames[n], states[n], lefts[n] = frame, state, left
        state, free[n] = choose(scores, rules, state, last - frame, left)
        frame = min(frame + rules.velocity[state], last)
        left -= 1
        n += 1
        selected[n] = frame
    return Visits(selected[: n + 1], seen[:n], frames[:n], states[:n], lefts[:n], free[:n])
