"""The rate of the even axis: that of the fast parts, if there are any, within reason."""

from fractions import Fraction

import numpy as np
import pytest

from saffa.media.rates import fine_rate, named_rate

BASE = Fraction(1, 1000)


def rate_of(gaps: list[int], told: list[int]) -> Fraction:
    ticks = np.cumsum([0, *gaps])
    mean = (len(gaps) / (int(ticks[-1]) * BASE)).limit_denominator(1001)
    return fine_rate(ticks, BASE, [Fraction(rate) for rate in told], mean)


@pytest.mark.parametrize(
    ("gaps", "told", "expected"),
    [
        ([100] * 50 + [33, 33, 34] * 50, [30], 30),
        ([33, 33, 34] * 50 + [100] * 50, [20], 30),  # measured, and one of the usual rates
        ([33, 33, 34] * 20 + [3000] + [33, 33, 34] * 20, [30], 30),
        ([20] * 50 + [100] * 50, [50, 17], 50),
        ([4] * 500 + [40] * 100, [250], Fraction(600, 6)),  # never more than 60, but the mean is more
        ([10] * 200 + [100] * 100, [25], 50),  # 100 a second for a while: twice what is told
        ([10] * 200 + [100] * 100, [90], 60),
    ],
)
def test_fast_parts(gaps: list[int], told: list[int], expected: Fraction | int) -> None:
    assert rate_of(gaps, told) == pytest.approx(float(expected), rel=0.01)


def test_jitter_and_lost_frames_keep_the_mean() -> None:
    random = np.random.default_rng(0)
    jitter = random.integers(20, 47, 300).tolist()
    lost = (33 * (1 + (random.random(300) < 0.04))).tolist()
    for gaps in (jitter, lost, [40, 700, 20]):
        mean = (len(gaps) / (sum(gaps) * BASE)).limit_denominator(1001)
        assert rate_of(gaps, [30]) == mean


def test_names() -> None:
    assert named_rate(30.04, [Fraction(30000, 1001)]) == Fraction(30000, 1001)
    assert named_rate(30.04, [Fraction(10)]) == 30
    assert named_rate(29.95, []) == Fraction(30000, 1001)
    assert named_rate(12.5, []) == Fraction(25, 2)
