"""Ramps: a soft one never jumps, a hard one may, all keep the length and the limits of speed."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.errors import InputError
from saffa.core.types import Doubles
from saffa.methods.dynamics import ACCELERATE, ACTIONS, DECELERATE, Dynamics, limits_for
from saffa.methods.planner.search import Planner

RATE = Fraction(30)


def bumpy(frames: int, seed: int) -> Doubles:
    """A reward with slow steps of ten seconds in noise."""
    noise = np.random.default_rng(seed).standard_normal(frames // 300 + 2)
    return np.repeat(noise, 300)[:frames]


def planned(ramp: str, speed: float, seed: int, frames: int = 9000, rate: Fraction = RATE) -> np.ndarray:
    limits = limits_for(ramp, Dynamics.for_speed(speed), rate)
    chosen = Planner(bumpy(frames, seed), speed, limits).select(round(frames / speed))
    assert len(chosen) == round(frames / speed)
    return np.diff(chosen)[:-1]  # the end cuts the last one short


def jumps(skips: np.ndarray, rate: Fraction) -> np.ndarray:
    """Ratio of the mean speeds of neighbouring quarter-seconds of the output, wherever these begin."""
    position = np.concatenate([[0], np.cumsum(skips)])
    quarter = float(rate) / 4
    starts = np.arange(0, len(skips) - 2 * quarter, 0.5)
    at = np.arange(len(position))
    first, middle, last = (np.interp(starts + k * quarter, at, position) for k in range(3))
    ratio = (last - middle) / (middle - first)
    return np.asarray(np.maximum(ratio, 1 / ratio))


@settings(deadline=None, max_examples=12)
@given(st.sampled_from([2, 4, 8, 12.5, 20]), st.integers(0, 1000), st.sampled_from([25, 30, 60]))
def test_a_soft_ramp_never_jumps(speed: float, seed: int, rate: int) -> None:
    skips = planned("soft", speed, seed, rate=Fraction(rate))
    assert jumps(skips, Fraction(rate)).max() <= 1.5


def test_ramps_differ_in_how_quickly_speed_changes() -> None:
    steepest = {ramp: jumps(planned(ramp, 8, 1), RATE).max() for ramp in ("soft", "normal", "hard")}
    assert steepest["soft"] < steepest["normal"] < steepest["hard"]


@pytest.mark.parametrize("ramp", ["soft", "hard"])
@pytest.mark.parametrize("bounds", [(1, 25), (3, 20), (8, 8), (1, 60)])
def test_every_state_leads_to_states_within_the_limits(ramp: str, bounds: tuple[int, int]) -> None:
    limits = limits_for(ramp, Dynamics(min_velocity=bounds[0], max_velocity=bounds[1]), RATE)
    velocity, after = limits.velocities(), limits.successors()
    assert velocity.min() == bounds[0]
    assert velocity[-1] == velocity.max() == bounds[1]
    assert after.shape == (len(velocity), len(ACTIONS))
    assert after.min() >= 0
    assert after.max() < len(velocity)
    assert all(0 <= limits.state(v, 1) < len(velocity) for v in range(bounds[0], bounds[1] + 1))


def test_normal_is_the_papers_rule() -> None:
    assert limits_for("normal", Dynamics(), RATE) == Dynamics()
    with pytest.raises(InputError, match="--ramp 'gentle' is not known; choose soft, normal, hard"):
        limits_for("gentle", Dynamics(), RATE)


@pytest.mark.parametrize("bounds", [(1, 25), (3, 20), (8, 8)])
def test_a_soft_ramp_climbs_down_to_the_lowest_rung_and_up_to_the_highest(bounds: tuple[int, int]) -> None:
    limits = limits_for("soft", Dynamics(min_velocity=bounds[0], max_velocity=bounds[1]), RATE)
    paces, after = limits.paces(), limits.successors()
    for action, start, end in ((DECELERATE, bounds[1], bounds[0]), (ACCELERATE, bounds[0], bounds[1])):
        state, met = limits.state(start, 1), [paces[limits.state(start, 1)]]
        for _ in range(len(after)):
            state = int(after[state, action])
            met.append(paces[state])
        steps = np.diff(met)
        assert met[0] == start and met[-1] == end
        assert (steps >= 0).all() if action == ACCELERATE else (steps <= 0).all()
        assert set(met) == set(paces)  # no rung is left out
