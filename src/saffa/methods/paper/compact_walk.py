"""The walk of the compact agent: what it sees at a frame, how its network answers, where it lands. Compiled by numba.

The dynamics are the paper's (§3.2.1, in the released code's order). The state is not [e_D ; e_v ; NRPE ; one-hot] but
STATE numbers made of one scalar signal, how well a moment fits the text in deviations from its mean, and of what it
takes to land on the target speed.
"""

from __future__ import annotations

from math import exp, log
from typing import NamedTuple

import numpy as np
from numba import njit

from saffa.core.types import Doubles, Flags, Floats, Ints
from saffa.methods.dynamics import MAX_ACCELERATION, MAX_VELOCITY
from saffa.methods.paper.limits import fewest_steps, most_steps

STATE = 19
REACH = 4.0
"""The signal is kept within so many deviations."""
LEVELS = 81
"""Bins of the signal's histogram, from -REACH to REACH."""
PRIOR_FRAMES = 300.0
"""Frames that the bell curve weighs with which a single pass begins."""
COMING = (1.0, 3.0, 8.0, 20.0, 60.0)
"""Seconds over which a look ahead takes the signal's mean."""
RECENT = (1.0, 6.0)
"""Seconds over which the past signal is smoothed where there is no look ahead."""


class CompactWeights(NamedTuple):
    """Policies of one or more members, weights as (members, inputs, outputs): STATE → hidden → hidden → 3 actions."""

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats


class CompactCourse(NamedTuple):
    """A video and what is asked for.

    signal  (F,)      in deviations
    sums    (F + 1,)  of the signal before each frame
    """

    signal: Floats
    sums: Doubles
    rate: float
    speed: float
    wanted: int
    look_ahead: bool
    keep_length: bool


class Place(NamedTuple):
    """Where an agent stands; `left` frames are still wanted, `skips` is the sum of all velocities so far."""

    frame: int
    velocity: int
    acceleration: int
    left: int
    steps: int
    skips: float


class Memory(NamedTuple):
    """levels (LEVELS,): frames by their signal, ahead or behind. recent (2,): the past signal, smoothed."""

    levels: Doubles
    recent: Doubles


class CompactSteps(NamedTuple):
    """n steps: frame reached, action taken, state before it (n, STATE), permitted actions (n, 3), mean velocity."""

    reached: Ints
    actions: Ints
    states: Floats
    permitted: Flags
    average_skip: float


@njit(cache=True)
def _clip(value: float, reach: float) -> float:
    return min(max(value, -reach), reach)


@njit(cache=True)
def _level(signal: float) -> int:
    return round((_clip(signal, REACH) + REACH) * (LEVELS - 1) / (2 * REACH))


@njit(cache=True)
def begin(speed: float, wanted: int) -> Place:
    """Frame 0 at the target speed, as the authors begin."""
    velocity = max(1, min(MAX_VELOCITY, round(speed)))
    return Place(0, velocity, 1, wanted - 1, 0, float(velocity))


@njit(cache=True)
def expectation() -> Memory:
    """What is known of a signal before the first frame of a single pass: its mean is 0 and its deviation 1."""
    levels = np.zeros(LEVELS)
    for k in range(LEVELS):
        levels[k] = exp(-0.5 * (2 * REACH * k / (LEVELS - 1) - REACH) ** 2)
    return Memory(levels * (PRIOR_FRAMES / levels.sum()), np.zeros(len(RECENT)))


@njit(cache=True)
def foresight(signal: Floats) -> Memory:
    """The histogram of a video that is known from beginning to end."""
    memory = Memory(np.full(LEVELS, 1e-3), np.zeros(len(RECENT)))
    for value in signal:
        memory.levels[_level(value)] += 1
    return memory


@njit(cache=True)
def notice(memory: Memory, signal: float, frames: int, rate: float) -> None:
    """Remember the signal at a frame after a jump over `frames`."""
    memory.levels[_level(signal)] += frames
    for k in range(len(RECENT)):
        kept = exp(-frames / rate / RECENT[k])
        memory.recent[k] = kept * memory.recent[k] + (1 - kept) * signal


@njit(cache=True)
def threshold(levels: Doubles, share: float) -> float:
    """The signal that this share of the frames exceeds, between two levels where it falls between them."""
    wanted, above = share * levels.sum(), 0.0
    for k in range(LEVELS - 1, -1, -1):
        if above + levels[k] >= wanted and levels[k] > 0:
            found: float = (k + 0.5 - (wanted - above) / levels[k]) * 2 * REACH / (LEVELS - 1) - REACH
            return found
        above += levels[k]
    return -REACH


