"""Guessed prices only make the search shorter: its plans are those of a search that begins at both ends."""

import numpy as np
import pytest

from saffa.methods.dynamics import Dynamics, HardRamp, SoftRamp, SpeedLimits
from saffa.methods.planner.bounds import Bounds
from saffa.methods.planner.search import Path, Planner, PriceGuess


class FromBothEnds(Planner):
    """Begins with the sparsest and the densest path that there are."""

    def _around(self, steps: int) -> tuple[Path, Path]:  # noqa: ARG002
        return self._best(-self._reach()), self._best(self._reach())


@pytest.mark.parametrize("limits", [Dynamics(), Dynamics("paper"), HardRamp(1, 25), SoftRamp(1, 25, 8)], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_plans_are_the_same(limits: SpeedLimits, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frames, every = int(rng.integers(300, 3000)), int(rng.choice([1, 7, 40]))
    curve = rng.standard_normal(frames // every + 2)
    reward = np.interp(np.arange(frames) / every, np.arange(len(curve)), curve)
    reward[frames // 2 : frames // 2 + 40] += 6  # a sentence's moment
    toll = None if seed % 2 else np.where(np.arange(frames) % 90 < 60, 2.0, 0.0)
    for speed in (1.5, 4.3, 11.0, 24.0):
        wanted = round(frames / speed)
        planned, plain = (planner(reward, speed, limits, toll=toll) for planner in (Planner, FromBothEnds))
        assert planned.select(wanted).tolist() == plain.select(wanted).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_plans_within_bounds_are_the_same(seed: int) -> None:
    """Kept and skipped stretches take their steps at any price: the guesses know that."""
    rng = np.random.default_rng(seed)
    frames = 2000
    reward = np.interp(np.arange(frames) / 20, np.arange(101), rng.standard_normal(101))
    ceiling, skipped = np.full(frames, 25), np.zeros(frames, np.bool_)
    kept = int(rng.integers(100, 900))
    ceiling[kept : kept + 60] = int(rng.integers(1, 4))
    skipped[1200:1400] = bool(seed % 2)
    bounds = Bounds(np.arange(frames), ceiling, ceiling < 25, skipped)
    limits = SoftRamp(1, 25, 8) if seed % 3 else Dynamics()
    for wanted in (250, 400, 700):
        planned, plain = (
            planner(reward, frames / wanted, limits, bounds).select(wanted) for planner in (Planner, FromBothEnds)
        )
        assert planned.tolist() == plain.tolist()


@pytest.mark.parametrize("wanted", [10, 999])
def test_what_cannot_be_had_comes_as_near_as_it_can(wanted: int) -> None:
    reward = np.random.default_rng(0).standard_normal(1000)
    planned, plain = (planner(reward, 25.0, Dynamics()).select(wanted) for planner in (Planner, FromBothEnds))
    assert len(planned) == len(plain) != wanted


def test_few_passes_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[float] = []
    whole = Planner._best

    def counted(planner: Planner, price: float) -> Path:
        passes.append(price)
        return whole(planner, price)

    monkeypatch.setattr(Planner, "_best", counted)
    curve = np.random.default_rng(1).standard_normal(200)
    reward = np.interp(np.arange(9000) / 45, np.arange(200), curve)
    for speed in (3.0, 6.0, 12.0, 20.0):
        Planner(reward, speed, Dynamics()).select(round(9000 / speed))
    assert len(passes) <= 4 * 10


def test_on_a_straight_curve_the_first_guess_is_nearly_right() -> None:
    """Where rewards are spread evenly from 0 to 1, the share of frames above a price tells the price."""
    reward = np.linspace(0, 1, 4001)
    shares = np.array([1.0, 0.75, 0.5, 0.04])
    first = [PriceGuess(reward, 25, 10.0, int(share * 4001)).first for share in shares]
    assert first == pytest.approx(((1 - shares) / 0.96).tolist(), abs=0.002)


def test_guesses_go_on_beyond_the_right_price_until_the_end() -> None:
    """Each aims 1, 4, 16 and 64 % beyond the wanted steps, as the model has learned from the last one; then it ends."""
    reward = np.linspace(0, 1, 4001)
    guess = PriceGuess(reward, 25, 10.0, 2000)
    price, prices = guess.first, []
    for _ in range(4):
        share = 1 - 0.96 * price
        told = guess.beyond(price, 2100)  # still more than wanted: dearer
        assert told is not None
        price = told
        prices.append((share, price))
    for (share, price), beyond in zip(prices, (0.01, 0.04, 0.16, 0.64), strict=True):
        assert 1 - 0.96 * price == pytest.approx(share * 2000 * (1 - beyond) / 2100, abs=0.002)
    assert guess.beyond(price, 2100) == 10.0
    assert guess.beyond(10.0, 2100) is None


def test_too_few_steps_make_it_cheaper() -> None:
    guess = PriceGuess(np.linspace(0, 1, 4001), 25, 10.0, 2000)
    price = guess.beyond(guess.first, 1900)
    assert price is not None
    assert 1 - 0.96 * price == pytest.approx((1 - 0.96 * guess.first) * 2000 * 1.01 / 1900, abs=0.002)
    assert guess.beyond(-10.0, 1900) is None
    assert guess.beyond(0.0, 1900) == -10.0  # the model knows nothing below its lowest level
