import numpy as np

from saffa.research.baselines.appearance import Appearance
from saffa.research.baselines.smoothing import WIDEST, smoothed


def line(values: list[float]) -> Appearance:
    """Frames whose difference is that of their numbers."""
    return Appearance(np.array(values, np.float32)[:, None], np.arange(len(values)), cumulative=True)


def test_wide_gaps_are_halved_first() -> None:
    found = smoothed(np.array([0]), 350, 1, 10.0, line([0.0] * 350))
    assert found[0] == 0
    assert np.diff([*found.tolist(), 350]).max() < WIDEST


def test_frames_that_look_alike_end_up_even() -> None:
    found = smoothed(np.array([0]), 64, 8, 8.0, line([0.0] * 64))
    assert found.tolist() == list(range(0, 64, 8))


def test_the_worst_transition_comes_first_and_is_split_where_it_looks_best() -> None:
    # Cost · (gap - speed): 0 → 10 looks 0 apart, 10 → 20 looks 8 apart, so a frame goes between 10 and 20; the one
    # halfway in looks (16) has the least cost² on both sides. At speed 1 no place is too near.
    looks = [0.0] * 11 + [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 8.0]
    found = smoothed(np.array([0, 10]), 20, 3, 1.0, line(looks))
    assert found.tolist() == [0, 10, 16]


def test_it_ends_when_there_is_no_room() -> None:
    assert smoothed(np.array([3]), 6, 10, 2.0, line([0.0] * 10)).tolist() == [3, 4, 5]


def test_what_was_selected_stays() -> None:
    chosen = np.array([5, 40, 41, 90])
    found = smoothed(chosen, 200, 20, 9.0, line(np.random.default_rng(0).random(200).tolist()))
    assert set(chosen.tolist()) <= set(found.tolist())
    assert len(found) == 20
    assert np.all(np.diff(found) > 0)
