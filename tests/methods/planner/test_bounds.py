"""Corrections as bounds, in numbers: which step may follow each frame, what counts how much, what lies outside."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.corrections import Correction, Cut, Here, Keep, Range, Skip, Weight
from saffa.core.errors import InputError
from saffa.methods.planner.bounds import Bounds, placed, places, resolved, weighted


def ten_seconds(frames: int = 40) -> Alignment:
    """Ten seconds at four frames a second, five for each of two sentences."""
    unit = np.ones((10, 1), np.float32)
    weights = np.repeat(np.array([[0.75, 0.25], [0.25, 0.75]], np.float32), 5, axis=0)
    relevance = np.array([1, 2, 3, 2, 1, 1, 2, 5, 2, 1], np.float32)
    times = np.arange(10, dtype=np.float32) + 0.5
    return Alignment(times, unit, unit, relevance, weights, ("a", "b"), frames, Fraction(4), "test")


def test_a_kept_range_is_neither_left_nor_entered_faster() -> None:
    bounds = Bounds.of([Keep((5, 7), 2.9)], ten_seconds(), 6)
    assert np.flatnonzero(bounds.kept).tolist() == list(range(20, 28))
    assert bounds.ceiling.tolist() == [6] * 14 + [6, 5, 4, 3, 2, 2] + [2] * 8 + [6] * 12
    assert not bounds.skipped.any()


def test_of_two_kept_ranges_the_slower_counts() -> None:
    bounds = Bounds.of([Keep((5, 7), 2), Keep((6, 8), 1), Keep((6, 7), 4)], ten_seconds(), 3)
    assert bounds.ceiling.tolist() == [3] * 18 + [2] * 5 + [1] * 9 + [3] * 8


def test_a_range_between_two_frames_binds_nothing() -> None:
    bounds = Bounds.of([Keep((5.05, 5.2))], ten_seconds(), 6)
    assert not bounds.kept.any()
    assert bounds.ceiling.tolist() == [6] * 40
    assert Bounds.of([Cut((5.05, 5.2))], ten_seconds(), 6).cuts == ()


def test_frames_beside_a_cut_are_reached() -> None:
    bounds = Bounds.of([Cut((5, 6)), Cut((6, 7)), Skip((7, 8))], ten_seconds(), 3)
    assert bounds.cuts == ((20, 28),)
    assert bounds.source.tolist() == [*range(20), *range(28, 40)]
    assert bounds.ceiling.tolist() == [3] * 18 + [2, 1] + [3] * 12
    assert np.flatnonzero(bounds.skipped).tolist() == [20, 21, 22, 23]


def test_a_range_may_outlast_the_video_by_a_second() -> None:
    video = ten_seconds()
    assert resolved([Keep((9, 11))], video) == (Keep((9, 11)),)
    assert Bounds.of([Keep((9, 11))], video, 6).kept.sum() == 4
    for late in ((9, 11.01), (10, 10.5)):
        with pytest.raises(InputError, match="lies outside the video"):
            resolved([Skip(late)], video)


@pytest.mark.parametrize(("keep", "cut"), [((3, 5), (4, 6)), ((4, 6), (3, 5)), ((2, 6), (3, 4)), ((3, 4), (2, 6))])
def test_overlapping_corrections_contradict(keep: tuple[int, int], cut: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="contradict each other"):
        Bounds.of([Keep(keep), Cut(cut)], ten_seconds(), 6)


def test_neighbours_and_equals_do_not_contradict() -> None:
    made: list[Correction] = [Keep((3, 5)), Cut((5, 6)), Skip((2, 3)), Keep((4, 5), 2), Skip((2, 2.5))]
    assert Bounds.of(made, ten_seconds(), 6).kept.sum() == 8


def test_the_speed_that_is_left() -> None:
    bounds = Bounds.of([Keep((5, 7), 2), Skip((0, 2))], ten_seconds(), 8)
    slots = 8 / 2 + 8 / 8
    assert bounds.rest_speed(12, 8) == pytest.approx(24 / (12 - slots))
    assert bounds.rest_speed(5, 8) == 24
    assert bounds.rest_speed(2, 8) == 24


def test_weights_multiply_what_is_above_the_lowest_relevance() -> None:
    video = ten_seconds()
    assert weighted(video, [Keep((1, 2))]) is video
    heavy = weighted(video, [Weight(2, 3), Keep((1, 2))])
    factors = np.repeat([0.75 + 0.25 * 3, 0.25 + 0.75 * 3], 5)
    np.testing.assert_allclose(heavy.relevance, 1 + (video.relevance - 1) * factors, rtol=1e-6)


def test_where_sentences_are() -> None:
    """Forty seconds for a sentence: a stretch may lose 30 %; with less time for each it may lose as much."""
    assert places(ten_seconds()) == [Range(Fraction(2), Fraction(3)), Range(Fraction(7), Fraction(8))]
    video = ten_seconds()
    smooth = replace(video, relevance=np.array([0, 7.1, 10, 6.9, 0, 0, 9.5, 10, 7.1, 7.1], np.float32))
    assert places(smooth) == [Range(Fraction(1), Fraction(3)), Range(Fraction(6), Fraction(10))]
    long = replace(smooth, frames=640)  # 160 s, twice the usual: it may lose 15 %
    assert places(long) == [Range(Fraction(2), Fraction(3)), Range(Fraction(6), Fraction(8))]
    doubted = replace(smooth, confidence=np.array([0.01, 0.9], np.float32))
    assert places(doubted)[0] is None


def test_a_sentence_shown_for_less_than_a_grid_step() -> None:
    video = replace(ten_seconds(), confidence=np.array([0.2, 0.3], np.float32))
    moved = placed(video, [Here(1, (6.7, 6.9))])
    assert np.flatnonzero(moved.sentence_weights[:, 0]).tolist() == [6]
    assert moved.sentence_weights[6].tolist() == [1, 0]
    assert moved.confidence is not None
    assert moved.confidence.tolist() == pytest.approx([1, 0.3])
    assert moved.relevance[6] == 5
    others = video.relevance[[0, 7]] - 1
    np.testing.assert_allclose(moved.relevance[[0, 7]], 1 + others * np.array([0.25, 0.75]), rtol=1e-6)
