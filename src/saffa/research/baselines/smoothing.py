"""SAS's smoothing: more frames until gaps are small and a range has its length (method.md E, SAS step 6)."""

from __future__ import annotations

import numpy as np
from numba import njit

from saffa.core.types import Floats, Ints
from saffa.research.baselines.appearance import Appearance, between

WIDEST = 100
"""Frames: gaps this wide are halved first."""


def smoothed(frames: Ints, stop: int, wanted: int, speed: float, appearance: Appearance) -> Ints:
    """Insert frames after the first one and before `stop` (not counted) until there are `wanted`, if there is room.

    First midpoints until every gap is below WIDEST. Then, one by one, the transition of largest
    appearance cost · (gap - speed) gets the frame i of least

        normalised(cost(a, i)² + cost(i, b)²) + ½ normalised(max(speed - (i - a), 0) + max(speed - (b - i), 0)),

    normalised = divided by the largest of that transition. Of equal transitions the widest comes first.
    """
    ends = np.append(frames, stop).astype(np.int64)
    return _smoothed(ends, wanted, float(speed), appearance.rows, appearance.row_of_frame, appearance.cumulative)


@njit(cache=True)
def _smoothed(ends: Ints, wanted: int, speed: float, rows: Floats, places: Ints, cumulative: bool) -> Ints:
    first, stop = ends[0], ends[-1]
    after = np.zeros(stop - first + 1, np.int64)  # the next selected frame, 0 where none is selected
    count = len(ends) - 1
    for k in range(count):
        after[ends[k] - first] = ends[k + 1]
    frame = first
    while frame < stop:
        gap = after[frame - first] - frame
        if gap >= WIDEST:
            middle = frame + gap // 2
            after[middle - first] = after[frame - first]
            after[frame - first] = middle
            count += 1
        else:
            frame = after[frame - first]
    need = np.full(stop - first + 1, -np.inf)
    frame = first
    while frame < stop:
        need[frame - first] = _need(frame, after[frame - first], speed, rows, places, cumulative)
        frame = after[frame - first]
    while count < wanted:
        a, best, widest = -1, -np.inf, 0
        frame = first
        while frame < stop:
            gap = after[frame - first] - frame
            value = need[frame - first]
            if gap >= 2 and (value > best or (value == best and gap > widest)):
                a, best, widest = frame, value, gap
            frame = after[frame - first]
        if a < 0:
            break
        b = after[a - first]
        i = _inserted(a, b, speed, rows, places, cumulative)
        after[i - first], after[a - first] = b, i
        need[a - first] = _need(a, i, speed, rows, places, cumulative)
        need[i - first] = _need(i, b, speed, rows, places, cumulative)
        count += 1
    selected: Ints = first + np.flatnonzero(after)
    return selected


@njit(cache=True)
def _need(a: int, b: int, speed: float, rows: Floats, places: Ints, cumulative: bool) -> float:
    end = min(b, len(places) - 1)
    return between(rows, places[a], places[end], cumulative) * (b - a - speed)


@njit(cache=True)
def _inserted(a: int, b: int, speed: float, rows: Floats, places: Ints, cumulative: bool) -> int:
    end = places[min(b, len(places) - 1)]
    looks = np.zeros(b - a - 1)
    pace = np.zeros(b - a - 1)
    for k in range(b - a - 1):
        i = a + 1 + k
        one = between(rows, places[a], places[i], cumulative)
        two = between(rows, places[i], end, cumulative)
        looks[k] = one * one + two * two
        pace[k] = max(speed - (i - a), 0.0) + max(speed - (b - i), 0.0)
    most_looks, most_pace = max(looks.max(), 1e-30), max(pace.max(), 1e-30)
    # Where all frames look alike the middle is as good as any, and even.
    best, place, off = np.inf, a + 1, np.inf
    for k in range(b - a - 1):
        cost = looks[k] / most_looks + 0.5 * pace[k] / most_pace
        side = abs(2 * (k + 1) - (b - a))
        if cost < best or (cost == best and side < off):
            best, place, off = cost, a + 1 + k, side
    return place
