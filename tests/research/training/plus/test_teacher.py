import numpy as np
import pytest

from saffa.methods.dynamics import Dynamics
from saffa.methods.plus.memory import INPUTS
from saffa.methods.plus.moves import Curve, Network, rules_for, walk_curve
from saffa.research.training.plus.teacher import PRICES, hindsight, hindsight_losses, prices_for, probe

DYNAMICS = Dynamics()
RULES = rules_for(DYNAMICS)


def network(seed: int = 0) -> Network:
    random = np.random.default_rng(seed)
    shapes = ((INPUTS, 8), (8,), (8, 8), (8,), (8, 3), (3,))
    return Network(*(random.normal(size=shape).astype(np.float32) for shape in shapes))


def curve(frames: int = 900) -> Curve:
    times = np.arange(30) * frames / 900
    return Curve(times, 0.5 + 0.5 * np.sin(times / 3), times / times[-1], 6, frames, 30.0)


def best_by_hand(reward: np.ndarray, price: float, frame: int, velocity: int, acceleration: int) -> float:
    if frame >= len(reward) - 1:
        return 0.0
    ways = []
    for action in range(3):
        v, w = DYNAMICS.step(velocity, acceleration, action)
        reached = min(frame + v, len(reward) - 1)
        ways.append(reward[reached] - price + best_by_hand(reward, price, reached, v, w))
    return float(max(ways))


def test_hindsight_is_the_best_that_can_follow() -> None:
    reward = np.random.default_rng(1).normal(size=11).astype(np.float32)
    prices = prices_for(reward)
    frames, states = np.array([7, 3]), np.array([DYNAMICS.state(3, 2), DYNAMICS.state(2, 1)])
    values = hindsight(reward, prices, RULES, frames, states)
    assert values.shape == (2, PRICES, 3)
    for row, (frame, v, w) in enumerate([(7, 3, 2), (3, 2, 1)]):
        for k in (0, 5, PRICES - 1):
            for action in range(3):
                after = DYNAMICS.step(v, w, action)
                reached = min(frame + after[0], 10)
                by_hand = reward[reached] - prices[k] + best_by_hand(reward, prices[k], reached, *after)
                assert values[row, k, action] == pytest.approx(by_hand, abs=1e-4)


def test_losses_depend_on_the_frames_left() -> None:
    reward = np.zeros(600, np.float32)
    reward[60:120] = 1
    prices = prices_for(reward)
    frames, states = np.array([50, 50]), np.array([DYNAMICS.state(8, 1)] * 2)
    values = hindsight(reward, prices, RULES, frames, states)
    losses = hindsight_losses(values, prices, np.array([120, 23]))
    assert losses.max() <= 1e-6
    assert losses[0].argmax() == 2  # plenty of frames: slow down for the hill
    assert losses[0, 0] < losses[0, 2]


def test_a_probe_earns_what_the_walk_earns() -> None:
    """Trying the action that the agent takes anyway, for no step at all, is the walk itself."""
    seen, reward, wanted, start = curve(), np.random.default_rng(2).normal(size=900), 75, DYNAMICS.state(12, 1)
    scale = (0.5, 0.3)
    inputs, earned = probe(network(), RULES, seen, scale, reward, start, wanted, 1.0, 0.0, 0, 0)
    walk = walk_curve(network(), RULES, seen, scale, start, wanted, 0.0, 0)
    free = np.flatnonzero(walk.free)
    np.testing.assert_array_equal(inputs, walk.inputs[free])
    gains = reward[walk.selected[1:]]
    for row, step in enumerate(free.tolist()):
        tried = earned[row][earned[row] > -1e8]
        np.testing.assert_allclose(tried, gains[step:].sum(), rtol=1e-4, atol=1e-3)


def test_walks_keep_the_length() -> None:
    for stray in (0.0, 0.5):
        walk = walk_curve(network(3), RULES, curve(), (0.0, 0.0), DYNAMICS.state(9, 1), 100, stray, 4)
        assert len(walk.selected) == 100
        assert walk.selected[-1] == 899
