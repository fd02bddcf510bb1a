"""An episode whose actions are drawn from the policy, in one compiled loop: what training does most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from saffa.core.types import Doubles, Floats, Ints
from saffa.methods.dynamics import MAX_VELOCITY
from saffa.methods.paper.observation import SKIP

_MAX_VELOCITY, _LAST_INDEX = float(MAX_VELOCITY), float(SKIP - 1)


class Layers(NamedTuple):
    """The policy (`policy.Split`), weights as (inputs, outputs).

    cell      (2d, 256), or (0, 256) where no course needs it
    position  (50, 256), or (0, 256) where the state lacks it
    skip      (50, 256), or (0, 256)
    """

    cell: Floats
    first_bias: Floats
    position: Floats
    skip: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats


class PublishedCourse(NamedTuple):
    """A video and a target speed.

    embeddings            (T, 2d), and the row of each frame, (F,)
    cells                 what each row adds to the first layer, (T, 256); or (0, 256): the walk looks where it lands
    velocity, successors  of each state of the dynamics, (states,) and (states, 3)
    end                   the walk is over when frame + velocity gets here
    """

    embeddings: Floats
    cells: Floats
    rows: Ints
    scales: Doubles
    velocity: Ints
    successors: Ints
    start: int
    end: int
    speed: float


class Steps(NamedTuple):
    """n steps: frame reached, action, place of the one-hot's 1 before it; and the mean velocity in the end."""

    reached: Ints
    actions: Ints
    skip_indices: Ints
    average_skip: float


@njit(cache=True)
def _look(layers: Layers, course: PublishedCourse, row: int, hidden: Floats) -> None:
    """The cell's part of the first layer, (256,), into `hidden`."""
    if len(course.cells):
        hidden[:] = course.cells[row]
        return
    hidden[:] = layers.first_bias
    for i in range(course.embeddings.shape[1]):
        value = course.embeddings[row, i]
        for k in range(len(hidden)):
            hidden[k] += value * layers.cell[i, k]


@njit(cache=True)
def _chances(layers: Layers, hidden: Floats, index: int, position: Floats) -> tuple[float, float]:
    """Probabilities of the first two actions; `hidden` (256,) holds the cell's part and is overwritten."""
    for i in range(len(layers.position)):
        value = position[i]
        for k in range(len(hidden)):
            hidden[k] += value * layers.position[i, k]
    if len(layers.skip):
        for k in range(len(hidden)):
            hidden[k] += layers.skip[index, k]
    second = layers.second_bias.copy()
    for i in range(len(hidden)):
        if hidden[i] > 0:
            value = hidden[i]
            for k in range(len(second)):
                second[k] += value * layers.second[i, k]
    scores = layers.third_bias.copy()
    for i in range(len(second)):
        if second[i] > 0:
            for k in range(len(scores)):
                scores[k] += second[i] * layers.third[i, k]
    top = np.float64(scores.max())
    first, middle, last = np.exp(scores[0] - top), np.exp(scores[1] - top), np.exp(scores[2] - top)
    total = first + middle + last
    return first / total, middle / total


@njit(cache=True)
def sampled_walk(layers: Layers, course: PublishedCourse, draws: Doubles) -> Steps:
    """Walk from frame 0 to the end; `draws` (≥ F,) has a uniform number for every step."""
    frames = len(course.rows)
    reached, actions, indices = np.empty(frames, np.int64), np.empty(frames, np.int64), np.empty(frames, np.int64)
    position = np.empty(len(layers.position), np.float32)
    hidden = np.empty(len(layers.first_bias), np.float32)
    frame, state, n = 0, course.start, 0
    total = float(course.velocity[state])
    done = False
    while not done:
        offset = np.rint(total / (n + 1) - course.speed + _MAX_VELOCITY)
        index = int(min(max(offset, 0.0), _LAST_INDEX))
        for k in range(len(position) // 2):
            angle = (frames - 1 - frame) * course.scales[k]
            position[2 * k], position[2 * k + 1] = np.sin(angle), np.cos(angle)
        _look(layers, course, course.rows[frame], hidden)
        first, middle = _chances(layers, hidden, index, position)
        action = int(draws[n] >= first) + int(draws[n] >= first + middle)
        state = course.successors[state, action]
        velocity = course.velocity[state]
        total += velocity
        done = frame + velocity >= course.end
        frame = min(frame + velocity, frames - 1)
        reached[n], actions[n], indices[n] = frame, action, index
        n += 1
    return Steps(reached[:n].copy(), actions[:n].copy(), indices[:n].copy(), total / (n + 1))