@njit(cache=True)
def write_state(state: Floats, place: Place, last: int, speed: float, signal: float, memory: Memory) -> float:
    """All but places 3-7, which hold what comes or what has been; the threshold.

    `need` is the skip that lands on the wanted number of frames from here. If the rest ran either at 1 or at the
    highest velocity, `share` of it could be shown at 1: the threshold is the signal that so large a part exceeds.
    """
    rest, need = last - place.frame, max((last - place.frame) / max(place.left, 1), 1.0)
    share = min(max((1 / need - 1 / MAX_VELOCITY) / (1 - 1 / MAX_VELOCITY), 1e-3), 0.98)
    level = threshold(memory.levels, share)
    state[0], state[1], state[2] = signal, signal - level, log(share / (1 - share)) / 3
    state[8], state[9] = place.velocity / 12.5 - 1, place.acceleration / 2.5 - 1
    state[10] = _clip(log(place.velocity / speed), 2.0)
    state[11], state[12] = _clip(log(need / speed), 2.0), _clip(log(need / place.velocity), 3.0)
    state[13], state[14] = _clip((need - speed) / 2, 3.0), _clip(place.left / 25, 2.0)
    state[15] = speed / 12.5 - 1
    state[16] = _clip((place.skips / (place.steps + 1) - speed) / 2, 3.0)
    state[17], state[18] = 2.0 * rest / (last + 1) - 1, min(rest / 500, 3.0)
    return level


@njit(cache=True)
def write_past(state: Floats, memory: Memory, level: float) -> None:
    """Places 3-7 in a single pass: the signal of the last seconds against the threshold, and the threshold."""
    state[3], state[4], state[5] = memory.recent[0] - level, memory.recent[1] - level, level
    state[6], state[7] = 0.0, 0.0


@njit(cache=True)
def write_coming(state: Floats, course: CompactCourse, frame: int, level: float) -> None:
    """Places 3-7 where the video is known: the signal's mean over the coming seconds."""
    for k in range(len(COMING)):
        end = min(frame + int(COMING[k] * course.rate), len(course.signal) - 1)
        state[3 + k] = (course.sums[end + 1] - course.sums[frame]) / (end + 1 - frame)
        if k < len(COMING) - 1:
            state[3 + k] -= level


@njit(cache=True)
def add_scores(networks: CompactWeights, state: Floats, scores: Floats) -> None:
    """The members' mean score of each action, (3,)."""
    members = len(networks.first)
    for m in range(members):
        first = networks.first_bias[m].copy()
        for i in range(STATE):
            for k in range(len(first)):
                first[k] += state[i] * networks.first[m, i, k]
        second = networks.second_bias[m].copy()
        for i in range(len(first)):
            if first[i] > 0:
                for k in range(len(second)):
                    second[k] += first[i] * networks.second[m, i, k]
        for k in range(3):
            scores[k] += networks.third_bias[m, k] / members
        for i in range(len(second)):
            if second[i] > 0:
                for k in range(3):
                    scores[k] += second[i] * networks.third[m, i, k] / members


@njit(cache=True)
def motion(velocity: int, acceleration: int, action: int) -> tuple[int, int]:
    """Velocity and acceleration after an action (`Dynamics.step`)."""
    if action == 0:
        acceleration = min(acceleration + 1, MAX_ACCELERATION)
        return min(velocity + acceleration, MAX_VELOCITY), acceleration
    if action == 2:
        acceleration = max(acceleration - 1, 1)
        return max(velocity - acceleration, 1), acceleration
    return velocity, acceleration


@njit(cache=True)
def missed_steps(distance: int, velocity: int, acceleration: int, steps: int) -> int:
    """How far a number of steps is out of reach for a distance, in steps; 0 if it can be kept."""
    if distance <= 0:
        return abs(steps)
    fewest = fewest_steps(distance, velocity, acceleration, MAX_VELOCITY)
    most = most_steps(distance, velocity, acceleration, 1, MAX_VELOCITY)
    return max(fewest - steps, steps - most, 0)


