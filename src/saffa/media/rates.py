"""The rate of the even axis on which a video of variable rate is chosen from and written."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

WINDOW = 16
"""Gaps between frames that are taken together: jitter cancels out, a change of pace does not."""
SHARE = 0.1
"""Of the frames that must come so fast, or faster."""
MILD = 1.1
"""Up to this much faster than the mean is jitter, or a lost frame now and then: the mean rate is kept."""
FASTEST = Fraction(60)
NEAR = 0.05
"""Share by which a rate that the container tells, or a usual one, may differ from what was measured."""
USUAL = tuple(Fraction(*pair) for pair in ((24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60, 1)))


def fine_rate(ticks: NDArray[np.int64], base: Fraction, told: Sequence[Fraction], mean: Fraction) -> Fraction:
    """The rate at which frames come where they come fastest for a while, within reason; never below the mean."""
    span = min(WINDOW, len(ticks) - 1)
    around = span / ((ticks[span:] - ticks[:-span]) * float(base))
    fast = float(np.quantile(around, 1 - SHARE))
    if fast <= MILD * mean:
        return mean
    fast = min(fast, float(FASTEST), 2 * float(max(*told, mean)))
    return max(mean, named_rate(fast, told))


def named_rate(measured: float, told: Sequence[Fraction]) -> Fraction:
    """The rate that was meant: one that was told, else a usual one, else the number itself."""
    for rates in (told, sorted(USUAL, key=lambda rate: abs(rate - measured))):
        for rate in rates:
            if abs(rate / measured - 1) < NEAR:
                return rate
    return Fraction(measured).limit_denominator(1001)
