from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.metrics import (
    Scores,
    overall_performance,
    precision_recall_f1,
    score,
    step_hit,
    watchable_steps,
)


def test_golden_numbers_of_the_reference(shared_data: Path) -> None:
    golden = np.load(shared_data / "golden" / "f1.npz")
    truth = np.zeros(int(golden["num_frames"]), bool)
    truth[golden["gt"] - 1] = True  # the reference counts frames from 1
    found = precision_recall_f1(golden["selected"] - 1, truth)
    np.testing.assert_allclose(found, 100 * golden["prf"], rtol=1e-12)


def test_without_a_hit_f1_is_zero() -> None:
    truth = np.array([True, False, False, False])
    assert precision_recall_f1(np.array([1, 3]), truth) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("f1", "os", "target", "op"),
    [
        # Rows of the paper's table 1: the printed F1 and OS give the printed OP.
        (18.86, 11.90, 12, 31.71),
        (14.44, 11.64, 12, 25.02),
        (16.20, 10.32, 12, 19.60),
        (17.86, 11.68, 12, 30.07),
        (17.66, 16.45, 16, 29.75),
        (17.18, 14.99, 16, 27.98),
    ],
)
def test_op_is_the_papers(f1: float, os: float, target: float, op: float) -> None:
    assert overall_performance(f1, os, target) == pytest.approx(op, abs=0.031)


def test_op_is_zero_when_far_off() -> None:
    assert overall_performance(20, 40, 12) < 0.01
    assert overall_performance(0, 12, 12) == 0


def test_watchable_needs_a_second_of_slow_frames_inside() -> None:
    rate, steps = 10.0, [(0, 100), (100, 200), (200, 300)]
    slow = np.arange(100, 120, 2)  # exactly one second at 2×, but the first was reached by a jump
    fast = np.arange(0, 100, 20)
    assert watchable_steps(np.concatenate([fast, slow]), steps, rate) == 0
    enough = np.concatenate([fast, slow, [120]])
    assert watchable_steps(enough, steps, rate) == pytest.approx(1 / 3)
    at_three = np.concatenate([fast, np.arange(100, 200, 3)])
    assert watchable_steps(at_three, steps, rate) == 0
    assert np.isnan(watchable_steps(enough, [], rate))
    assert watchable_steps(np.arange(0, 300), steps, rate) == 1  # ten seconds of each are more than enough


def test_all_measures_of_a_uniform_selection() -> None:
    scores = score(np.arange(0, 1200, 12), video([(0, 600)]))
    assert scores.precision == pytest.approx(50)
    assert scores.recall == pytest.approx(100 / 12)
    assert scores.os == 12
    assert scores.watchable_steps == 0
    assert scores.f1_even == scores.f1
    assert np.isnan(scores.step_hit)


def test_f1_even_is_that_of_as_many_even_frames() -> None:
    selected = np.concatenate([np.arange(0, 100), np.arange(100, 1200, 20)])
    scores = score(selected, video([(0, 100)]))
    assert scores.f1 == pytest.approx(200 * 100 / (len(selected) + 100))
    even = np.arange(len(selected)) * 1200 // len(selected)
    assert scores.f1_even == pytest.approx(200 * (even < 100).sum() / (len(selected) + 100))


def test_a_step_is_hit_by_a_second_that_is_slow_inside_and_its_own() -> None:
    rate, steps = 10.0, [(0, 100), (100, 200)]
    selected = np.concatenate([np.arange(0, 20), np.arange(100, 120)])
    own = [0] * 20 + [1] * 20
    assert step_hit(selected, own, steps, 2, rate) == 1
    assert step_hit(selected, [0] * 40, steps, 2, rate) == 0.5
    assert step_hit(selected, [1] * 20 + [0] * 20, steps, 2, rate) == 0
    assert step_hit(selected, [None] * 40, steps, 2, rate) == 0
    assert step_hit(selected * 3, own, [(0, 300), (300, 600)], 2, rate) == 0  # three times as fast
    assert step_hit(selected, own, steps, 4, rate) == 0.5  # a text that says more than is shown
    assert step_hit(selected, own, [(5, 14), (100, 200)], 2, rate) == 0.5  # nine frames are less than a second
    assert step_hit(selected, own, [(5, 15), (100, 200)], 2, rate) == 1


def video(steps: list[tuple[int, int]]) -> BenchmarkVideo:
    return BenchmarkVideo("x", 1200, Fraction(30), Document(("Boil water.",)), None, tuple(steps))


def test_gain_is_what_even_frames_do_not_have() -> None:
    assert Scores(20.0, 30.0, 24.0, 8.0, 0.5, f1_even=15.5).gain == 8.5


def test_nothing_selected_or_nothing_to_find_has_no_measure() -> None:
    nothing, some = np.array([], np.int64), np.array([True, False])
    assert str(precision_recall_f1(nothing, some)) == "(nan, 0.0, 0.0)"
    assert str(precision_recall_f1(np.array([1]), np.array([False, False]))) == "(0.0, nan, 0.0)"
    assert np.isnan(step_hit(nothing, [], [], 0, 10.0))
    assert step_hit(nothing, [], [(0, 5)], 1, 10.0) == 0


def test_op_is_zero_without_any_hit_at_any_speed() -> None:
    assert overall_performance(0, 1e9, 12) == 0


def test_the_first_frame_is_slow_if_no_more_than_one_is_passed_over() -> None:
    for first, seen in ((0, 1), (2, 1), (3, 0)):
        assert watchable_steps(np.array([first]), [(0, 9)], 1.0) == seen


def test_steps_beyond_the_text_do_not_count() -> None:
    selected = np.arange(20)
    assert step_hit(selected, [0] * 10 + [1] * 10, [(0, 10), (10, 20)], 1, 10.0) == 1


def test_a_frame_counts_for_the_step_it_lies_in() -> None:
    assert watchable_steps(np.arange(9, 20), [(10, 20)], 10.0) == 1
    assert watchable_steps(np.arange(9, 20), [(11, 20), (10, 19)], 10.0) == 0
