from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.research.baselines.graph_search import SHAKE, Goal, searched_path
from saffa.research.baselines.ranges import ScoreRange
from saffa.research.baselines.skip_graph import SkipGraph, jump_factor, normalised, semantic_term


def cost_of(
    path: list[int], terms: NDArray[np.float32], weights: NDArray[np.float64], speed: float, semantic: bool
) -> float:
    total = 0.0
    for a, b in pairwise(path):
        total += jump_factor(b - a, speed, semantic) * float(weights @ terms[:, b, b - a - 1])
    return total


@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_path_is_the_best_of_all(seed: int, semantic: bool) -> None:
    frames, reach, speed = 10, 6, 3.0
    terms = np.random.default_rng(seed).random((2, frames, reach)).astype(np.float32)
    weights = np.array([0.7, 0.2])
    paths = [
        [0, *inner, frames - 1]
        for count in range(frames - 1)
        for inner in combinations(range(1, frames - 1), count)
        if max(np.diff([0, *inner, frames - 1])) <= reach
    ]
    best = min(cost_of(path, terms, weights, speed, semantic) for path in paths)
    level = int(semantic)
    ranges = [ScoreRange(0, frames, level)]
    found = SkipGraph(terms).path(ranges, [speed] * 2, np.tile(weights, (2, 1)))
    assert cost_of(found.tolist(), terms, weights, speed, semantic) == pytest.approx(best, rel=1e-5)


def test_many_paths_at_once_are_those_of_each_alone() -> None:
    random = np.random.default_rng(7)
    graph = SkipGraph(random.random((3, 300, 40)).astype(np.float32))
    ranges, weights = (
        [ScoreRange(0, 120, 0), ScoreRange(120, 200, 2), ScoreRange(200, 300, 1)],
        random.random((15, 2, 3)),
    )
    together = graph.paths(ranges, [9.0, 6.0, 3.0], weights)
    assert len({path.tobytes() for path in together}) > 5
    for path, alone in zip(together, weights, strict=True):
        np.testing.assert_array_equal(path, graph.path(ranges, [9.0, 6.0, 3.0], alone))


def test_jump_factors_by_hand() -> None:
    """method_bot.md §2: ⌈d/S⌉ outside semantic ranges, 1, S + 1, 2S + 1, … inside."""
    assert [jump_factor(d, 5, False) for d in (1, 5, 6, 10, 11)] == [1, 1, 2, 2, 3]
    assert [jump_factor(d, 5, True) for d in (1, 5, 6, 10, 11)] == [1, 1, 6, 6, 11]


def test_equal_costs_give_steps_of_the_range_s_speed() -> None:
    terms = np.ones((1, 61, 30), np.float32)
    ranges, weights = [ScoreRange(0, 61, 1)], np.ones((2, 1))
    np.testing.assert_array_equal(SkipGraph(terms).path(ranges, [12.0, 6.0], weights), np.arange(0, 61, 6))


def test_ranges_are_joined_and_their_ends_are_kept() -> None:
    terms = np.ones((1, 100, 50), np.float32)
    found = SkipGraph(terms).path([ScoreRange(0, 40, 0), ScoreRange(40, 100, 1)], [10.0, 4.0], np.ones((2, 1)))
    assert {0, 39, 40, 99} <= set(found.tolist())


def test_the_semantic_term() -> None:
    term = semantic_term(np.array([0.0, 3.0, 9.0]), 2)
    np.testing.assert_allclose(term, np.array([[0, 0], [1 / 4, 0], [1 / 13, 1 / 10]]), rtol=1e-6)


def test_terms_have_mean_one_over_real_edges() -> None:
    term = normalised(semantic_term(np.array([0.0, 3.0, 9.0, 1.0]), 3))
    assert float(term.sum()) == pytest.approx(6)  # 3 + 2 + 1 edges
    np.testing.assert_array_equal(normalised(np.zeros((4, 2), np.float32)), np.zeros((4, 2)))


def test_the_goal_by_hand() -> None:
    score = np.array([0, 0, 10, 30, 0, 20, 0, 0], np.float64)
    goal = Goal(score, 4.0)  # wanted 2 frames; the 3 best have 60
    assert goal.top == 60
    assert goal(np.array([0, 3, 7])) == pytest.approx(0.5 + 0.5)
    focus = np.zeros((8, 7, 2), np.int8)
    focus[3, 2], focus[7, 3] = (4, 0), (0, 3)  # the jumps 0 → 3 and 3 → 7
    shaken = Goal(score, 4.0, focus)
    assert shaken(np.array([0, 3, 7])) == pytest.approx(0.5 + 0.5 + 5 / SHAKE)


def test_searching_is_no_worse_than_fixed_weights() -> None:
    random = np.random.default_rng(3)
    score = random.random(400) * 100
    graph = SkipGraph.of([random.random((400, 40)).astype(np.float32), semantic_term(score, 40)])
    goal = Goal(score, 8.0)
    ranges = [ScoreRange(0, 400, 0)]
    fixed = graph.path(ranges, [8.0], np.ones((2, 2)))
    assert goal(searched_path(graph, ranges, [8.0], goal, 0)) <= goal(fixed) + 1e-9
