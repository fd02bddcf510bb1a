import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from saffa.agent.dynamics import Dynamics
from saffa.agent.plus import NAME, PlusAgent, shipped_agent, slow_share, walk
from saffa.agent.plus_limits import limits
from saffa.agent.plus_seen import FEATURES, Prior, Seen
from saffa.errors import InputError

MODELS = Path(__file__).parents[2] / "src" / "saffa" / "models"


def hilly(seconds: float) -> float:
    return float(0.5 + 0.4 * np.sin(seconds / 9))


@pytest.mark.parametrize("speed", [1, 1.5, 2, 5, 8, 12, 16.5, 20, 24, 25, 40])
@pytest.mark.parametrize("frames", [601, 3000, 9001])
def test_the_length_is_met(speed: float, frames: int) -> None:
    chosen = walk(shipped_agent(), hilly, frames, 30.0, speed)
    assert abs(len(chosen) - frames / speed) <= 1.5
    assert chosen[0] == 0
    assert np.all(np.diff(chosen) > 0)


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
    def step(seconds: float) -> float:
        return float((seconds // 30) % 2)

    chosen = walk(shipped_agent(), step, 9000, 30.0, 12, "msvd-plus")
    assert np.mean((chosen / 30 // 30) % 2) > 0.65


def test_it_does_not_see_the_future() -> None:
    def other(seconds: float) -> float:
        return hilly(seconds) if seconds < 50 else 0.1

    one, two = (walk(shipped_agent(), curve, 6000, 30.0, 12, "narrated") for curve in (hilly, other))
    np.testing.assert_array_equal(one[one <= 1500], two[two <= 1500])
    assert one.tolist() != two.tolist()


def test_it_asks_for_visited_times_only() -> None:
    asked: list[float] = []

    def asks(seconds: float) -> float:
        asked.append(seconds)
        return hilly(seconds)

    chosen = walk(shipped_agent(), asks, 3000, 30.0, 12)
    np.testing.assert_allclose(asked, chosen[: len(asked)] / 30)


def test_scale_and_offset_of_a_strange_encoder_do_not_matter() -> None:
    plain = walk(shipped_agent(), hilly, 3000, 30.0, 12)
    moved = walk(shipped_agent(), lambda t: 7 + 16 * hilly(t), 3000, 30.0, 12)
    np.testing.assert_array_equal(plain, moved)


def test_limits_are_the_shortest_and_longest_ways() -> None:
    dynamics = Dynamics(max_velocity=4)
    table = limits(dynamics)

    def counts(distance: int, velocity: int, acceleration: int) -> set[int]:
        if distance <= 0:
            return {0}
        after = [dynamics.step(velocity, acceleration, a) for a in range(3)]
        return {1 + n for v, w in after for n in counts(distance - v, v, w)}

    for distance in range(1, 9):
        ways = counts(distance, 2, 1)
        for steps in range(1, 12):
            gap = max(min(ways) - steps, steps - max(ways), 0)
            assert table.gap(distance, dynamics.state(2, 1), steps) == gap


def test_features_know_only_what_was_added() -> None:
    seen = Seen(300.0, Prior(0.5, 0.2))
    for value in (0.1, 0.4, 0.9):
        seen.add(value)
    assert len(seen.features()) == FEATURES
    assert seen.mean == pytest.approx(1.4 / 3)
    assert np.isfinite(seen.features()).all()


def test_slow_share_adds_up() -> None:
    share = slow_share(12, 25)
    assert share + (1 - share) / 25 == pytest.approx(1 / 12)
    assert 0 < slow_share(30, 25) < slow_share(1, 25) < 1


def test_shipped_without_torch() -> None:
    code = (
        "import sys; from saffa.agent.plus import shipped_agent, walk; "
        "walk(shipped_agent(), lambda t: t % 7, 900, 30.0, 8); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_manifest_tells_where_it_comes_from() -> None:
    facts = json.loads((MODELS / NAME / "model.json").read_text("utf-8"))
    assert {"priors", "data", "command", "seed", "date", "quality", "licence", "files"} <= set(facts)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not a saffa\+ agent"):
        PlusAgent.load(tmp_path)
