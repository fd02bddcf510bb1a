"""Which moment each sentence gets: likely to be seen, within its own time, no dearer than there is room for."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.methods.planner.moments import (
    Moment,
    Options,
    Whereabouts,
    WholeLines,
    affordable,
    all_options,
    moments,
    runs_of,
)
from tests.methods.planner.test_plan import STEPS, alignment, crowded

FASTEST = 25


def spent(found: dict[int, Moment], rate: float = 30) -> float:
    return sum((m.end - m.first) * (1 / m.skip - 1 / FASTEST) + 8 / rate for m in found.values())


def test_with_room_every_step_has_a_moment_inside() -> None:
    found = moments(alignment(), 60, FASTEST)
    assert sorted(found) == list(range(STEPS))
    for k, moment in found.items():
        assert moment.first < 25 + 50 * k < moment.end


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.floats(0.1, 40))
def test_moments_fit_into_the_room_and_belong_to_found_sentences(seed: int, seconds: float) -> None:
    made = crowded(seed)
    found = moments(made, seconds, FASTEST)
    assert spent(found) <= seconds + 1e-9
    assert made.found()[sorted(found)].all()
    for k, moment in found.items():
        assert any(a <= moment.first < moment.end <= b for a, b in runs_of(made)[k])


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.floats(0.1, 40))
def test_every_found_sentence_gets_a_glimpse_at_least(seed: int, seconds: float) -> None:
    made = crowded(seed)
    found = moments(made, seconds, FASTEST, every=True)
    assert sorted(found) == sorted(runs_of(made))
    glimpses = sum(0.25 * (1 - 1 / FASTEST) + 8 / 30 for _ in found)
    assert spent(found) <= max(seconds, glimpses) + 1e-9


def test_more_room_makes_more_or_surer_moments() -> None:
    made = crowded(1)
    options = all_options(made, None)
    cost = options.cost(FASTEST, 30.0)
    seen = [options.chance[affordable(options, options.chance, cost, room)].sum() for room in (1, 4, 8, 16, 32)]
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]


def test_the_one_price_is_the_best_choice_for_what_it_spends() -> None:
    random = np.random.default_rng(4)
    sentence = np.repeat(np.arange(4), 3)
    cost, chance = random.uniform(0.5, 3, 12), random.uniform(0.1, 1, 12)
    options = Options(sentence, np.zeros(12), np.ones(12), np.ones(12, np.int64), chance)
    taken = affordable(options, chance, cost, 5.0)
    choices = np.stack(np.meshgrid(*[np.arange(-1, 3)] * 4), -1).reshape(-1, 4)
    pick = np.where(choices < 0, 12, choices + 3 * np.arange(4))
    costs, chances = (np.append(values, 0.0)[pick].sum(1) for values in (cost, chance))
    assert chance[taken].sum() == pytest.approx(chances[costs <= cost[taken].sum() + 1e-9].max())


def test_a_moment_is_seen_where_its_step_surely_is() -> None:
    times = np.arange(60, dtype=np.float64) + 0.5
    where = Whereabouts.of(times, ((times > 20) & (times < 40)).astype(np.float64))
    inside, outside, short = np.array([25.0, 2.0, 25.0]), np.array([35.0, 12.0, 26.5]), 2
    assert where.seen(inside, outside, short) == pytest.approx([1, 0, 0], abs=0.06)


def test_whole_lines_are_taken_where_they_lie_in_the_step() -> None:
    lines = WholeLines.of(np.array([[20.0, 23.0], [23.0, 28.0], [28.0, 32.0], [71.0, 76.0]]), 10.0)
    found = moments(alignment(), 60, FASTEST, lines)
    assert {found[0].first, found[0].end} <= {20.0, 23.0, 28.0, 32.0}
    assert lines.cut_off(np.array([20.1, 21.5, 27.9, 50.0])).tolist() == [0, 1, 0, 0]
    assert (23.0, 32.0) in lines.within(23, 32)
    assert (20.0, 32.0) not in lines.within(23, 32)


def test_nothing_known_gives_no_moments() -> None:
    flat = replace(alignment(), relevance=np.ones_like(alignment().relevance))
    assert moments(flat, 60, FASTEST) == {}
