from itertools import product

import numpy as np
import pytest

from saffa.research.training.contrastive.shot_order import ShotOrder
from saffa.research.training.contrastive.shots import shot_means, shot_of_row, shot_starts


def by_hand(order: ShotOrder, similarity: np.ndarray) -> np.ndarray:
    """All ways to give each shot a sentence or none, in order; weights as the class describes them."""
    shots, sentences = similarity.shape
    total, shown = 0.0, np.zeros(similarity.shape)
    for way in product(range(-1, sentences), repeat=shots):
        told = [k for k in way if k >= 0]
        if told != sorted(told):
            continue
        runs = [k for m, k in enumerate(way) if k >= 0 and (m == 0 or way[m - 1] != k)]
        if len(runs) != len(set(runs)):  # a sentence that comes back after a pause
            continue
        log = sum(order.sharpness * (similarity[m, k] - order.threshold) for m, k in enumerate(way) if k >= 0)
        log += order.go_on * (len(told) - len(runs)) + order.leave_out * (sentences - len(runs))
        total += np.exp(log)
        for m, k in enumerate(way):
            if k >= 0:
                shown[m, k] += np.exp(log)
    return shown / total


@pytest.mark.parametrize(("shots", "sentences"), [(1, 1), (4, 2), (5, 3), (2, 3)])
def test_posterior_is_the_sum_over_all_ways(shots: int, sentences: int) -> None:
    similarity = np.random.default_rng(shots).uniform(-0.3, 0.6, (shots, sentences))
    np.testing.assert_allclose(ShotOrder().posterior(similarity), by_hand(ShotOrder(), similarity), atol=1e-12)


def test_order_helps_where_similarity_is_unsure() -> None:
    similarity = np.zeros((4, 2))
    similarity[1, 0], similarity[2, 1], similarity[0, 1] = 0.6, 0.5, 0.5  # sentence 2 fits shots 0 and 2
    posterior = ShotOrder().posterior(similarity)
    assert posterior[2, 1] > 3 * posterior[0, 1]


def test_no_evidence_prefers_no_place() -> None:
    shown = ShotOrder().posterior(np.full((12, 5), 0.1)).sum(1)
    assert shown.max() - shown.min() < 0.2
    np.testing.assert_allclose(shown, shown[::-1])


def test_shots() -> None:
    rows = np.repeat(np.eye(3), [2, 3, 1], axis=0)
    starts = shot_starts(rows)
    assert starts.tolist() == [0, 2, 5]
    shots = shot_of_row(starts, 6)
    assert shots.tolist() == [0, 0, 1, 1, 1, 2]
    means = shot_means(np.arange(6.0)[:, None], shots, np.array([1.0, 3, 1, 1, 1, 1]))
    assert means[:, 0].tolist() == [0.75, 3, 5]
    assert shot_starts(rows[:1]).tolist() == [0]
