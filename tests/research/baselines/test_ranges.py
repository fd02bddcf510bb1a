from itertools import pairwise

import numpy as np
import pytest

from saffa.research.baselines.ranges import ScoreRange, otsu, scaled_score, score_ranges, smoothed, thresholds


def test_scores_are_scaled_within_the_video() -> None:
    np.testing.assert_allclose(scaled_score(np.array([0.2, 0.4, 0.3])), [0, 100, 50])
    np.testing.assert_array_equal(scaled_score(np.full(5, 0.7)), np.zeros(5))


def test_smoothing_keeps_a_constant_and_its_place() -> None:
    inside = smoothed(np.ones(1000), 30.0)[100:-100]
    np.testing.assert_allclose(inside, 1.0)
    spike = np.zeros(501)
    spike[250] = 1.0
    assert abs(int(smoothed(spike, 30.0).argmax()) - 250) <= 1
    assert len(smoothed(np.ones(40), 30.0)) == 40


def test_otsu_separates_two_groups() -> None:
    values = np.concatenate([np.linspace(0, 2, 50), np.linspace(8, 10, 30)])
    assert 2 < otsu(values) <= 8


def test_otsu_is_the_best_of_all_cuts() -> None:
    values = np.random.default_rng(1).gamma(2.0, 10.0, 400)
    edges = np.histogram_bin_edges(values, 256)[1:-1]
    apart = [
        (values < e).sum() * (values >= e).sum() * (values[values < e].mean() - values[values >= e].mean()) ** 2
        for e in edges
        if (values < e).any() and (values >= e).any()
    ]
    cut = otsu(values)
    got = (values < cut).sum() * (values >= cut).sum()
    got = got * (values[values < cut].mean() - values[values >= cut].mean()) ** 2
    assert got >= 0.99 * max(apart)  # the search sees bin centres, not the values


def test_thresholds_rise_while_they_gain_enough() -> None:
    values = np.concatenate([np.full(100, 0.0), np.full(100, 60.0), np.full(100, 100.0)])
    found = thresholds(values)
    assert len(found) == 2
    assert 0 < found[0] <= 60 < found[1] <= 100
    assert thresholds(np.zeros(10)) == []


def test_ranges_of_a_known_score() -> None:
    score = np.zeros(2000)
    score[500:700] = 100  # a range
    score[750:900] = 100  # 50 frames on: less than five seconds, so the same one
    score[1500:1540] = 100  # shorter than three seconds: dropped
    assert score_ranges(score, 30.0, 50) == [ScoreRange(0, 500, 0), ScoreRange(500, 900, 1), ScoreRange(900, 2000, 0)]


def test_short_ends_and_gaps_are_absorbed() -> None:
    score = np.zeros(1000)
    score[30:400] = 100
    score[600:980] = 100
    assert score_ranges(score, 30.0, 250) == [ScoreRange(0, 600, 1), ScoreRange(600, 1000, 1)]
    assert score_ranges(score, 30.0, 50) == [ScoreRange(0, 400, 1), ScoreRange(400, 600, 0), ScoreRange(600, 1000, 1)]


def test_a_constant_score_is_one_range() -> None:
    assert score_ranges(np.zeros(300), 30.0, 50) == [ScoreRange(0, 300, 0)]


@pytest.mark.parametrize("seed", range(6))
def test_ranges_cover_the_video_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    score = scaled_score(np.interp(np.arange(3000) / 150, np.arange(21), random.random(21)))
    ranges = score_ranges(score, 25.0, 50)
    assert ranges[0].start == 0
    assert ranges[-1].end == 3000
    assert all(a.end == b.start for a, b in pairwise(ranges))
    levels = {r.level for r in ranges}
    assert levels - {0} == set(range(1, max(levels) + 1))
