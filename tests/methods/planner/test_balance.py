"""What the balance asks of the planner, in numbers: the room for moments, who was missed, and their last chance."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles, Ints
from saffa.methods.planner import plan as module
from saffa.methods.planner.moments import Moment, WholeLines
from saffa.methods.planner.plan import LAST_CHANCE, Plan, balanced_reward, last_chances, unseen
from tests.methods.planner.test_plan import alignment

RATE = Fraction(10)


def three_steps() -> Alignment:
    """Nine seconds, three for each of three sentences, the middle one likeliest; nothing is followed at the end."""
    times = np.arange(10, dtype=np.float32) + 0.5
    owner = np.minimum(np.arange(10) // 3, 2)
    relevance = np.array([1, 2, 1, 1, 2, 1, 1, 2, 1, 0], np.float32) + 4
    relevance[-1] = 0
    unit = np.ones((10, 1), np.float32)
    weights = np.eye(3, dtype=np.float32)[owner]
    return Alignment(times, unit, unit, relevance, weights, ("a", "b", "c"), 100, RATE, "test")


@pytest.mark.parametrize(("balance", "share"), [(0.5, 0.85), (1, 0.85), (0.125, 0.425), (0.02, 0.17)])
def test_room_for_moments(monkeypatch: pytest.MonkeyPatch, balance: float, share: float) -> None:
    asked: list[Any] = []

    def moments(
        alignment: Alignment, seconds: float, fastest: int, lines: WholeLines | None, *, every: bool
    ) -> dict[int, Moment]:
        asked.append((alignment.duration, seconds, fastest, lines, every))
        return {}

    monkeypatch.setattr(module, "moments", moments)
    balanced_reward(alignment(), balance, 12, 25)
    assert asked == [(300, pytest.approx(share * 300 * (1 / 12 - 1 / 25)), 25, None, balance == 1)]
    balanced_reward(alignment(), balance, 25, 25)
    balanced_reward(alignment(), balance, 30, 25)
    assert [seconds for _, seconds, *_ in asked[1:]] == [0, 0]


def test_relevance_is_counted_in_its_deviations() -> None:
    made = alignment()
    reward = balanced_reward(made, 0, 12, 25)
    assert reward.mean() == pytest.approx(0, abs=1e-9)
    assert reward.std() == pytest.approx(1)
    flat = replace(made, relevance=np.full_like(made.relevance, 3))
    assert not balanced_reward(flat, 0, 12, 25).any()


@pytest.mark.parametrize(("skip", "missed"), [(1, []), (2, []), (3, [0, 1, 2])])
def test_a_sentence_is_seen_at_2x_or_slower(skip: int, missed: list[int]) -> None:
    assert np.flatnonzero(unseen(three_steps(), np.arange(0, 100, skip))).tolist() == missed


def test_each_sentence_must_be_seen_in_its_own_time() -> None:
    made = three_steps()
    frames = np.concatenate([np.arange(0, 8), np.arange(20, 31, 10), np.arange(62, 70), [99]])
    assert np.flatnonzero(unseen(made, frames)).tolist() == [1]
    last = np.arange(91, 100)  # nothing is followed there
    assert np.flatnonzero(unseen(made, last)).tolist() == [0, 1, 2]
    assert np.flatnonzero(unseen(made, np.array([0, 60]))).tolist() == [0, 1, 2]
    doubted = replace(made, confidence=np.array([1, 0, 1], np.float32))
    assert np.flatnonzero(unseen(doubted, frames)).tolist() == []


def test_the_last_frame_lasts_to_the_end() -> None:
    made = replace(three_steps(), frames=89)
    assert np.flatnonzero(unseen(made, np.array([0, 87]))).tolist() == [0, 1]
    assert np.flatnonzero(unseen(made, np.array([0, 86]))).tolist() == [0, 1, 2]


def test_last_chances_lie_around_the_likeliest_time() -> None:
    curve = last_chances(three_steps(), np.array([False, True, True]), 0.8)
    assert np.flatnonzero(curve).tolist() == [*range(41, 49), *range(71, 79)]
    assert set(curve) == {0, 1}
    nobody = replace(three_steps(), sentence_weights=np.eye(3, dtype=np.float32)[np.zeros(10, np.int64)])
    assert not last_chances(nobody, np.array([False, True, True]), 0.8).any()


def test_last_chances_stay_inside_the_video() -> None:
    made = three_steps()
    early = replace(made, relevance=np.array([9, 1, 1, 1, 1, 1, 1, 1, 9, 0], np.float32))
    assert np.flatnonzero(last_chances(early, np.array([True, False, False]), 2)).tolist() == list(range(20))
    assert np.flatnonzero(last_chances(early, np.array([False, False, True]), 4)).tolist() == list(range(60, 100))
    assert last_chances(early, np.array([True, False, False]), 30).all()


def test_sentences_that_were_missed_get_their_bonus_until_all_are_seen() -> None:
    """The second try shows the first sentence but loses the second, so nothing is gained; the third shows all."""
    made = three_steps()
    seen = {"none": [], "first": [0], "last two": [30, 60], "all": [0, 30, 60]}
    frames = {name: np.array([f for a in begins for f in range(a + 1, a + 9)] + [99]) for name, begins in seen.items()}
    answers, rewards = iter([frames["first"], frames["none"], frames["all"]]), list[Doubles]()

    def plan(reward: Doubles) -> Ints:
        rewards.append(reward)
        return next(answers)

    start = np.full(100, 0.25)
    found = Plan._with_every_sentence(made, frames["last two"], start, plan)
    assert found.tolist() == frames["all"].tolist()
    gained = [reward - 0.25 for reward in rewards]
    assert [float(gain.max()) for gain in gained] == [LAST_CHANCE / 1.5, LAST_CHANCE / 0.8, LAST_CHANCE / 0.4]
    assert [np.flatnonzero(gain).min() for gain in gained] == [8, 11, 13]
    assert [np.flatnonzero(gain).max() for gain in gained] == [22, 78, 76]  # one that was missed once stays wanted


def test_nobody_missed_is_planned_once() -> None:
    frames = np.arange(100)

    def plan(reward: Doubles) -> Ints:
        raise AssertionError(f"there is nothing to plan again for {reward}")

    assert Plan._with_every_sentence(three_steps(), frames, np.zeros(100), plan) is frames
