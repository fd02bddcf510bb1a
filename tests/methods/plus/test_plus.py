import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.encoders.base import AlignmentRow
from saffa.methods.dynamics import Dynamics
from saffa.methods.paper.online import PlusOnline
from saffa.methods.plus.moves import missed_steps, rules_for
from saffa.methods.plus.plus import NAME, PlusAgent, places_in_text, shipped_agent, stride_for, walk

MODELS = Path(__file__).parents[3] / "src" / "saffa" / "models"


def hilly(seconds: float) -> tuple[float, float]:
    return float(0.5 + 0.4 * np.sin(seconds / 9)), seconds / 400


@pytest.mark.parametrize("speed", [1, 1.5, 2, 5, 8, 12, 16.5, 20, 24, 25, 40])
@pytest.mark.parametrize("frames", [601, 3000, 9001])
def test_the_length_is_met(speed: float, frames: int) -> None:
    chosen = walk(shipped_agent(), hilly, frames, 30.0, speed)
    assert abs(len(chosen) - frames / speed) <= 1.5
    assert chosen[0] == 0
    assert np.all(np.diff(chosen) > 0)


@pytest.mark.parametrize("speed", [62, 64, 80, 100.5, 447, 450, 1000, 3000])
@pytest.mark.parametrize("encoder", ["narrated", "msvd-plus", ""])
def test_the_length_is_met_at_any_speed(speed: float, encoder: str) -> None:
    """Braking from twice the target takes longer than a table could hold; beyond its end it promised too much."""
    frames = 20_000
    assert len(walk(shipped_agent(), hilly, frames, 30.0, speed, encoder, 8)) == max(1, round(frames / speed))


@pytest.mark.parametrize("speed", [26, 40, 62, 100])
@pytest.mark.parametrize("encoder", ["narrated", "msvd-plus"])
def test_above_25_it_still_looks_for_the_text(speed: float, encoder: str) -> None:
    frames = 60_000
    chosen = walk(shipped_agent(), hilly, frames, 30.0, speed, encoder, 8)
    even = np.linspace(0, frames - 1, len(chosen))
    shown, uniform = (np.mean([hilly(frame / 30)[0] for frame in picked]) for picked in (chosen, even))
    assert shown > uniform + 0.03
    stride = stride_for(speed)
    skips = np.diff(chosen) // stride
    assert not np.any(np.diff(chosen) % stride)
    assert skips.max() <= 25


def test_a_stride_is_there_only_where_the_ceiling_would_rise() -> None:
    assert [stride_for(speed) for speed in (1, 12, 25, 25.5, 30, 40, 60, 100, 1000)] == [1, 1, 1, 2, 2, 3, 5, 8, 80]


@pytest.mark.parametrize("frames", [1, 2, 3, 10])
def test_tiny_videos(frames: int) -> None:
    chosen = walk(shipped_agent(), hilly, frames, 30.0, 8)
    assert 1 <= len(chosen) <= 2
    assert chosen[-1] <= frames - 1


def test_every_skip_obeys_the_dynamics() -> None:
    chosen = walk(shipped_agent(), hilly, 5000, 25.0, 12, "narrated")
    dynamics = Dynamics.for_speed(12)
    states = {(12, 1)}
    for skip in np.diff(chosen)[:-1].tolist():  # the last one may be cut short
        states = {after for v, w in states for a in range(3) if (after := dynamics.step(v, w, a))[0] == skip}
        assert states


