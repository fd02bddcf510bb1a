from pathlib import Path

import numpy as np

from saffa.agent.plus import INPUTS, PlusAgent, walk
from saffa.agent.plus_training import SPEEDS, all_lessons, fit, lessons_of, mean_of, prior_of, train
from saffa.agent.policy import Mlp
from tests.samplers.test_saffa_plus import hills


def test_lessons_have_prices_that_fall_with_the_slow_time() -> None:
    lessons = lessons_of(hills(60), None)
    assert lessons.inputs.shape[1] + 2 == INPUTS
    assert lessons.prices.shape == (len(lessons.inputs), len(SPEEDS))
    assert np.all(np.diff(lessons.prices, axis=1) >= -1e-5)  # faster: fewer slow seconds, a higher price


def test_the_same_seed_gives_the_same_weights() -> None:
    videos = [hills(60)]
    pools = all_lessons([videos], [prior_of(videos)], 0)
    one, two = fit(pools, 3, 20), fit(pools, 3, 20)
    assert all(np.array_equal(one[key], two[key]) for key in one)


def test_a_trained_folder_can_be_used(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    hills(40).save(data / "a.npz")
    train([data], tmp_path / "out", steps=20)
    agent = PlusAgent.load(tmp_path / "out")
    assert set(agent.priors) == {"toy"}
    assert len(walk(agent, lambda t: t % 5, 1000, 25.0, 10, "toy")) == 100


def test_one_network_gives_the_mean_of_several() -> None:
    videos = [hills(60)]
    pools = all_lessons([videos], [prior_of(videos)], 0)
    members = [fit(pools, seed, 5) for seed in range(3)]
    states = np.random.default_rng(0).normal(size=(7, INPUTS)).astype(np.float32)
    alone = [Mlp.of_tensors(member, "price")(states) for member in members]
    np.testing.assert_allclose(Mlp.of_tensors(mean_of(members), "price")(states), np.mean(alone, 0), atol=1e-5)
