"""The planner against enumeration, and the promises it makes: length, smoothness, even spacing."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from saffa.methods.dynamics import ACTIONS, Dynamics, Variant
from saffa.methods.planner.search import EVENNESS, Planner

Curve = NDArray[np.float64]


def bumpy(frames: int, seed: int = 0, every: int = 150) -> Curve:
    values = np.random.default_rng(seed).standard_normal(frames // every + 2)
    return np.interp(np.arange(frames) / every, np.arange(len(values)), values)


def all_paths(frames: int, dynamics: Dynamics, velocity: int) -> dict[int, list[list[tuple[int, int]]]]:
    """Every way through, as (frame, velocity) lists after frame 0, by number of steps."""
    found: dict[int, list[list[tuple[int, int]]]] = {}

    def walk(frame: int, v: int, w: int, path: list[tuple[int, int]]) -> None:
        if frame == frames - 1:
            found.setdefault(len(path), []).append(path)
            return
        for action in ACTIONS:
            v2, w2 = dynamics.step(v, w, action)
            after = min(frame + v2, frames - 1)
            walk(after, v2, w2, [*path, (after, v2)])

    walk(0, velocity, 1, [])
    return found


def objective(path: list[tuple[int, int]], reward: Curve, speed: float) -> float:
    return float(sum(reward[f] - EVENNESS * (v - speed) ** 2 for f, v in path))


def follows(frames: NDArray[np.int64], dynamics: Dynamics, velocity: int, total: int) -> bool:
    """Whether some sequence of actions makes exactly these skips (the last one may be cut off by the end)."""
    velocities, successors = dynamics.velocities(), dynamics.successors()  # as `step` has it: test_dynamics.py
    possible = np.arange(dynamics.states) == dynamics.state(velocity, 1)
    skips = np.diff(frames)
    for i, skip in enumerate(skips.tolist()):
        after = np.zeros(dynamics.states, np.bool_)
        after[successors[possible]] = True
        last = i == len(skips) - 1 and frames[-1] == total - 1
        possible = after & (velocities >= skip if last else velocities == skip)
    return bool(possible.any())


@settings(deadline=None, max_examples=25)
@given(st.integers(3, 13), st.sampled_from([2, 3]), st.sampled_from(["code", "paper"]), st.integers(0, 10**6))
def test_no_path_of_that_length_is_better(frames: int, speed: int, variant: Variant, seed: int) -> None:
    reward = np.random.default_rng(seed).standard_normal(frames)
    normal = (reward - reward.mean()) / reward.std()
    dynamics = Dynamics(variant)
    for steps, paths in all_paths(frames, dynamics, speed).items():
        chosen = Planner(reward, speed, dynamics).select(steps + 1)
        if steps + 1 == frames:
            continue
        best = max(objective(path, normal, speed) for path in paths)
        same = [p for p in paths if [f for f, _ in p] == chosen[1:].tolist()]
        assert same, f"{chosen} is no path of {steps} steps"
        assert max(objective(p, normal, speed) for p in same) == pytest.approx(best, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(200, 3000),
    st.floats(1, 24),
    st.sampled_from(["code", "paper"]),
    st.integers(0, 10**6),
    st.sampled_from([1, 7, 40, 300]),
)
@example(frames=3000, speed=7.3, variant="code", seed=1, every=300)
@example(frames=227, speed=24.0, variant="code", seed=0, every=1)
def test_length_is_exact_and_the_dynamics_hold(
    frames: int, speed: float, variant: Variant, seed: int, every: int
) -> None:
    dynamics = Dynamics(variant)
    fewest = -(-(frames - 1) // dynamics.max_velocity) + 1
    wanted = max(2, round(frames / speed), fewest)
    chosen = Planner(bumpy(frames, seed, every), speed, dynamics).select(wanted)
    assert abs(len(chosen) - wanted) <= 1
    assert chosen[0] == 0
    assert np.all(np.diff(chosen) > 0)
    if wanted < frames:
        assert chosen[-1] == frames - 1
        assert follows(chosen, dynamics, round(speed), frames)


MISSED = [
    (359, 1.1293, 523_883, 40),  # got 311 frames instead of 318
    (487, 1.3248, 579_732, 40),  # 375 instead of 368
    (1065, 1.4996, 612_420, 300),  # 718 instead of 710
    (1114, 1.5841, 861_842, 300),  # 712 instead of 703
]
"""Frames, speed and curve with which the variant of the paper once missed the length: below 1.6x the two ends of the
bridge are often bound to states between which no path has the right number of steps."""


@pytest.mark.parametrize(("frames", "speed", "seed", "every"), MISSED)
def test_the_variant_of_the_paper_meets_low_speeds(frames: int, speed: float, seed: int, every: int) -> None:
    dynamics, wanted = Dynamics("paper"), round(frames / speed)
    planner = Planner(bumpy(frames, seed, every), speed, dynamics)
    chosen = planner.select(wanted)
    assert len(chosen) == wanted
    assert follows(chosen, dynamics, round(speed), frames)


def test_the_cases_above_still_need_more_than_a_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Planner, "_adjusted", lambda *given: given[1])
    found = [
        len(Planner(bumpy(frames, seed, every), speed, Dynamics("paper")).select(round(frames / speed)))
        for frames, speed, seed, every in MISSED
    ]
    assert found != [round(frames / speed) for frames, speed, _, _ in MISSED]


@pytest.mark.parametrize("variant", ["code", "paper"])
@pytest.mark.parametrize("speed", [1.0, 1.3, 2.0, 2.5, 7.3, 8.0, 12.0, 24.0, 25.0, 33.0, 60.0])
def test_flat_relevance_gives_even_spacing(speed: float, variant: Variant) -> None:
    frames = 5000
    for level in (0.0, 0.37, -1e6):
        chosen = Planner(np.full(frames, level), speed, Dynamics.for_speed(speed, variant)).select(
            round(frames / speed)
        )
        skips = np.diff(chosen)[:-1]
        assert abs(len(chosen) - round(frames / speed)) <= 1
        assert skips.min() >= np.floor(speed) - 1
        assert skips.max() <= np.ceil(speed) + 2


@pytest.mark.parametrize("speed", [2, 5, 12, 20, 40])
def test_relevant_part_is_slower(speed: int) -> None:
    frames = 6000
    reward = np.zeros(frames)
    reward[2000:3000] = 1
    chosen = Planner(reward, speed, Dynamics.for_speed(speed)).select(frames // speed)
    inside = ((chosen >= 2000) & (chosen < 3000)).mean()
    assert inside > 1.4 / 6  # evenly spread it would be 1/6


def test_larger_rewards_change_nothing() -> None:
    curve = bumpy(3000, 3)
    dynamics = Dynamics()
    a = Planner(curve, 12, dynamics).select(250)
    b = Planner(1e4 * curve - 7, 12, dynamics).select(250)
    assert a.tolist() == b.tolist()


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 11])
def test_tiny_videos(frames: int) -> None:
    for speed in (1.0, 1.5, 2.0, 4.0, 30.0):
        wanted = max(1, round(frames / speed))
        chosen = Planner(np.arange(frames, dtype=float), speed, Dynamics.for_speed(speed)).select(wanted)
        assert chosen[0] == 0
        assert chosen[-1] < frames
        assert abs(len(chosen) - wanted) <= 1


def test_limits_of_speed_hold() -> None:
    dynamics = Dynamics(min_velocity=4, max_velocity=14)
    chosen = Planner(bumpy(4000, 5), 8, dynamics).select(500)
    skips = np.diff(chosen)
    assert len(chosen) == 500
    assert skips[:-1].min() >= 4
    assert skips.max() <= 14


def test_what_cannot_be_reached_is_as_near_as_possible() -> None:
    chosen = Planner(bumpy(1000, 2), 8, Dynamics(min_velocity=8, max_velocity=8)).select(500)
    assert len(chosen) == 1 + 125


@pytest.mark.parametrize("seed", range(12))
def test_no_path_is_better_where_slow_stretches_cost(seed: int) -> None:
    """A path pays at each frame from which it changes between 2x or slower and faster."""
    rng = np.random.default_rng(seed)
    frames, speed, dynamics = 12, 3, Dynamics(("code", "paper")[seed % 2])
    reward, toll = rng.standard_normal(frames), rng.uniform(0, 3, frames)
    normal = (reward - reward.mean()) / reward.std()

    def value(path: list[tuple[int, int]]) -> float:
        before = [(0, speed), *path[:-1]]
        paid = sum(toll[a] for (a, v), (_, w) in zip(before, path, strict=True) if (v <= 2) != (w <= 2))
        return objective(path, normal, speed) - float(paid)

    for steps, paths in all_paths(frames, dynamics, speed).items():
        if steps + 1 == frames:
            continue
        chosen = Planner(reward, speed, dynamics, toll=toll).select(steps + 1)[1:].tolist()
        mine = max(value(path) for path in paths if [f for f, _ in path] == chosen)
        assert mine == pytest.approx(max(map(value, paths)), abs=1e-9)


def test_the_extent_is_that_of_the_limits() -> None:
    """Fewest frames: one of 25 every time; most: every frame, however dear slow stretches are."""
    reward = bumpy(1000, 2)
    for toll in (None, np.full(1000, 50.0)):
        assert Planner(reward, 25, Dynamics(), toll=toll).extent()[0] == 1 + 40
        assert Planner(reward, 1, Dynamics(), toll=toll).extent()[1] == 1000
    assert Planner(reward, 8, Dynamics(min_velocity=8, max_velocity=8)).extent() == (126, 126)
