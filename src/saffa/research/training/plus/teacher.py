"""What `saffa+` learns from: what each action cost, told afterwards.

Two teachers know how a training video went on.

`hindsight` follows each action by the best that the dynamics allow (the planner's values). It is exact and cheap,
but it waits for moments of which the agent cannot know that they will come.
`probe` follows each action by the agent's own walk to the end: what it really would have earned.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from saffa.methods.plus.memory import INPUTS, Memory, fresh_memory
from saffa.methods.plus.moves import (
    Curve,
    Network,
    Rules,
    Spot,
    cell_at,
    choose,
    missed_steps,
    move,
    scores_of,
    take_in,
    write_inputs,
)

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

PRICES = 16
LEVELS = (0, 0.1, 0.25, 0.4, 0.55, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 1)
RING = 32  # a power of two above the largest velocity
IMPOSSIBLE = -1e9


def prices_for(reward: Singles) -> Singles:
    """Prices per selected frame from denser than needed to sparser than needed, rising, shape (PRICES,)."""
    levels = np.quantile(reward, LEVELS) + 1e-4 * np.arange(len(LEVELS))
    return np.concatenate([[levels[0] - 1], levels, [levels[-1] + 0.5]]).astype(np.float32)


@njit(cache=True, boundscheck=False)
def hindsight(reward: Singles, prices: Singles, rules: Rules, frames: Ints, states: Ints) -> Singles:
    """Best value after each action from each (frame, state), for every price; shape (n, PRICES, 3).

    One pass from the last frame to the first: `frames` must fall.
    """
    last, count = len(reward) - 1, len(rules.velocity)
    value = np.zeros((RING, count, PRICES), np.float32)
    arrive = np.zeros((count, PRICES), np.float32)
    values = np.zeros((len(frames), PRICES, 3), np.float32)
    n = 0
    while n < len(frames) and frames[n] >= last:
        n += 1
    for frame in range(last - 1, -1, -1):
        for s in range(count):
            reached = min(frame + rules.velocity[s], last)
            gain, then, out = reward[reached], value[reached % RING, s], arrive[s]
            for k in range(PRICES):
                out[k] = then[k] + (gain - prices[k])
        while n < len(frames) and frames[n] == frame:
            for action in range(3):
                values[n, :, action] = arrive[rules.successors[states[n], action]]
            n += 1
        for s in range(count):
            faster, same = arrive[rules.successors[s, 0]], arrive[rules.successors[s, 1]]
            slower, here = arrive[rules.successors[s, 2]], value[frame % RING, s]
            for k in range(PRICES):
                here[k] = max(faster[k], same[k], slower[k])
    return values


def hindsight_losses(values: Singles, prices: Singles, left: Ints) -> Singles:
    """How much each action loses against the best one when `left` frames are wanted from there on, shape (n, 3), ≤ 0.

    The best value falls with the price at a slope of minus the number of frames; between two prices that slope
    tells the number, and the price at which it is `left` is interpolated.
    """
    best = values.max(2)
    frames = np.minimum.accumulate((best[:, :-1] - best[:, 1:]) / np.diff(prices), 1)  # (n, PRICES - 1), falling
    middles = (prices[1:] + prices[:-1]) / 2
    row, denser = np.arange(len(left)), (frames > left[:, None]).sum(1)
    low, high = np.clip(denser - 1, 0, PRICES - 2), np.clip(denser, 0, PRICES - 2)
    gap = np.maximum(frames[row, low] - frames[row, high], 1e-6)
    share = np.where(low < high, np.clip((frames[row, low] - left) / gap, 0, 1), 0.0)
    price = middles[low] + (middles[high] - middles[low]) * share
    price = np.where(denser == 0, prices[0], np.where(denser > PRICES - 2, prices[-1], price))
    below = np.clip(np.searchsorted(prices, price) - 1, 0, PRICES - 2)
    upper = np.clip((price - prices[below]) / (prices[below + 1] - prices[below]), 0, 1)[:, None]
    losses = values - best[:, :, None]
    return np.asarray(losses[row, below] * (1 - upper) + losses[row, below + 1] * upper, np.float32)


@njit(cache=True)
def walk_on(
    network: Network,
    rules: Rules,
    memory: Memory,
    curve: Curve,
    reward: Floats,
    spot: Spot,
    looks: int,
    cell: int,
    action: int,
    hold: int,
) -> float:
    """Reward to the end when `action` is taken for `hold` steps as far as the length allows, then the agent's own."""
    inputs, wish = np.zeros(INPUTS), np.zeros(3, np.float32)
    wish[action] = 1
    frame, left, state, total, n = spot.frame, spot.left, spot.state, 0.0, 0
    while frame < spot.last and left > 0:
        here = Spot(frame, spot.last, left, state, spot.rate)
        cell = cell_at(curve, cell, frame)
        looks = take_in(memory, here, looks, curve.relevance[cell], curve.progress[cell])
        if n < hold:
            state = choose(wish, rules, state, spot.last - frame, left)[0]
        else:
            state = move(network, rules, memory, inputs, here, curve.relevance[cell])
        frame = min(frame + rules.velocity[state], spot.last)
        total += reward[frame]
        left -= 1
        n += 1
    return total


@njit(cache=True)
def probe(
    network: Network,
    rules: Rules,
    curve: Curve,
    scale: tuple[float, float],
    reward: Floats,
    start: int,
    wanted: int,
    chance: float,
    stray: float,
    hold: int,
    seed: int,
) -> tuple[Singles, Singles]:
    """Walk, and at some steps (`chance`) try every action: inputs (n, INPUTS) and what each earned (n, 3).

    With the chance `stray` it goes astray for up to twelve steps. Actions that break the length earn IMPOSSIBLE.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    last = curve.frames - 1
    memory = fresh_memory(curve.frames / curve.rate, scale[0], scale[1], curve.sentences)
    inputs = np.zeros(INPUTS)
    seen, earned = np.zeros((wanted + 1, INPUTS), np.float32), np.full((wanted + 1, 3), np.float32(IMPOSSIBLE))
    frame, state, left, looks, cell, n, astray, whim = 0, start, wanted - 1, 0, 0, 0, 0, 0
    while frame < last and left > 0:
        spot = Spot(frame, last, left, state, curve.rate)
        cell = cell_at(curve, cell, frame)
        looks = take_in(memory, spot, looks, curve.relevance[cell], curve.progress[cell])
        write_inputs(memory, rules, spot, curve.relevance[cell], inputs)
        scores = scores_of(network, inputs)
        if astray == 0 and np.random.random() < stray:  # noqa: NPY002
            astray, whim = np.random.randint(1, 12), np.random.randint(0, 3)  # noqa: NPY002
        if astray > 0:
            astray -= 1
            scores[whim] = np.inf
        after, free = choose(scores, rules, state, last - frame, left)
        if free and np.random.random() < chance:  # noqa: NPY002
            for action in range(3):
                reached = rules.successors[state, action]
                if missed_steps(rules, last - frame - rules.velocity[reached], reached, left - 1) == 0:
                    known = Memory(memory.slots.copy(), memory.ordered.copy())
                    earned[n, action] = walk_on(network, rules, known, curve, reward, spot, looks, cell, action, hold)
            seen[n] = inputs.astype(np.float32)
            n += 1
        state = after
        frame = min(frame + rules.velocity[state], last)
        left -= 1
    return seen[:n], earned[:n]
