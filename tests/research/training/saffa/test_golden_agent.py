"""Equality with the numbers of the reference code (data/README.md, golden)."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.methods.paper.agent import Agent
from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.loading import load_agent
from saffa.methods.paper.observation import nrpe
from saffa.methods.paper.rollouts import rollout
from saffa.research.training.saffa.env import FastForwardEnv
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.reinforce import Learning, PolicyLearner, returns
from saffa.research.training.saffa.reward import Reward
from tests.research.training.saffa.stepwise import replay

Arrays = dict[str, NDArray[Any]]


@pytest.fixture(scope="module")
def golden(shared_data: Path) -> Path:
    return shared_data / "golden"


@pytest.fixture(scope="module")
def agent(golden: Path) -> Agent:
    return load_agent(golden / "saffa_authors_format.pth")


@pytest.fixture(scope="module")
def videos(golden: Path) -> Arrays:
    return arrays(golden / "agent_features.npz")


def arrays(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as found:
        return dict(found)


@pytest.mark.parametrize("frames", [600, 451])
def test_position_encoding(golden: Path, frames: int) -> None:
    np.testing.assert_allclose(nrpe(frames), arrays(golden / "nrpe.npz")[f"NRPE_F{frames}"], atol=1e-6)


def test_fit_to_the_text(golden: Path, videos: Arrays) -> None:
    want = arrays(golden / "nrpe.npz")["dots_v0"]
    np.testing.assert_allclose(Track.of_embeddings(videos["v0"]).fit, want, atol=1e-6)


@pytest.mark.parametrize("speed", [5, 12])
def test_scripted_episodes(golden: Path, videos: Arrays, speed: int) -> None:
    script = arrays(golden / "env_scripted.npz")
    env = FastForwardEnv(videos["v0"], target_speed=speed)
    _, info = env.reset()
    assert info["skip_index"] == script[f"S{speed}_onehot0"]
    selected = []
    for action, skip, acceleration, frame, mean, reward, index in script[f"S{speed}"]:
        state, paid, over, _, info = env.step(int(action))
        selected.append(info["frame"])
        assert (info["velocity"], info["acceleration"], info["frame"]) == (skip, acceleration, frame)
        assert info["skip_index"] == index == state[306:].argmax()
        assert info["average_skip"] == pytest.approx(mean, abs=1e-12)
        assert paid == pytest.approx(reward, abs=1e-6)
    assert over
    assert selected == script[f"S{speed}_sel"].tolist()


@pytest.mark.parametrize("speed", [2, 5, 8, 12, 16, 20, 24])
def test_rollouts(golden: Path, agent: Agent, videos: Arrays, speed: int) -> None:
    want = {k.removeprefix(f"v0_S{speed}_"): v for k, v in arrays(golden / "agent_rollouts.npz").items()}
    roll = rollout(agent, videos["v0"], target_speed=speed)
    np.testing.assert_array_equal(roll.selected, want["selected"])
    np.testing.assert_array_equal(roll.actions, want["actions"])
    np.testing.assert_array_equal(roll.skips, want["skips"])
    np.testing.assert_array_equal(roll.accelerations, want["accs"])
    np.testing.assert_array_equal(roll.skip_indices, want["onehot_idx"])
    np.testing.assert_allclose(roll.probabilities, want["probs"], atol=2e-6)


@pytest.mark.parametrize("speed", [2, 12, 24])
def test_states_rewards_and_values_along_a_rollout(golden: Path, agent: Agent, videos: Arrays, speed: int) -> None:
    found = arrays(golden / "agent_rollouts.npz")
    want = {k.removeprefix(f"v0_S{speed}_"): v for k, v in found.items() if k.startswith(f"v0_S{speed}_")}
    env = FastForwardEnv(videos["v0"], target_speed=speed)
    state, _ = env.reset()
    states, rewards = [], []
    for action in want["actions"]:
        states.append(state)
        state, paid, *_ = env.step(int(action))
        rewards.append(paid)
    np.testing.assert_allclose(rewards, want["rewards"], atol=1e-6)
    np.testing.assert_allclose(agent.values(np.array(states)), want["values"], atol=2e-6)
    if "states" in want:
        np.testing.assert_allclose(states, want["states"], atol=1e-6)


@pytest.mark.parametrize("speed", [2, 5, 12, 20])
def test_hub_rollouts(golden: Path, agent: Agent, videos: Arrays, speed: int) -> None:
    """The hub counts from 1 and steps on past the last frame; here the walk ends on it."""
    hub = arrays(golden / "hub_rollouts.npz")[f"v0_S{speed}"]
    roll = rollout(agent, videos["v0"], target_speed=speed, start="one")
    np.testing.assert_array_equal(roll.selected, np.unique(np.minimum(hub - 1, len(videos["v0"]) - 1)))


def test_one_training_step(golden: Path, videos: Arrays) -> None:
    want = arrays(golden / "train_step_agent.npz")
    before, after = load_agent(golden / "agent_init.pth"), load_agent(golden / "agent_after_one_update.pth")
    networks = PublishedNetworks.seeded(before.traits, 0)
    networks.load(before.tensors())
    learner = PolicyLearner(networks, Learning())
    episode = replay(Track.of_embeddings(videos["v1"]), int(want["S"]), want["actions"], before.rules, Reward())
    np.testing.assert_array_equal(episode.reached, want["selected"])
    np.testing.assert_allclose(episode.rewards, want["rewards"], atol=1e-6)
    np.testing.assert_allclose(returns(episode.rewards, 0.99), want["returns"], atol=2e-6)
    losses = learner.gradients([episode], 1)
    assert losses.policy == pytest.approx(float(want["policy_loss"]), rel=1e-6)
    assert losses.critic == pytest.approx(float(want["critic_loss"]), rel=1e-6)
    assert losses.entropy == pytest.approx(float(want["entropy"].mean()), rel=1e-6)
    for key, parameter in learner.networks.named_parameters():
        assert parameter.grad is not None
        np.testing.assert_allclose(parameter.grad.numpy(), want[f"grad_{key}"], atol=1e-5)
    learner.step()
    # Where a gradient is almost 0, Adam's first step magnifies its last digits; nowhere by more than this.
    for key, array in learner.networks.agent().tensors().items():
        np.testing.assert_allclose(array, after.tensors()[key], atol=5e-6)
