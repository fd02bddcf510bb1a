"""The planner as people use it: balance, speed limits, exact length from an alignment."""

from fractions import Fraction

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import wanted_frames
from saffa.methods.base import Settings
from saffa.methods.planner.moments import Moment
from saffa.methods.planner.plan import Plan, balanced_reward, moment_curve, unseen
from saffa.methods.registry import load_sampler
from saffa.methods.uniform import Uniform
from saffa.research.evaluation.metrics import watchable_steps

SECONDS, STEPS = 300, 6


def alignment(strengths: tuple[float, ...] = (1, 0.6, 0.5, 0.5, 0.6, 1)) -> Alignment:
    """Six steps of 20 s, 50 s apart, the first and last easiest to see."""
    times = np.arange(SECONDS, dtype=np.float32) + 0.5
    centres = 25 + 50 * np.arange(STEPS)
    near = np.exp(-0.5 * ((times[:, None] - centres) / 6) ** 2)
    unit = np.ones((SECONDS, 1), np.float32)
    return Alignment(
        times=times,
        e_v=unit,
        e_d=unit,
        relevance=(near * np.array(strengths)).sum(1).astype(np.float32),
        sentence_weights=((near + 1e-6) / (near + 1e-6).sum(1, keepdims=True)).astype(np.float32),
        document=tuple(f"step {i}" for i in range(STEPS)),
        frames=30 * SECONDS,
        rate=Fraction(30),
        encoder="test",
    )


def watchable(balance: float, speed: float = 12) -> float:
    chosen = Plan(balance).select(alignment(), speed)
    steps = [(30 * (15 + 50 * k), 30 * (35 + 50 * k)) for k in range(STEPS)]
    return watchable_steps(chosen.frames, steps, 30.0)


def test_balance_gives_every_step_its_moment() -> None:
    shares = [watchable(balance) for balance in (0, 0.25, 0.5, 1)]
    assert shares == sorted(shares)
    assert shares[0] <= 0.5
    assert shares[2] > shares[0]
    assert shares[-1] >= 0.8


@pytest.mark.parametrize("speed", [2, 4, 8, 12, 16, 20, 7.3])
@pytest.mark.parametrize("balance", [0, 0.5, 1])
def test_length_holds_at_any_balance(speed: float, balance: float) -> None:
    chosen = Plan(balance).select(alignment(), speed)
    assert abs(len(chosen.frames) - 30 * SECONDS / speed) <= 1


def test_default_balance_is_for_people() -> None:
    default = load_sampler("plan").select(alignment(), 12).frames.tolist()
    assert default == Plan(0.5).select(alignment(), 12).frames.tolist()
    assert default != Plan(0).select(alignment(), 12).frames.tolist()


def test_balance_0_ignores_the_sentences() -> None:
    one = alignment()
    other = Alignment(**{**vars(one), "sentence_weights": np.roll(one.sentence_weights, 2, axis=1)})
    assert Plan(0).select(one, 12).frames.tolist() == Plan(0).select(other, 12).frames.tolist()


def test_uninformative_weights_leave_the_papers_objective() -> None:
    one = alignment()
    flat = Alignment(**{**vars(one), "sentence_weights": np.full_like(one.sentence_weights, 1 / STEPS)})
    flat = Alignment(**{**vars(flat), "relevance": np.ones_like(one.relevance)})
    assert np.diff(Plan(1).select(flat, 12).frames)[:-1].max() <= 14


def test_moment_curve() -> None:
    seconds = np.arange(100) / 10
    curve = moment_curve([Moment(1, 2, 1), Moment(1.5, 2.5, 1), Moment(5, 6, 2)], seconds)
    assert curve.max() == 1  # overlapping moments do not add up
    assert np.flatnonzero(curve).tolist() == [*range(10, 25), 50, 52, 54, 56, 58]


def test_limits_of_speed() -> None:
    chosen = Plan(0.5, min_speed=3, max_speed=20).select(alignment(), 12)
    skips = np.diff(chosen.frames)
    assert skips[:-1].min() >= 3
    assert skips.max() <= 20
    for low, high in ((13, None), (None, 11)):
        with pytest.raises(InputError, match="cannot be reached"):
            Plan(0.5, low, high).select(alignment(), 12)
    with pytest.raises(InputError, match="--min-speed 20 is above --max-speed 10"):
        Plan(0.5, 20, 10).select(alignment(), 12)
    for wrong in (0.0, float("nan")):
        with pytest.raises(InputError, match="--min-speed must be"):
            Plan(0.5, min_speed=wrong).select(alignment(), 12)
        with pytest.raises(InputError, match="--max-speed must be"):
            Plan(0.5, max_speed=wrong).select(alignment(), 12)
    with pytest.raises(InputError, match="between 0 and 1"):
        Plan(1.1).select(alignment(), 12)


@pytest.mark.parametrize("speed", [1, 1.7, 3, 12, 400, 10_000])
def test_uniform_is_even_and_exact(speed: float) -> None:
    chosen = Uniform().select(alignment(), speed)
    skips = np.diff(chosen.frames)
    assert len(chosen.frames) == max(1, round(30 * SECONDS / speed))
    assert chosen.frames[0] == 0
    assert len(skips) == 0 or skips.max() - skips.min() <= 1


def test_unknown_method() -> None:
    with pytest.raises(InputError, match="Unknown method"):
        load_sampler("magic", Settings())


def crowded(seed: int) -> Alignment:
    """Twelve sentences of very unequal evidence, some of them close together, some not found."""
    random = np.random.default_rng(seed)
    times = np.arange(SECONDS, dtype=np.float32) + 0.5
    centres = np.sort(random.uniform(5, SECONDS - 5, 12))
    near = random.uniform(0.02, 1, 12) * np.exp(-0.5 * ((times[:, None] - centres) / random.uniform(1, 8, 12)) ** 2)
    unit = np.ones((SECONDS, 1), np.float32)
    return Alignment(
        times=times,
        e_v=unit,
        e_d=unit,
        relevance=near.max(1).astype(np.float32),
        sentence_weights=((near + 1e-6) / (near + 1e-6).sum(1, keepdims=True)).astype(np.float32),
        document=tuple(f"step {i}" for i in range(12)),
        frames=30 * SECONDS,
        rate=Fraction(30),
        encoder="test",
        confidence=np.where(np.arange(12) % 4 == 3, 0.01, random.uniform(0.3, 1, 12)).astype(np.float32),
        fit=0.9,
    )


@pytest.mark.parametrize("speed", [8, 12, 16])
@pytest.mark.parametrize("seed", range(4))
def test_at_balance_1_every_found_sentence_is_shown(seed: int, speed: int) -> None:
    made = crowded(seed)
    chosen = Plan(1.0).select(made, speed)
    assert not unseen(made, chosen.frames).any()
    assert len(chosen.frames) == wanted_frames(made.frames, speed)


def test_without_that_some_would_not_be_shown() -> None:
    assert sum(unseen(crowded(seed), Plan(0.99).select(crowded(seed), 16).frames).sum() for seed in range(4)) > 0


def test_a_sentence_that_is_not_found_is_not_missed() -> None:
    made = crowded(0)
    assert not unseen(made, np.arange(0, made.frames, 30))[3::4].any()
    assert unseen(made, np.arange(0, made.frames, 30)).any()


def test_a_moment_is_worth_eight_deviations_at_balance_1() -> None:
    made = alignment()
    gained = balanced_reward(made, 0.5, 12, 25) - balanced_reward(made, 0.0, 12, 25)
    assert set(gained.round(9)) == {0, 4}
