"""Mean reciprocal rank."""

from pathlib import Path

import numpy as np
import pytest

from saffa.research.training.vdan.ranking import cosine_scores, mean_reciprocal_rank
from tests.encoders.rule import golden


def test_reference(shared_data: Path) -> None:
    z = golden(shared_data, "mrr.npz")
    assert mean_reciprocal_rank(cosine_scores(z["X"], z["Y"])) == pytest.approx(float(z["mrr"]))


def test_ranks() -> None:
    scores = np.array([[3.0, 1, 2], [5, 4, 3], [2, 3, 1]])
    assert mean_reciprocal_rank(scores) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_a_constant_is_no_success() -> None:
    assert mean_reciprocal_rank(np.zeros((9, 9))) == pytest.approx(1 / 5)


def test_documents_encoded_per_query() -> None:
    random = np.random.default_rng(0)
    clips, documents = random.normal(size=(4, 6)), random.normal(size=(4, 6))
    once = cosine_scores(clips, documents)
    anew = cosine_scores(clips, np.broadcast_to(documents, (4, 4, 6)))
    np.testing.assert_allclose(once, anew)
    np.testing.assert_allclose(once, cosine_scores(5 * clips, documents))
