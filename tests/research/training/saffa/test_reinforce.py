"""Compiled, plain and step by step: three ways to the same numbers."""

import numpy as np
import pytest
import torch

from saffa.methods.paper.agent import RULES, Traits
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.rollouts import walk
from saffa.research.training.saffa import reinforce
from saffa.research.training.saffa.episode_sampling import EpisodeOrder, embedded, play
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.reinforce import Learning, PolicyLearner, returns, standardised
from saffa.research.training.saffa.reward import Reward
from tests.methods.videos import track
from tests.research.training.saffa import stepwise
from tests.research.training.saffa.stepwise import replay

SAFFA = Traits(Observation(32))
SFF_RL = Traits(Observation(32, position=False, skip=False), RULES["sff-rl"], "sff-rl")


def orders(count: int) -> list[EpisodeOrder]:
    random = np.random.default_rng(5)
    speeds = [1, 3, 7.5, 12, 24, 30, 80]
    lengths = random.integers(2, 300, count)
    lengths[0] = 1
    return [
        EpisodeOrder(track(int(n), 16, seed), speeds[seed % len(speeds)], random.random(int(n)))
        for seed, n in enumerate(lengths)
    ]


def weights(learner: PolicyLearner[PublishedNetworks]) -> np.ndarray:
    return np.concatenate([p.detach().numpy().ravel() for p in learner.networks.parameters()])


@pytest.mark.parametrize("traits", [SAFFA, SFF_RL])
def test_the_compiled_walk_equals_the_plain_one(traits: Traits) -> None:
    agent, wanted = PublishedNetworks.seeded(traits, 1).agent(), orders(12)
    for order, one in zip(wanted, play(agent, wanted, Reward()), strict=True):
        plain = walk(agent, embedded(order), order.speed, draws=order.draws)
        np.testing.assert_array_equal(one.reached[: len(plain.selected)], plain.selected)
        np.testing.assert_array_equal(one.actions, plain.actions)
        np.testing.assert_array_equal(one.skip_indices, plain.skip_indices)
        again = replay(embedded(order), order.speed, one.actions.tolist(), agent.rules, Reward())
        np.testing.assert_array_equal(again.reached, one.reached)
        np.testing.assert_array_equal(again.rewards, one.rewards)
        assert again.average_skip == one.average_skip == plain.average_skip


@pytest.mark.parametrize(
    ("traits", "learning", "reward"),
    [
        (SAFFA, Learning(), Reward()),
        (SFF_RL, Learning(), Reward()),
        (SAFFA, Learning(gamma=1, normalise=True), Reward(centre=True)),
    ],
)
def test_one_video_per_update_equals_the_stepwise_reference(traits: Traits, learning: Learning, reward: Reward) -> None:
    fast, slow = (PolicyLearner(PublishedNetworks.seeded(traits, 1), learning) for _ in range(2))
    start, agent = weights(fast), fast.networks.agent()
    for order in orders(6):
        losses = fast.gradients(play(agent, [order], reward), 1)
        fast.step()
        want = stepwise.update(slow, order, reward)
        assert losses.policy == pytest.approx(want.policy, rel=1e-4, abs=1e-4)
        assert losses.critic == pytest.approx(want.critic, rel=1e-4, abs=1e-4)
        assert losses.entropy == pytest.approx(want.entropy, rel=1e-5)
    # The critic's weights have moved by up to 6e-3; they agree to a thousandth of that.
    assert np.abs(weights(fast) - start).max() > 4e-3
    np.testing.assert_allclose(weights(fast), weights(slow), atol=5e-6)


def test_parts_of_a_batch_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = PolicyLearner(PublishedNetworks.seeded(SAFFA, 1), Learning())
    episodes = play(learner.networks.agent(), orders(9), Reward())
    whole = learner.gradients(episodes, 9)
    want = [p.grad.clone() for p in learner.networks.parameters() if p.grad is not None]
    monkeypatch.setattr(reinforce, "PIECE", 100)
    pieces = learner.gradients(episodes, 9)
    assert pieces.policy == pytest.approx(whole.policy, rel=1e-5)
    for one, other in zip(want, learner.networks.parameters(), strict=True):
        assert other.grad is not None
        np.testing.assert_allclose(one, other.grad, rtol=1e-4, atol=1e-4)


