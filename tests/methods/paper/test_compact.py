"""The compact agent at use: exact lengths, the same walk while a video is read, nothing seen of what is to come."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import wanted_frames
from saffa.encoders.base import Query
from saffa.encoders.registry import entry_of
from saffa.encoders.replay import Replay
from saffa.methods.dynamics import ACTIONS, MAX_ACCELERATION, MAX_VELOCITY, Dynamics
from saffa.methods.paper.compact import STRANGER, CompactAgent, CompactSaffa, Scale, joined, save_compact
from saffa.methods.paper.compact_walk import LEVELS, REACH, STATE, CompactWeights, motion, threshold

SPEEDS = (1, 1.4, 2, 3.7, 8, 12, 16, 24, 25, 30, 60)


def networks(seed: int, members: int = 1) -> CompactWeights:
    """Untrained, with weights so large that it does this and that."""
    random = np.random.default_rng(seed)
    shapes = [(STATE, 12), (12,), (12, 8), (8,), (8, 3), (3,)]
    return CompactWeights(*(random.normal(size=(members, *shape)).astype(np.float32) for shape in shapes))


def restless(seed: int = 1) -> CompactAgent:
    return CompactAgent(networks(seed), networks(seed + 100), {"known": Scale(0.4, 0.3)})


def alignment(frames: int, seed: int, encoder: str = "known") -> Alignment:
    """Relevance that comes and goes, an answer every half second."""
    random, rate = np.random.default_rng(seed), 32
    times = np.arange(0, frames, 16) / rate
    relevance = np.convolve(random.random(len(times)), np.ones(5) / 5)[: len(times)].astype(np.float32)
    e_v = random.normal(size=(len(times), 4)).astype(np.float32)
    weights = np.ones((len(times), 1), np.float32)
    return Alignment(times.astype(np.float32), e_v, e_v, relevance, weights, ("stir",), frames, Fraction(rate), encoder)


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("encoder", ["known", "stranger"])
@pytest.mark.parametrize("look_ahead", [True, False])
def test_every_length_is_met_to_the_frame(speed: float, encoder: str, look_ahead: bool) -> None:
    for seed, frames in enumerate((2, 61, 400, 2999)):
        method = CompactSaffa(restless(seed), look_ahead=look_ahead)
        chosen = method.select(alignment(frames, seed, encoder), speed).frames
        assert chosen[0] == 0
        assert np.all(np.diff(chosen) > 0)
        if frames >= 61:  # shorter ones may be out of the dynamics' reach
            assert len(chosen) == wanted_frames(frames, speed)


def test_a_walk_while_the_video_is_read_is_the_same() -> None:
    method = CompactSaffa(restless(), look_ahead=False)
    for encoder in ("known", "stranger"):
        known = alignment(900, 3, encoder)
        walk, replay = method.begin(known.frames, known.rate, 7, encoder), Replay(known)
        frames, frame = [0], walk.step(0, replay.answer(Query(0, 0.0)))
        while frame is not None:
            frames.append(frame)
            frame = walk.step(frame, replay.answer(Query(frame, float(frame / known.rate))))
        assert frames == method.select(known, 7).frames.tolist()


def test_a_single_pass_knows_nothing_of_what_is_to_come_and_a_look_ahead_does() -> None:
    known = alignment(3000, 4)
    other = replace(known, relevance=np.where(known.times < 40, known.relevance, 1 - known.relevance))
    seen = 40 * 32

    def same_at_first(seed: int, *, look_ahead: bool) -> bool:
        method = CompactSaffa(restless(seed), look_ahead=look_ahead)
        one, two = (method.select(a, 8).frames for a in (known, other))
        return np.array_equal(one[one < seen], two[two < seen])

    assert all(same_at_first(seed, look_ahead=False) for seed in range(8))
    assert not all(same_at_first(seed, look_ahead=True) for seed in range(8))


@pytest.mark.parametrize("look_ahead", [True, False])
def test_where_nothing_is_told_the_frames_are_even(look_ahead: bool) -> None:
    flat = replace(alignment(1200, 5, "none"), relevance=np.full(75, 0.3, np.float32))
    skips = np.diff(CompactSaffa(restless(), look_ahead=look_ahead).select(flat, 8).frames)
    assert set(skips.tolist()) <= {6, 7, 8, 9, 10}


def test_the_scale_of_two_passes_is_the_videos_own() -> None:
    known = alignment(1500, 6)
    larger = replace(known, relevance=40 * known.relevance - 3)
    method = CompactSaffa(restless())
    np.testing.assert_array_equal(method.select(known, 9).frames, method.select(larger, 9).frames)


def test_the_product_can_be_read_instead() -> None:
    known = alignment(1500, 7)
    as_product = replace(known, e_d=np.ones((len(known.times), 1), np.float32), e_v=known.relevance[:, None])
    product = CompactSaffa(restless(), signal="product")
    np.testing.assert_array_equal(
        product.select(replace(as_product, relevance=known.relevance[::-1].copy()), 9).frames,
        CompactSaffa(restless()).select(known, 9).frames,
    )


def test_the_dynamics_are_those_of_the_released_code() -> None:
    dynamics = Dynamics()
    for velocity in range(1, MAX_VELOCITY + 1):
        for acceleration in range(1, MAX_ACCELERATION + 1):
            for action in ACTIONS:
                assert motion(velocity, acceleration, action) == dynamics.step(velocity, acceleration, action)


def test_the_threshold_is_the_value_that_a_share_exceeds() -> None:
    values = np.random.default_rng(0).normal(size=200_000)
    levels = np.histogram(np.clip(values, -REACH, REACH), LEVELS, (-REACH - 0.05, REACH + 0.05))[0].astype(float)
    for share in (0.02, 0.3, 0.5, 0.9):
        assert threshold(levels, share) == pytest.approx(np.quantile(values, 1 - share), abs=0.03)


def test_a_single_pass_knows_the_scale_of_an_encoder() -> None:
    """What was learned counts; then what the encoder's entry tells; a stranger's is a guess that the video mends."""
    agent = CompactAgent(None, networks(2), {"narrated": Scale(0.6, 0.3), "visual-live": Scale(0.4, 0.2)})
    told = entry_of("narrated-plain").scale
    assert told is not None
    assert agent.scale_of("narrated-plain") == Scale(*told) != agent.scale_of("narrated") == Scale(0.6, 0.3)
    assert agent.scale_of("visual") == Scale(0.4, 0.2)
    assert agent.scale_of("toy") == STRANGER
    met = CompactAgent(None, networks(2), {"narrated-plain": Scale(0.1, 0.2)})
    assert met.scale_of("narrated-plain") == Scale(0.1, 0.2)


def test_kept_and_joined(tmp_path: Path) -> None:
    one, other = CompactAgent(networks(1), None, {"a": Scale(0.1, 0.2)}), CompactAgent(None, networks(2), {})
    both = joined([one, other, CompactAgent(networks(3), None, {})])
    save_compact(both, tmp_path / "agent", {"licence": "MIT"})
    again = CompactAgent.load(tmp_path / "agent")
    assert again.scales == both.scales == {"a": Scale(0.1, 0.2)}
    assert again.ahead is not None and len(again.ahead.first) == 2
    np.testing.assert_array_equal(again.networks(look_ahead=False).third, networks(2).third)
    twice = joined([one, one])
    known = alignment(800, 8)
    np.testing.assert_array_equal(
        CompactSaffa(twice).select(known, 6).frames, CompactSaffa(one).select(known, 6).frames
    )
    with pytest.raises(InputError, match="no policy for a single pass"):
        CompactSaffa(one, look_ahead=False).select(known, 6)
    (tmp_path / "agent" / "weights.safetensors").write_bytes(b"x" * 30)
    with pytest.raises(InputError, match="is not readable"):
        CompactAgent.load(tmp_path / "agent")
