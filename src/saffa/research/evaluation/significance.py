"""Whether two methods differ: Student's t-test as in the paper, and paired bootstrap intervals beside it.

The paper (supplement §2) tests per-video values of each pair of methods with the unpaired t-test of equal variances,
two-sided, at α = .01. Both methods see the same videos, so the paired bootstrap asks the sharper question: how large is
the mean difference over videos, and in which range would it lie with other videos of the kind?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, lgamma, log, log1p, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from saffa.research.evaluation.metrics import Scores

ALPHA = 0.01
METRICS = ("precision", "recall", "f1", "os")
"""Those of the paper's tables of p-values, in its order."""
DRAWS = 10_000
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Comparison:
    """Method `first` against `second` in one metric; `low` and `high` bound first − second."""

    metric: str
    first: str
    second: str
    p: float
    difference: float
    low: float
    high: float


def t_test(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of the unpaired test with equal variances; values that are no numbers are left out.

    Two constant samples have no variance to compare with: 1 if they are equal, else 0.
    """
    a, b = (_numbers(sample) for sample in (first, second))
    degrees = len(a) + len(b) - 2
    if len(a) < 1 or len(b) < 1 or degrees < 1:
        return nan
    difference = float(a.mean() - b.mean())
    pooled = (float(((a - a.mean()) ** 2).sum()) + float(((b - b.mean()) ** 2).sum())) / degrees
    error = sqrt(pooled * (1 / len(a) + 1 / len(b)))
    if error <= 1e-12 * max(abs(float(a.mean())), abs(float(b.mean())), 1e-300):
        return 1.0 if abs(difference) <= error else 0.0
    return t_tail(difference / error, degrees)


def paired_t_test(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of the mean of first − second over videos; 1 where all differences are 0."""
    difference = _numbers(np.asarray(first, np.float64) - np.asarray(second, np.float64))
    if len(difference) < 2:
        return nan
    error = float(difference.std(ddof=1)) / sqrt(len(difference))
    if error <= 1e-12:
        return 1.0 if abs(float(difference.mean())) <= 1e-12 else 0.0
    return t_tail(float(difference.mean()) / error, len(difference) - 1)


def t_tail(t: float, degrees: float) -> float:
    """P(|T| > |t|) for Student's t: the regularised incomplete beta I_x(ν/2, ½) at x = ν / (ν + t²)."""
    if t in (inf, -inf):
        return 0.0
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b) by Lentz's continued fraction, on the side where it converges quickly."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    tiny = 1e-300
    value, c, d = 1.0, 1.0, 0.0
    for step in range(400):
        m = step // 2
        if step == 0:
            factor = 1.0
        elif step % 2 == 0:
            factor = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            factor = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / ((1 + factor * d) or tiny)
        c = (1 + factor / c) or tiny
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return min(1.0, front * (value - 1))


def paired_interval(
    first: ArrayLike, second: ArrayLike, *, draws: int = DRAWS, confidence: float = CONFIDENCE, seed: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap of the mean of first − second over videos, which are drawn together."""
    difference = _numbers(np.asarray(first, np.float64) - np.asarray(second, np.float64))
    if not len(difference):
        return nan, nan
    random = np.random.default_rng(seed)
    means = difference[random.integers(len(difference), size=(draws, len(difference)))].mean(1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def compare(per_video: Mapping[str, Mapping[str, Scores]], metrics: Sequence[str] = METRICS) -> tuple[Comparison, ...]:
    """Every pair of methods in every metric, on the videos that both have."""
    found = []
    names = list(per_video)
    for metric in metrics:
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                shared = [video for video in per_video[first] if video in per_video[second]]
                a, b = ([getattr(per_video[m][v], metric) for v in shared] for m in (first, second))
                difference = float(np.nanmean(np.subtract(a, b))) if shared else nan
                found.append(Comparison(metric, first, second, t_test(a, b), difference, *paired_interval(a, b)))
    return tuple(found)


def _numbers(sample: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.asarray(sample, np.float64).ravel()
    kept: np.ndarray[tuple[int], np.dtype[np.float64]] = values[~np.isnan(values)]
    return kept