def test_it_slows_down_where_relevance_is_high() -> None:
    def step(seconds: float) -> tuple[float, float]:
        return float((seconds // 30) % 2), 0.0

    chosen = walk(shipped_agent(), step, 9000, 30.0, 12, "msvd-plus")
    assert np.mean((chosen / 30 // 30) % 2) > 0.65


def test_it_does_not_see_the_future() -> None:
    def other(seconds: float) -> tuple[float, float]:
        return hilly(seconds) if seconds < 50 else (0.1, 0.9)

    one, two = (walk(shipped_agent(), curve, 6000, 30.0, 12, "narrated", 8) for curve in (hilly, other))
    np.testing.assert_array_equal(one[one <= 1500], two[two <= 1500])
    assert one.tolist() != two.tolist()


def test_it_asks_for_visited_times_only() -> None:
    asked: list[float] = []

    def asks(seconds: float) -> tuple[float, float]:
        asked.append(seconds)
        return hilly(seconds)

    chosen = walk(shipped_agent(), asks, 3000, 30.0, 12)
    np.testing.assert_allclose(asked, chosen[: len(asked)] / 30)


def test_scale_and_offset_of_a_strange_encoder_do_not_matter() -> None:
    plain = walk(shipped_agent(), hilly, 3000, 30.0, 12)
    moved = walk(shipped_agent(), lambda t: (7 + 16 * hilly(t)[0], hilly(t)[1]), 3000, 30.0, 12)
    np.testing.assert_array_equal(plain, moved)


@pytest.mark.parametrize("speed", [1, 2, 7.5, 12, 20, 30, 60])
def test_it_goes_evenly_where_nothing_tells_moments_apart(speed: float) -> None:
    chosen = walk(shipped_agent(), lambda _: (0.5, 0.0), 9000, 30.0, speed, "none")
    even = np.linspace(0, 8999, len(chosen))
    assert np.ptp(np.diff(chosen)) <= 3 * stride_for(speed)
    assert np.abs(chosen - even).max() <= 2 * stride_for(speed)


def test_it_follows_the_text_as_soon_as_something_does() -> None:
    def late(seconds: float) -> tuple[float, float]:
        return (0.5 if seconds < 100 else hilly(seconds)[0]), 0.0

    skips = np.diff(walk(shipped_agent(), late, 9000, 30.0, 12))
    assert skips[0] == 12
    assert np.ptp(skips) > 10


def test_limits_are_the_shortest_and_longest_ways() -> None:
    dynamics = Dynamics(max_velocity=4)
    rules = rules_for(dynamics)

    def counts(distance: int, velocity: int, acceleration: int) -> set[int]:
        if distance <= 0:
            return {0}
        after = [dynamics.step(velocity, acceleration, a) for a in range(3)]
        return {1 + n for v, w in after for n in counts(distance - v, v, w)}

    for distance in range(1, 9):
        ways = counts(distance, 2, 1)
        for steps in range(1, 12):
            gap = max(min(ways) - steps, steps - max(ways), 0)
            assert missed_steps(rules, distance, dynamics.state(2, 1), steps) == gap


def test_the_place_in_the_text_is_used() -> None:
    early, late = (
        walk(shipped_agent(), lambda t, p=place: (hilly(t)[0], p), 6000, 30.0, 12, "narrated", 8)  # type: ignore[misc]
        for place in (0.1, 0.95)
    )
    assert early.tolist() != late.tolist()


def test_a_strangers_place_in_the_text_is_not_trusted() -> None:
    """`narrated-live` says "first sentence" for minutes; believing it made saffa+ worse than uniform."""
    stuck, moving = (
        walk(shipped_agent(), lambda t, k=pace: (hilly(t)[0], min(k * t, 1.0)), 6000, 30.0, 12, "narrated-live", 8)  # type: ignore[misc]
        for pace in (0.0, 0.005)
    )
    np.testing.assert_array_equal(stuck, moving)


def test_pictures_that_speak_for_themselves_have_a_scale_of_their_own() -> None:
    """In a single pass the visual encoder's answers are on another scale, and the place they tell jumps."""
    priors = shipped_agent().priors
    assert priors["visual"].place
    assert not priors["visual-live"].place
    assert priors["visual-live"].deviation < priors["visual"].deviation
    answers = [
        AlignmentRow(hilly(k / 30)[0], np.eye(8, dtype=np.float32)[k % 8], *np.zeros((2, 4))) for k in range(6000)
    ]
    chosen = PlusOnline(shipped_agent(), 6000, 30.0, 12, "visual")
    frame: int | None = 0
    visited = []
    while frame is not None:
        visited.append(frame)
        frame = chosen.step(frame, answers[frame])
    told = walk(shipped_agent(), lambda t: (hilly(round(t * 30) / 30)[0], 0.0), 6000, 30.0, 12, "visual-live", 8)
    np.testing.assert_array_equal(visited, told)


def test_places_in_text_are_the_middles_of_sentences() -> None:
    np.testing.assert_allclose(places_in_text(4), [0.125, 0.375, 0.625, 0.875])


def test_shipped_without_torch() -> None:
    code = (
        "import sys; from saffa.methods.plus.plus import shipped_agent, walk; "
        "walk(shipped_agent(), lambda t: (t % 7, 0.0), 900, 30.0, 8); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_manifest_tells_where_it_comes_from() -> None:
    facts = json.loads((MODELS / NAME / "model.json").read_text("utf-8"))
    assert {"priors", "data", "command", "seed", "date", "quality", "licence", "files"} <= set(facts)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not a saffa\+ agent"):
        PlusAgent.load(tmp_path)
