"""Learning the compact agent: it reads a toy's signal within seconds, resumes exactly, and refuses what cannot work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from saffa.core.errors import InputError
from saffa.methods.paper.compact import CompactAgent
from saffa.methods.paper.compact_walk import CompactCourse, CompactWeights, walk
from saffa.research.training.saffa.compact import CompactPlayer, SignalTrack, signal_tracks
from saffa.research.training.saffa.episode_sampling import EpisodeOrder
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.presets import preset_for, speed_weight
from saffa.research.training.saffa.reinforce import PolicyLearner, group_advantages
from saffa.research.training.saffa.reward import Reward
from saffa.research.training.saffa.settings import AgentSettings
from saffa.research.training.saffa.training import compact_trainer, train_compact

TOY = replace(preset_for("compact"), epochs=12, batch=6, speeds=(5, 9), snapshot=12)
QUICK = replace(TOY, epochs=3, batch=2, episodes=2)


def toy(seed: int, *, shuffled: bool = False, encoder: str = "toy") -> tuple[SignalTrack, np.ndarray]:
    """A video in which relevance alternates every 150 to 300 frames, and what is relevant in it, (F,)."""
    random = np.random.default_rng(seed)
    lengths = random.integers(150, 300, size=12)
    truth = np.repeat(np.arange(12) % 2 == seed % 2, lengths)
    told = np.repeat(random.permutation(np.arange(12) % 2 == 0), lengths) if shuffled else truth
    fit = (0.7 * told + 0.15 + 0.1 * random.random(len(truth))).astype(np.float32)
    return SignalTrack(fit, 30.0, f"{seed}", encoder), truth


def gain(agent: CompactAgent, shuffled: bool, speed: int = 7) -> np.ndarray:
    """Share of relevant frames among the selected ones, less that among all frames, of 20 videos."""
    found = []
    for seed in range(100, 120):
        track, truth = toy(seed, shuffled=shuffled)
        course = CompactCourse(
            track.seen, track.sums, 30.0, speed, round(track.frames / speed), look_ahead=True, keep_length=True
        )
        frames = walk(agent.networks(look_ahead=True), course, np.zeros(0)).reached
        assert len(frames) == course.wanted - 1
        found.append(truth[frames].mean() - truth.mean())
    return np.array(found)


def test_the_agent_beats_even_frames_on_a_toy_and_does_not_with_shuffled_relevance() -> None:
    trainer = compact_trainer([toy(seed)[0] for seed in range(36)], TOY)
    for epoch in range(1, TOY.epochs + 1):
        trainer.epoch(epoch)
    own, other = (gain(trainer.agent, shuffled) for shuffled in (False, True))
    assert own.mean() > 0.15
    assert own.mean() > 4 * own.std() / np.sqrt(len(own))
    assert abs(other.mean()) < 2.5 * other.std() / np.sqrt(len(other))


def test_resuming_changes_nothing(tmp_path: Path) -> None:
    tracks = [toy(seed)[0] for seed in range(4)]

    class StoppedError(Exception):
        pass

    def stop(_: str, share: float) -> None:
        if share > 0.5:
            raise StoppedError

    whole = train_compact(tracks, tmp_path / "whole", QUICK)
    with pytest.raises(StoppedError):
        train_compact(tracks, tmp_path / "parts", QUICK, progress=stop)
    resumed = train_compact(tracks, tmp_path / "parts", QUICK, resume=True)
    for one, other in zip(whole.networks(look_ahead=True), resumed.networks(look_ahead=True), strict=True):
        np.testing.assert_array_equal(one, other)
    again = CompactAgent.load(tmp_path / "parts" / "agent")
    np.testing.assert_array_equal(again.networks(look_ahead=True).first, whole.networks(look_ahead=True).first)
    with pytest.raises(InputError, match=r"other settings \(epochs\)"):  # the schedule depends on it
        train_compact(tracks, tmp_path / "parts", replace(QUICK, epochs=9), resume=True)
    with pytest.raises(InputError, match="other videos"):
        train_compact(tracks[:3], tmp_path / "parts", QUICK, resume=True)


def test_encoders_count_alike_and_have_their_own_scale() -> None:
    tracks = [toy(seed)[0] for seed in range(6)] + [
        replace(toy(seed, encoder="other")[0], fit=5 + 9 * toy(seed)[0].fit) for seed in range(2)
    ]
    trainer = compact_trainer(tracks, replace(QUICK, look_ahead=False))
    assert trainer.epoch(1).episodes == QUICK.episodes * 4
    scales = trainer.agent.scales
    assert scales["other"].deviation > 5 * scales["toy"].deviation
    seen = np.concatenate([t.seen for t in trainer.tracks if isinstance(t, SignalTrack) and t.encoder == "other"])
    assert seen.mean() == pytest.approx(0, abs=1e-4) and seen.std() == pytest.approx(1, abs=1e-4)


def episode(track: SignalTrack, speed: float, visited: list[int], rewards: list[float]) -> Experience:
    none = np.zeros(len(visited), np.int64)
    return Experience(track, speed, np.array(visited), none, none, none, speed, np.array(rewards))


def test_the_baseline_is_what_the_others_had_from_the_same_frame_on() -> None:
    a, b = toy(0)[0], toy(1)[0]
    episodes = [
        episode(a, 5, [0, 10, 20], [1, 2, 3]),  # returns 6, 5, 3
        episode(a, 5, [0, 20], [4, 4]),  # returns 8, 4; 6 at frame 10
        episode(a, 7, [0, 10], [1, 1]),  # another speed: alone
        episode(b, 5, [0, 10], [0, 0]),
    ]
    plain = np.concatenate([[6 - 8, 5 - 6, 3 - 4], [8 - 6, 4 - 3], [2, 1], [0, 0]])
    expected = (plain - plain.mean()) / plain.std()
    np.testing.assert_allclose(np.concatenate(group_advantages(episodes, 1.0)), expected, atol=1e-6)


def test_a_barred_action_is_neither_taken_nor_learned() -> None:
    player = CompactPlayer([toy(0)[0]], TOY)
    orders = [EpisodeOrder(player.tracks[0], 7, np.random.default_rng(k).random(4000)) for k in range(6)]
    episodes = player.play(orders, Reward())
    for one in episodes:
        assert one.permitted is not None and one.permitted[np.arange(len(one)), one.actions].all()
    assert any(one.permitted is not None and not one.permitted.all() for one in episodes)
    losses = PolicyLearner(player.networks, TOY.learning).gradients(episodes, len(episodes))
    assert np.isfinite(losses.policy) and losses.critic == 0
    assert all(torch.isfinite(p.grad).all() for p in player.networks.policy.parameters() if p.grad is not None)


def test_without_the_limits_the_speed_is_learned() -> None:
    free = replace(TOY, keep_length=False, epochs=8)
    trainer = compact_trainer([toy(seed)[0] for seed in range(36)], free)
    errors = [trainer.epoch(epoch).skip_error for epoch in range(1, free.epochs + 1)]
    assert errors[-1] < 0.6 * errors[0]


def test_rewards_of_the_compact_learner() -> None:
    track = SignalTrack(np.linspace(0, 1, 101).astype(np.float32), 30.0, "ramp", "toy")
    reached = np.array([10, 20, 30, 40, 100])
    plain = Reward(weight="F*", sigma=0.5).of_episode(track, reached, 30, 30)
    np.testing.assert_allclose(plain, [0.1, 0.2, 0.3, 0.4, 3], atol=1e-6)
    changed = Reward(centre=True, capped=True, per_frame=True).of_episode(track, reached, 30, 30)
    np.testing.assert_allclose(changed, [-0.4 / 3, -0.3 / 3, -0.2 / 3, 0, 1], atol=1e-6)
    wide = Reward(first_sigma=3.0)
    assert [round(wide.after(done).sigma, 3) for done in (0, 0.25, 0.5, 1)] == [3.0, 1.225, 0.5, 0.5]


def test_what_cannot_be_learned_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no videos"):
        signal_tracks([], TOY)
    with pytest.raises(InputError, match="no alignment"):
        signal_tracks(tmp_path, TOY)
    flat = SignalTrack(np.ones(50, np.float32), 30.0, "flat", "toy")
    with pytest.raises(InputError, match="the same everywhere"):
        signal_tracks([flat], replace(TOY, look_ahead=False))
    with pytest.raises(InputError, match="2 episodes"):
        replace(TOY, episodes=1)


def test_networks_are_turned_for_the_compiled_walk() -> None:
    player = CompactPlayer([toy(0)[0]], TOY)
    compiled: CompactWeights = player.networks.compiled()
    states = np.random.default_rng(0).normal(size=(5, compiled.first.shape[1])).astype(np.float32)
    hidden = np.maximum(states @ compiled.first[0] + compiled.first_bias[0], 0)
    hidden = np.maximum(hidden @ compiled.second[0] + compiled.second_bias[0], 0)
    scores = hidden @ compiled.third[0] + compiled.third_bias[0]
    with torch.no_grad():
        expected = player.networks.policy(torch.from_numpy(states)).numpy()
    np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_presets_differ_where_they_say() -> None:
    published, compact = preset_for("published"), preset_for("compact")
    assert published == AgentSettings()
    assert preset_for("compact", "published") == replace(published, state="compact", hidden=(64, 32))
    assert preset_for("published", "compact") == replace(compact, state="published", hidden=published.hidden)
    assert compact.learning.group and compact.reward.capped and compact.reward.centre and compact.learning.gamma == 1


@pytest.mark.parametrize(
    ("encoder", "weight"), [("vdan-msvd", "F"), ("vdan", "F"), ("vdan-plus-msvd", "F*"), ("narrated", "F*")]
)
def test_the_weight_of_the_speed_is_the_papers(encoder: str, weight: str) -> None:
    assert speed_weight(encoder) == weight
