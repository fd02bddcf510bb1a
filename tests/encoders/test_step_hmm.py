import numpy as np
import pytest

from saffa.encoders.step_hmm import StepHmm


def brute_force(chain: StepHmm, evidence: np.ndarray) -> np.ndarray:
    """Posterior by plain matrix products in float64, without any scaling tricks."""
    states = len(chain.shows)
    move = np.zeros((states, states))
    for i in range(states):
        move[i, i] = chain.stay[i]
        if i + 1 < states:
            move[i, i + 1] = (1 - chain.stay[i]) * (1 - chain.jump[i])
        if i + 2 < states:
            move[i, i + 2] = (1 - chain.stay[i]) * chain.jump[i]
    move = (1 - chain.wander) * move + chain.wander / states
    likely = np.array([[np.exp(row[k]) if k >= 0 else 1.0 for k in chain.shows] for row in evidence])
    start, end = np.full(states, 1e-9), np.full(states, 1e-9)
    start[0] = end[-1] = 1
    forward = [start * likely[0]]
    for row in likely[1:]:
        forward.append((forward[-1] @ move) * row)
    back = [end]
    for row in likely[:0:-1]:
        back.insert(0, move @ (row * back[0]))
    joint = np.array(forward) * np.array(back)
    joint /= joint.sum(1, keepdims=True)
    return np.stack([joint[:, chain.shows == k].sum(1) for k in range(evidence.shape[1])], 1)


@pytest.mark.parametrize("wander", [0.0, 0.03])
@pytest.mark.parametrize(("cells", "sentences"), [(12, 1), (30, 3), (60, 7)])
def test_posterior_equals_plain_matrix_products(cells: int, sentences: int, wander: float) -> None:
    rng = np.random.default_rng(cells)
    chain = StepHmm.over(cells, rng.integers(1, 15, sentences).astype(float), wander)
    evidence = rng.normal(0, 0.7, (cells, sentences)).astype(np.float32)
    np.testing.assert_allclose(chain.posterior(evidence), brute_force(chain, evidence), atol=2e-5)


def test_without_evidence_steps_come_in_order_and_in_the_middle() -> None:
    shown = StepHmm.over(200, np.ones(5)).posterior(np.zeros((200, 5), np.float32))
    peaks = shown.argmax(0)
    assert list(peaks) == sorted(peaks)
    assert shown.sum(1)[0] < 0.05
    assert shown.sum(1)[100] > 0.5
    assert shown.sum(1).max() <= 1 + 1e-4


def test_longer_sentences_get_more_time() -> None:
    shown = StepHmm.over(200, np.array([2.0, 20.0])).posterior(np.zeros((200, 2), np.float32))
    assert shown[:, 1].sum() > 5 * shown[:, 0].sum()


def test_overwhelming_evidence_stays_finite() -> None:
    evidence = np.zeros((100, 3), np.float32)
    evidence[10, 2] = evidence[90, 0] = 500.0  # against the order of the steps
    shown = StepHmm.over(100, np.ones(3)).posterior(evidence)
    assert np.isfinite(shown).all()


def test_a_wandering_chain_follows_steps_out_of_order() -> None:
    evidence = np.full((90, 3), -1.0, np.float32)
    for k, start in ((2, 10), (0, 40), (1, 70)):
        evidence[start : start + 15, k] = 2.0
    strict, soft = (StepHmm.over(90, np.ones(3), wander).posterior(evidence) for wander in (0.0, 0.01))
    assert [int(soft[start + 7].argmax()) for start in (10, 40, 70)] == [2, 0, 1]
    assert soft.sum(1)[evidence.max(1) > 0].mean() > strict.sum(1)[evidence.max(1) > 0].mean() + 0.2
