"""What a frame is worth, by relevance."""

from __future__ import annotations

import numpy as np
import pytest

from saffa.methods.plus.moves import Curve
from saffa.methods.plus.plus import Prior
from saffa.research.evaluation.metrics import precision_recall_f1
from saffa.research.training.plus.rewards import SELECTED, Chance, Enough, relevance_of


def video(seed: int) -> Curve:
    """Relevance between 0 and 1 that changes every ten seconds, ten minutes."""
    relevance = np.repeat(np.random.default_rng(seed).random(60), 10)
    return Curve(np.arange(600.0), relevance, np.zeros(600), 5, 15000, 25.0)


def test_rewards_have_mean_0_and_size_1() -> None:
    every = np.concatenate([relevance_of(video(seed)) for seed in range(30)])
    pay = Chance.of_scale(Prior(float(every.mean()), float(every.std())))
    rewards = np.concatenate([pay.of(video(seed)) for seed in range(30)])
    assert rewards.mean() == pytest.approx(0, abs=1e-9)
    assert rewards.std() == pytest.approx(1, abs=0.1)


def test_a_step_counts_more_where_steps_are_rare() -> None:
    curve = video(0)
    rare = curve._replace(relevance=curve.relevance * (curve.relevance > 0.8))
    best = int(curve.relevance.argmax() * 25)
    assert Chance().of(rare)[best] > 2 * Chance().of(curve)[best]


def test_any_sure_step_is_as_good_as_another() -> None:
    curve = video(0)
    relative = relevance_of(curve, relative=True)
    paid = Enough(0.5, 0.1).of(curve)
    np.testing.assert_array_equal(paid[relative <= 0.5], relative[relative <= 0.5])
    np.testing.assert_allclose(paid[relative > 0.5], 0.45 + 0.1 * relative[relative > 0.5])


def test_gain_in_reward_is_gain_in_f1() -> None:
    """Where the chances are certain, the mean reward of a selection is its F1 over an even one's, but for a factor."""
    truth = np.zeros(12000, np.bool_)
    truth[2400:4800] = True
    curve = Curve(np.arange(12000) / 25.0, truth.astype(np.float64), np.zeros(12000), 5, 12000, 25.0)
    pay = Chance()
    even, inside = np.arange(0, 12000, 12), np.arange(2400, 3400)
    mixed = np.concatenate([even[::2], inside[::2]])
    f1 = [precision_recall_f1(chosen, truth)[2] for chosen in (even, mixed, inside)]
    paid = [pay.of(curve)[chosen].mean() for chosen in (even, mixed, inside)]
    assert (paid[2] - paid[0]) / (f1[2] - f1[0]) == pytest.approx((paid[1] - paid[0]) / (f1[1] - f1[0]))
    assert paid[2] - paid[0] == pytest.approx((1 - truth.mean()) / (truth.mean() + SELECTED))


def test_a_flat_encoder_pays_nothing() -> None:
    curve = Curve(np.arange(60.0), np.full(60, 0.3), np.zeros(60), 5, 1500, 25.0)
    pay = Chance.of_scale(Prior(0.3, 0.0))
    np.testing.assert_allclose(pay.of(curve), 0, atol=1e-9)
    np.testing.assert_allclose(relevance_of(curve), 0.3)
