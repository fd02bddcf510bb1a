import math

import numpy as np
import pytest

from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.significance import (
    compare,
    incomplete_beta,
    paired_interval,
    paired_t_test,
    t_tail,
    t_test,
)


@pytest.mark.parametrize(
    ("t", "degrees", "p"),  # critical values of any printed table
    [(12.7062, 1, 0.05), (2.2281, 10, 0.05), (3.1693, 10, 0.01), (2.6603, 60, 0.01), (1.2958, 60, 0.2), (0, 7, 1)],
)
def test_tails_of_the_tables(t: float, degrees: float, p: float) -> None:
    assert t_tail(t, degrees) == pytest.approx(p, rel=2e-4)
    assert t_tail(-t, degrees) == t_tail(t, degrees)


def test_closed_forms() -> None:
    for t in (0.1, 1.0, 30.0):  # one degree of freedom is Cauchy's, two have a root
        assert t_tail(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, rel=1e-10)
        assert t_tail(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-9)
    assert incomplete_beta(2.0, 3.0, 0.4) == pytest.approx(0.5248, rel=1e-12)
    assert t_tail(25.0, 900) == pytest.approx(2.4e-105, rel=0.05)  # the paper prints p-values far below 1e-30
    assert t_tail(math.inf, 5) == 0


def test_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy comes with saffa[report]")
    random = np.random.default_rng(3)
    for shift in (0, 0.3, 2, 9):
        a, b = random.normal(shift, 1, 40), random.normal(0, 2, 57)
        assert t_test(a, b) == pytest.approx(stats.ttest_ind(a, b).pvalue, rel=1e-8)
        b[3] = np.nan
        assert t_test(a, b) == pytest.approx(stats.ttest_ind(a, b, nan_policy="omit").pvalue, rel=1e-8)


def test_constant_samples() -> None:
    assert t_test([3, 3, 3], [3, 3]) == 1
    assert t_test([3, 3, 3], [4, 4]) == 0
    assert math.isnan(t_test([1], [2]))


def test_interval_knows_that_videos_are_shared() -> None:
    random = np.random.default_rng(0)
    easy = random.normal(50, 20, 60)
    better = easy + random.normal(2, 1, 60)
    low, high = paired_interval(better, easy)
    assert 0 < low < 2 < high < 3
    assert t_test(better, easy) > 0.1  # unpaired, the spread of the videos hides it
    assert paired_interval(better, easy) == (low, high)
    swapped = paired_interval(easy, better)
    assert swapped == pytest.approx((-high, -low), abs=1e-9)


def test_every_pair_on_shared_videos() -> None:
    def scores(f1: float) -> Scores:
        return Scores(50.0, 8.0, f1, 12.0, 0.5)

    per_video = {
        "a": {f"v{i}": scores(10 + i) for i in range(5)},
        "b": {f"v{i}": scores(20 + i) for i in range(5)},
        "c": {"v0": scores(10)},
    }
    found = {(c.first, c.second): c for c in compare(per_video, ["f1"])}
    assert set(found) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert found["a", "b"].difference == pytest.approx(-10)
    assert (found["a", "b"].low, found["a", "b"].high) == pytest.approx((-10, -10))
    assert found["a", "b"].p < 0.01
    assert math.isnan(found["a", "c"].p)


def test_paired_test_against_scipy() -> None:
    scipy = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(3)
    first, second = random.normal(size=(2, 30))
    assert paired_t_test(first, second) == pytest.approx(float(scipy.ttest_rel(first, second).pvalue), rel=1e-9)
    assert paired_t_test(first, first) == 1.0
    assert paired_t_test(first, first + 1) == 0.0