def test_a_batch_is_the_mean_of_its_episodes() -> None:
    learner = PolicyLearner(PublishedNetworks.seeded(SAFFA, 1), Learning())
    episodes = play(learner.networks.agent(), orders(4), Reward())
    together = learner.gradients(episodes, 4)
    alone = [learner.gradients([e], 1) for e in episodes]
    assert together.policy == pytest.approx(np.mean([a.policy for a in alone]), rel=1e-5)
    assert together.critic == pytest.approx(np.mean([a.critic for a in alone]), rel=1e-5)


def test_entropy_is_a_bonus() -> None:
    learner = PolicyLearner(PublishedNetworks.seeded(SFF_RL, 1), Learning(entropy_beta=1e6))
    (episode,) = play(learner.networks.agent(), orders(4)[3:], Reward("0"))
    before = learner.gradients([episode], 1).entropy
    for _ in range(20):
        learner.gradients([episode], 1)
        learner.step()
    assert learner.gradients([episode], 1).entropy > before


def test_centred_rewards_are_zero_on_average() -> None:
    video = track(300, 16)
    paid = Reward(centre=True).on_the_way(video, np.arange(300))
    assert paid.mean() == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(np.diff(paid), np.diff(video.fit_at(np.arange(300))), atol=1e-6)


def test_standardised_advantages_of_each_episode() -> None:
    out = standardised(torch.tensor([1.0, 2.0, 6.0]))
    assert out.mean().item() == pytest.approx(0, abs=1e-6)
    assert out.std(unbiased=False).item() == pytest.approx(1)
    assert standardised(torch.tensor([5.0])).tolist() == [0]
    learner = PolicyLearner(PublishedNetworks.seeded(SAFFA, 1), Learning(normalise=True))
    episodes = play(learner.networks.agent(), orders(4), Reward())
    alone = [learner.gradients([e], 1).policy for e in episodes]
    assert learner.gradients(episodes, 4).policy == pytest.approx(np.mean(alone), rel=1e-4)


def test_returns() -> None:
    np.testing.assert_allclose(returns(np.array([1.0, 2.0, 4.0]), 0.5), [3, 4, 4])


def test_a_worker_without_episodes_adds_nothing() -> None:
    learner = PolicyLearner(PublishedNetworks.seeded(SAFFA, 1), Learning())
    losses = learner.gradients([], 1)
    assert (losses.policy, losses.critic) == (0, 0)
    assert all(p.grad is not None and not p.grad.any() for p in learner.networks.parameters())


@pytest.mark.parametrize("actions", [[1] * 3, [1] * 50])
def test_replay_must_fit_the_video(actions: list[int]) -> None:
    with pytest.raises(ValueError, match="end"):
        replay(track(100, 16), 12, actions, SAFFA.rules, Reward())


def test_the_numpy_agent_follows_the_weights() -> None:
    learner = PolicyLearner(PublishedNetworks.seeded(SAFFA, 1), Learning())
    agent = learner.networks.agent()
    before = agent.policy.weights[0].copy()
    learner.gradients(play(agent, orders(3), Reward()), 3)
    learner.step()
    assert not np.array_equal(before, agent.policy.weights[0])
    state = np.random.default_rng(0).standard_normal((5, 132)).astype(np.float32)
    np.testing.assert_allclose(agent.policy(state)[2], agent.policy(state[2]), atol=1e-5)


@pytest.mark.parametrize("name", ["lr", "critic_lr", "entropy_beta", "weight_decay"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_step_sizes_are_finite_numbers_from_0_up(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        Learning(**{name: value})  # type: ignore[arg-type]
