"""The moments that a sentence may have, in numbers: their places, their price, the chance to be seen."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles
from saffa.methods.planner.moments import (
    GLIMPSE,
    SPARE,
    Options,
    Whereabouts,
    WholeLines,
    affordable,
    all_options,
    around,
    glimpse,
    moments,
    of_lines,
    runs_of,
)

TIMES: Doubles = np.arange(100, dtype=np.float64) + 0.5


def shown_in(first: float, end: float) -> Whereabouts:
    return Whereabouts.of(TIMES, ((first < TIMES) & (end > TIMES)).astype(np.float64))


def three_steps() -> Alignment:
    """Three sentences of 30 s each in order, after 10 s in which nothing is followed."""
    owner = np.maximum((np.arange(100) - 10) // 30, 0)
    relevance = (np.arange(100) >= 10).astype(np.float32)
    unit = np.ones((100, 1), np.float32)
    weights = np.eye(3, dtype=np.float32)[owner]
    return Alignment(
        TIMES.astype(np.float32), unit, unit, relevance, weights, ("a", "b", "c"), 1000, Fraction(10), "test"
    )


def options(sentence: list[int], cost: list[float], chance: list[float]) -> tuple[Options, Doubles, Doubles]:
    some = len(sentence)
    made = Options(np.array(sentence), np.zeros(some), np.ones(some), np.ones(some, np.int64), np.array(chance))
    return made, np.array(cost), np.array(chance)


def test_what_a_moment_costs() -> None:
    made = Options(np.arange(2), np.array([3.0, 0]), np.array([5.0, 4]), np.array([1, 2]), np.ones(2))
    assert made.cost(25, 30.0).tolist() == pytest.approx([2 * 24 / 25 + 8 / 30, 4 * (1 / 2 - 1 / 25) + 8 / 30])
    assert made.cost(4, 10.0).tolist() == pytest.approx([2 * 3 / 4 + 0.8, 4 / 4 + 0.8])


def test_the_best_option_of_each_sentence() -> None:
    made, _, _ = options([0, 0, 2, 2, 5], [1] * 5, [1] * 5)
    worth = np.array([0.1, 0.3, 0.2, -1, 0])
    assert made.best(worth).tolist() == [1, 2]
    assert made.best(worth, every=True).tolist() == [1, 2, 4]


def test_a_low_price_is_enough_where_there_is_room() -> None:
    """Below three hundredths of a sentence for a second, relevance has more use for it."""
    made, cost, chance = options([0, 1, 2], [10, 10, 10], [0.31, 0.29, 0.9])
    assert affordable(made, chance, cost, 100).tolist() == [0, 2]
    assert affordable(made, chance, cost, 20).tolist() == [0, 2]
    assert affordable(made, chance, cost, 19.9).tolist() == [2]
    assert affordable(made, chance, cost, 9).tolist() == []


def test_the_highest_price_leaves_cheap_ones_only() -> None:
    made, cost, chance = options([0, 1], [0.09, 0.11], [1.0, 1.0])
    assert affordable(made, chance, cost, 0.0).tolist() == [0]
    assert affordable(made, chance, cost, 0.0, every=True).tolist() == [0, 1]


def test_a_step_begins_and_ends_where_the_chance_says() -> None:
    """Twenty seconds from 40 on: the middle is near 50, and the edges are 9 s, .45 of the length, away from it."""
    where = shown_in(40, 60)
    assert np.interp([30.5, 31.5, 39.5, 40.5, 59.5, 99], TIMES, where.begun).tolist() == pytest.approx(
        [0, 0.05, 0.45, 1, 1.55, 1]
    )  # what is over and what is shown have both begun
    assert np.interp([1, 48.5, 49.5, 58.5, 68.5], TIMES, where.over).tolist() == pytest.approx([0, 0, 0.05, 0.5, 1])


def test_one_time_only_is_a_step_too() -> None:
    where = Whereabouts.of(np.array([3.0]), np.array([0.4]))
    assert where.seen(np.array([2.0]), np.array([4.0]), 1).tolist() == [pytest.approx(0.4)]


def test_chance_of_a_moment() -> None:
    where = shown_in(40, 60)
    first, end = (
        np.array([49.0, 49.0, 49.0, 0.0, 38.0, 59.0, 39.5]),
        np.array([51.0, 50.0, 49.9, 2.0, 42.0, 60.0, 40.5]),
    )
    assert where.seen(first, end, 1).tolist() == pytest.approx([1, 1, 0, 0, 1, 0.5, 0])
    assert where.seen(first, end, 2).tolist() == pytest.approx([1, 0, 0, 0, 0.725, 0, 0])


def test_each_length_is_tried() -> None:
    found = list(around(shown_in(40, 60), [(30.0, 70.0)]))
    assert [skip for *_, skip, _ in found] == [1] * 4 + [2] * (len(SPARE) - 4)
    lengths = [end - first for first, end, *_ in found]
    assert lengths == pytest.approx([2 * skip + spare for spare, (*_, skip, _) in zip(SPARE, found, strict=True)])
    assert all(first % 0.25 == 0 and first >= 30 and end <= 70 for first, end, *_ in found)
    assert all(abs((first + end) / 2 - 50) < 1.6 for first, end, *_ in found[:4])
    chances = [chance for *_, chance in found]
    assert max(chances) == pytest.approx(1)


def test_moments_end_with_their_run() -> None:
    found = list(around(shown_in(40, 60), [(10.0, 10.5), (44.0, 45.5)]))
    assert all((first, end) == (44, 45.5) for first, end, *_ in found[4:])


def test_a_glimpse_is_short_and_never_counts_as_seen() -> None:
    first, end, skip, chance = glimpse(shown_in(40, 60), [(0.0, 45.0), (70.0, 90.0)])
    assert (end - first, skip, chance) == (GLIMPSE, 1, 0)
    assert 40 <= first <= 45
    assert glimpse(shown_in(40, 60), [(44.0, 44.1)])[:2] == (44.0, 44.1)


def test_the_time_of_each_sentence() -> None:
    assert runs_of(three_steps()) == {0: [(10, 40)], 1: [(40, 70)], 2: [(70, 100)]}
    doubted = replace(three_steps(), confidence=np.array([1, 0, 1], np.float32))
    assert runs_of(doubted) == {0: [(10, 40)], 2: [(70, 100)]}
    owner = np.array([0, 0, 1, 0, 1])
    twice = replace(
        three_steps(),
        times=np.arange(5, dtype=np.float32),
        e_v=np.ones((5, 1), np.float32),
        e_d=np.ones((5, 1), np.float32),
        relevance=np.array([3, 3, 3, 3, 2], np.float32),
        sentence_weights=np.eye(3, dtype=np.float32)[owner],
        frames=50,
    )
    assert runs_of(twice) == {0: [(0, 1.5), (2.5, 3.5)], 1: [(1.5, 2.5)]}


def test_short_lines_play_at_1x_and_long_ones_at_2x() -> None:
    lines = WholeLines(np.array([[44.0, 46], [46, 48], [52, 53]]), 9.0)
    found = list(of_lines(shown_in(40, 60), [(40.0, 50.0)], lines))
    assert [(a, b, skip) for a, b, skip, _ in found] == [(44, 46, 1), (44, 48, 2), (46, 48, 1)]
    assert [chance for *_, chance in found] == pytest.approx([1, 1, 1], abs=0.06)
    assert list(of_lines(shown_in(40, 60), [(40.0, 50.0)], None)) == []
    early = list(of_lines(shown_in(40, 60), [(45.5, 50.0)], lines))  # only what is within the run counts
    assert [(a, b, chance) for a, b, _, chance in early if b == 46] == [(44, 46, 0)]


def test_an_edge_inside_a_line_costs_a_tenth() -> None:
    """Lines that no moment can be made of, as they are too long: the places are chosen among those beside them."""
    lines = WholeLines(np.array([[10.0, 40], [40, 70], [70, 100]]), 0.5)
    made = all_options(three_steps(), lines)
    assert set(made.sentence.tolist()) == {0, 1, 2}
    assert len(made.sentence) == 3 * len(SPARE)
    cost = made.cost(25, 10.0)
    few = affordable(made, made.chance - 0.1 * (lines.cut_off(made.first) + lines.cut_off(made.end)), cost, 9)
    found = moments(three_steps(), 9, 25, lines)
    assert [m.first for m in found.values()] == made.first[few].tolist()
    assert len(found) == len(few) > 0


def test_glimpses_are_options_where_asked_for() -> None:
    plain, more = all_options(three_steps(), None), all_options(three_steps(), None, glimpses=True)
    assert len(more.sentence) == len(plain.sentence) + 3
    assert (more.chance == 0).sum() >= 3