@njit(cache=True)
def permit(permitted: Flags, place: Place, last: int) -> None:
    """The actions after which the wanted number of frames can still be met, or is missed by the least, (3,)."""
    missed = np.zeros(3, np.int64)
    for action in range(3):
        velocity, acceleration = motion(place.velocity, place.acceleration, action)
        missed[action] = missed_steps(last - place.frame - velocity, velocity, acceleration, place.left - 1)
    for action in range(3):
        permitted[action] = missed[action] == missed.min()


@njit(cache=True)
def likeliest(scores: Floats, permitted: Flags) -> int:
    """The best-scored action that is permitted."""
    best, top = 1, -np.inf
    for action in range(3):
        if permitted[action] and scores[action] > top:
            best, top = action, scores[action]
    return best


@njit(cache=True)
def drawn(scores: Floats, permitted: Flags, draw: float) -> int:
    """An action by the policy's chances, from a uniform number."""
    top = -np.inf
    for action in range(3):
        if permitted[action]:
            top = max(top, scores[action])
    total = 0.0
    chances = np.zeros(3)
    for action in range(3):
        if permitted[action]:
            chances[action] = exp(scores[action] - top)
            total += chances[action]
    if draw * total < chances[0]:
        return 0
    return 1 if draw * total < chances[0] + chances[1] else 2


@njit(cache=True)
def moved(place: Place, action: int, last: int) -> Place:
    """The place after an action: a jump past the end lands on the last frame."""
    velocity, acceleration = motion(place.velocity, place.acceleration, action)
    frame = min(place.frame + velocity, last)
    return Place(frame, velocity, acceleration, place.left - 1, place.steps + 1, place.skips + velocity)


@njit(cache=True)
def walk(networks: CompactWeights, course: CompactCourse, draws: Doubles) -> CompactSteps:
    """Walk from frame 0 to the end; `draws` (≥ F,) has a number for each step, or none: the likeliest action then."""
    last = len(course.signal) - 1
    most = course.wanted if course.keep_length else len(course.signal)
    reached, actions = np.zeros(most, np.int64), np.zeros(most, np.int64)
    states, permitted = np.zeros((most, STATE), np.float32), np.ones((most, 3), np.bool_)
    memory = foresight(course.signal) if course.look_ahead else expectation()
    place, passed, n = begin(course.speed, course.wanted), 0, 0
    while place.frame < last and (place.left > 0 or not course.keep_length):
        signal = float(course.signal[place.frame])
        if course.look_ahead:
            for frame in range(passed, place.frame):
                memory.levels[_level(course.signal[frame])] -= 1
            passed = place.frame
        else:
            notice(memory, signal, place.velocity, course.rate)
        level = write_state(states[n], place, last, course.speed, signal, memory)
        if course.look_ahead:
            write_coming(states[n], course, place.frame, level)
        else:
            write_past(states[n], memory, level)
        if course.keep_length:
            permit(permitted[n], place, last)
        scores = np.zeros(3, np.float32)
        add_scores(networks, states[n], scores)
        actions[n] = drawn(scores, permitted[n], draws[n]) if len(draws) else likeliest(scores, permitted[n])
        place = moved(place, actions[n], last)
        reached[n] = place.frame
        n += 1
    average = place.skips / (place.steps + 1)
    return CompactSteps(reached[:n].copy(), actions[:n].copy(), states[:n].copy(), permitted[:n].copy(), average)


@njit(cache=True)
def step(
    networks: CompactWeights, memory: Memory, place: Place, last: int, rate: float, speed: float, signal: float
) -> Place:
    """One step of a single pass: the place that the likeliest permitted action leads to."""
    state, scores, permitted = np.zeros(STATE, np.float32), np.zeros(3, np.float32), np.ones(3, np.bool_)
    notice(memory, signal, place.velocity, rate)
    write_past(state, memory, write_state(state, place, last, speed, signal, memory))
    permit(permitted, place, last)
    add_scores(networks, state, scores)
    return moved(place, likeliest(scores, permitted), last)


@njit(cache=True)
def even_step(place: Place, last: int, goal: float) -> Place:
    """One step where nothing tells one moment from another: the place nearest to the frame `goal`."""
    scores, permitted = np.zeros(3, np.float32), np.ones(3, np.bool_)
    permit(permitted, place, last)
    for action in range(3):
        velocity, _ = motion(place.velocity, place.acceleration, action)
        scores[action] = -abs(place.frame + velocity - goal)
    return moved(place, likeliest(scores, permitted), last)
