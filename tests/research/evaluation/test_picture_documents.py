from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.research.evaluation.picture_documents import (
    evaluate_documents,
    reciprocal_rank,
    score_documents,
)
from tests.research.training.image_text_data import write_made_sets


def knows_all(documents: Ints, pictures: Ints) -> tuple[Floats, Floats]:
    """Whether a picture's sentence is in the document, and all the weight on it."""
    own = (documents[:, None] == pictures[:, :, None]).astype(np.float32)
    return own.max(2), own


def knows_nothing(documents: Ints, pictures: Ints) -> tuple[Floats, Floats]:
    size = documents.shape[1]
    return np.zeros(pictures.shape, np.float32), np.full((*pictures.shape, size), 1 / size, np.float32)


def test_a_perfect_reader_has_ones_and_halves() -> None:
    scores = score_documents(knows_all, pictures=2000, sentences=4)
    assert (scores.auc, scores.attention, scores.top) == (1, 1, 1)
    assert scores.wrong_auc == pytest.approx(0.5, abs=0.01)
    assert scores.own == (1, 0)
    assert scores.other == (0, 0)
    assert reciprocal_rank(knows_all, 100) == 1


def test_a_reader_that_knows_nothing_is_at_chance() -> None:
    scores = score_documents(knows_nothing, pictures=30, sentences=8)
    assert (scores.auc, scores.wrong_auc, scores.document_auc, scores.attention) == (0.5, 0.5, 0.5, 0.125)
    assert reciprocal_rank(knows_nothing, 40) == pytest.approx(2 / 21)


def test_few_pictures_make_short_documents() -> None:
    assert score_documents(knows_all, pictures=5, sentences=4).sentences == 2


def test_encoders_without_pictures_are_refused(tmp_path: Path) -> None:
    write_made_sets(tmp_path, size=24)
    with pytest.raises(InputError, match="picture-documents compares visual, vdan and what"):
        evaluate_documents(tmp_path, "narrated")
