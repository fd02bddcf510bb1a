"""What `saffa+` remembers of a video so far, and what it makes of it: compiled by numba, updated in place.

Nothing of what is to come is in here. Relevance enters every PERIOD seconds of source (`look`), so statistics are those
of the video and not of the frames that happened to be selected.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PERIOD = 0.5
"""Seconds between two looks at the relevance."""
INPUTS = 45
"""Numbers that the network sees (`write_inputs`)."""
REACH = 8.0
"""Relevances are kept within so many deviations."""
LOOKS_KEPT = 16

COUNT, SUM, SQUARES, RUN, PROGRESS, FARTHEST, DURATION, MEAN, DEVIATION, SENTENCES = range(10)
SPANS = 5
SMOOTHED, RATES, RECENT = 10, 10 + SPANS, 10 + 2 * SPANS
SLOTS = RECENT + LOOKS_KEPT


class Memory(NamedTuple):
    """slots (SLOTS,): sums and smoothed values. ordered (looks,): the relevances so far, sorted."""

    slots: Floats
    ordered: Floats


@njit(cache=True)
def fresh_memory(duration: float, mean: float, deviation: float, sentences: int) -> Memory:
    """Before the first frame. `mean` and `deviation` tell the encoder's scale; deviation 0: a stranger's."""
    slots = np.zeros(SLOTS)
    slots[DURATION], slots[MEAN], slots[DEVIATION], slots[SENTENCES] = duration, mean, deviation, sentences
    spans = (1.5, 4.0, 12.0, duration / 20, duration / 6)
    for k in range(SPANS):
        slots[RATES + k] = 1 - exp(-PERIOD / max(spans[k], PERIOD))
    return Memory(slots, np.zeros(int(duration / PERIOD) + LOOKS_KEPT))


@njit(cache=True)
def look(memory: Memory, relevance: float, progress: float) -> None:
    """One more look. `progress` (0 to 1) is the place in the text that the moment fits."""
    slots, ordered = memory
    count = int(slots[COUNT])
    if count < len(ordered):  # a video longer than was told keeps the statistics of its first part
        place = np.searchsorted(ordered[:count], relevance)
        for k in range(count, place, -1):
            ordered[k] = ordered[k - 1]
        ordered[place] = relevance
    slots[COUNT] = count + 1
    slots[SUM] += relevance
    slots[SQUARES] += relevance * relevance
    for k in range(SPANS):
        slots[SMOOTHED + k] += max(slots[RATES + k], 1 / (count + 1)) * (relevance - slots[SMOOTHED + k])
    slots[RECENT + count % LOOKS_KEPT] = relevance
    usual = ordered[int(0.6 * (min(count + 1, len(ordered)) - 1))]
    slots[RUN] = max(slots[RUN], 0.0) + 1 if relevance > usual else min(slots[RUN], 0.0) - 1
    slots[PROGRESS] += max(0.3, 1 / (count + 1)) * (progress - slots[PROGRESS])
    slots[FARTHEST] = max(slots[FARTHEST], slots[PROGRESS])


@njit(cache=True)
def is_blank(memory: Memory) -> bool:
    """Whether all looks so far were alike and no scale tells how much that is."""
    slots, ordered = memory
    seen = min(int(slots[COUNT]), len(ordered))
    return bool(slots[DEVIATION] <= 0 and ordered[0] == ordered[max(seen - 1, 0)])


@njit(cache=True)
def write_relevance(memory: Memory, now: float, inputs: Floats) -> None:
    """Places 0-17: relevance now, smoothed, extremes, quantiles and a few looks ago, in running deviations.

    Places 22-28: the same in units of an encoder whose scale is known; else 0.
    """
    slots, ordered = memory
    count = int(slots[COUNT])
    top = min(count, len(ordered)) - 1
    mean = slots[SUM] / count
    spread = sqrt(max(slots[SQUARES] / count - mean * mean, 0.0))
    # Early on little has been seen: a small spread must not blow small changes up.
    floor = slots[DEVIATION] / 3 if slots[DEVIATION] > 0 else 0.05 * (ordered[top] - ordered[0])
    deviation = max(spread, floor, 1e-6)
    inputs[0] = now
    inputs[1:6] = slots[SMOOTHED : SMOOTHED + SPANS]
    inputs[6], inputs[7] = ordered[0], ordered[top]
    for k, level in enumerate((0.25, 0.5, 0.75, 0.9, 0.97)):
        inputs[8 + k] = ordered[int(level * top)]
    for k, ago in enumerate((1, 2, 4, 8, 15)):
        inputs[13 + k] = slots[RECENT + (count - 1 - min(ago, count - 1)) % LOOKS_KEPT]
    for k in range(18):
        inputs[k] = min(max((inputs[k] - mean) / deviation, -REACH), REACH)
    if slots[DEVIATION] > 0:
        known = (mean, now, slots[SMOOTHED + 3], ordered[top])
        for k in range(4):
            inputs[22 + k] = (known[k] - slots[MEAN]) / slots[DEVIATION]
        inputs[26], inputs[27] = deviation / slots[DEVIATION], 1.0
        inputs[28] = (slots[SMOOTHED] - slots[MEAN]) / slots[DEVIATION]
    else:
        inputs[22:29] = 0.0


@njit(cache=True)
def write_place(memory: Memory, frame: int, last: int, left: int, ceiling: int, rate: float, inputs: Floats) -> None:
    """Places 18-21, 29-31, 38-44: where it is in the video and the text, and how fast the rest must be."""
    slots = memory.slots
    place = frame / last
    inputs[18], inputs[19] = place, place * place
    inputs[20], inputs[21] = log(slots[COUNT] / 50), log(slots[DURATION] / 300)
    speed = max((last - frame) / max(left, 1), 1.0)
    # Share of the rest that can be shown at 1x if the remainder runs at the ceiling.
    share = min(max((1 / speed - 1 / ceiling) / (1 - 1 / ceiling), 1e-4), 0.98)
    inputs[29], inputs[30], inputs[31] = log(share / (1 - share)) / 3, share, speed / ceiling
    inputs[38] = log(1 + abs(slots[RUN])) * (1 if slots[RUN] > 0 else -1) / 2
    if slots[SENTENCES] > 0:
        inputs[39], inputs[40] = 2 * slots[PROGRESS], 2 * slots[FARTHEST]
        inputs[41], inputs[42] = log(slots[SENTENCES] / 8), 1.0
    else:
        inputs[39:43] = 0.0
    inputs[43], inputs[44] = min((last - frame) / ceiling / 20, 3.0), log(1 + (last - frame) / rate) / 5


@njit(cache=True)
def write_motion(velocity: int, acceleration: int, ceiling: int, rate: float, inputs: Floats) -> None:
    """Places 32-37: how fast it goes."""
    inputs[32], inputs[33], inputs[34] = 2 * velocity / ceiling, log(velocity) / 2, acceleration / 5
    inputs[35] = velocity / rate
    inputs[36], inputs[37] = 1.0 if velocity >= ceiling else 0.0, 1.0 if velocity <= 1 else 0.0
