"""What a frame is worth: the chance of a step, by relevance."""

from __future__ import annotations

import numpy as np
import pytest

from saffa.agent.plus_moves import Curve
from saffa.agent.plus_rewards import SELECTED, Enough, Pay, pay_for, relevance_of
from saffa.evaluation.metrics import precision_recall_f1

Steps = tuple[tuple[int, int], ...]


def video(seed: int, saturating: bool) -> tuple[Curve, Steps]:
    """Relevance r, 60 times ten seconds; each second is a step with chance r, or .8 wherever r is above a half."""
    random = np.random.default_rng(seed)
    relevance = np.repeat(random.random(60), 10)
    chance = np.where(relevance > 0.5, 0.8, relevance) if saturating else relevance
    steps = tuple((25 * second, 25 * second + 25) for second in np.flatnonzero(random.random(600) < chance).tolist())
    return Curve(np.arange(600.0), relevance, np.zeros(600), 5, 15000, 25.0), steps


def learned(saturating: bool) -> Pay:
    curves, steps = zip(*(video(seed, saturating) for seed in range(30)), strict=True)
    return pay_for(curves, steps)


def test_chances_are_found() -> None:
    fair, flat = learned(saturating=False), learned(saturating=True)
    assert np.interp(0.9, flat.levels, flat.chances) == pytest.approx(0.8, abs=0.05)
    assert np.interp(0.6, flat.levels, flat.chances) == pytest.approx(0.75, abs=0.07)
    assert np.interp(0.9, fair.levels, fair.chances) - np.interp(0.6, fair.levels, fair.chances) > 0.2
    for pay in (fair, flat):
        assert (np.diff(pay.chances) >= 0).all()
        assert (np.diff(pay.levels) > 0).all()


@pytest.mark.parametrize("relative", [False, True])
def test_an_encoder_whose_scale_changes_from_video_to_video_is_read_by_deviations(relative: bool) -> None:
    curves, steps = zip(*(video(seed, False) for seed in range(30)), strict=True)
    if relative:
        curves = tuple(curve._replace(relevance=curve.relevance + k % 7) for k, curve in enumerate(curves))
    pay = pay_for(curves, steps)
    assert pay.relative == relative
    best = curves[3].relevance.argmax() * 25
    assert pay.chance(curves[3])[best] > 0.85


def test_rewards_have_mean_0_and_size_1() -> None:
    pay = learned(saturating=False)
    rewards = np.concatenate([pay.of(video(seed, False)[0]) for seed in range(30)])
    assert rewards.mean() == pytest.approx(0, abs=1e-9)
    assert rewards.std() == pytest.approx(1, abs=0.1)


def test_any_sure_step_is_as_good_as_another() -> None:
    curve = video(0, False)[0]
    relative = relevance_of(curve, relative=True)
    paid = Enough(0.5, 0.1).of(curve)
    np.testing.assert_array_equal(paid[relative <= 0.5], relative[relative <= 0.5])
    np.testing.assert_allclose(paid[relative > 0.5], 0.45 + 0.1 * relative[relative > 0.5])


def test_gain_in_reward_is_gain_in_f1() -> None:
    """Where the chances are certain, the mean reward of a selection is its F1 over an even one's, but for a factor."""
    truth = np.zeros(12000, np.bool_)
    truth[2400:4800] = True
    curve = Curve(np.arange(12000) / 25.0, truth.astype(np.float64), np.zeros(12000), 5, 12000, 25.0)
    pay = Pay(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    even, inside = np.arange(0, 12000, 12), np.arange(2400, 3400)
    mixed = np.concatenate([even[::2], inside[::2]])
    f1 = [precision_recall_f1(chosen, truth)[2] for chosen in (even, mixed, inside)]
    paid = [pay.of(curve)[chosen].mean() for chosen in (even, mixed, inside)]
    assert (paid[2] - paid[0]) / (f1[2] - f1[0]) == pytest.approx((paid[1] - paid[0]) / (f1[1] - f1[0]))
    assert paid[2] - paid[0] == pytest.approx((1 - truth.mean()) / (truth.mean() + SELECTED))


def test_a_flat_encoder_pays_nothing() -> None:
    curve = Curve(np.arange(60.0), np.full(60, 0.3), np.zeros(60), 5, 1500, 25.0)
    pay = pay_for([curve], [((0, 300),)])
    np.testing.assert_allclose(pay.of(curve), 0, atol=1e-9)
    np.testing.assert_allclose(relevance_of(curve), 0.3)
