from pathlib import Path

import numpy as np
import pytest

from saffa.research.datasets.image_text import COOKING, load
from saffa.research.datasets.picture_rows import SECONDS, picture_row
from tests.research.training.image_text_data import write_made_sets


@pytest.mark.parametrize("name", ["coco", COOKING])
def test_half_of_the_pictures_have_a_sentence(tmp_path: Path, name: str) -> None:
    write_made_sets(tmp_path)
    pictures = load(tmp_path, name)
    for seed in range(5):
        row = picture_row(pictures, np.random.default_rng(seed))
        assert len(row.features) == len(row.shown)
        steps = set(row.shown[row.shown >= 0].tolist())
        assert steps == set(range(len(row.document)))
        changes = np.flatnonzero(np.diff(row.shown)) + 1
        assert np.diff(changes).min(initial=99) >= SECONDS[0]
        first = [int(np.argmax(row.shown == k)) for k in sorted(steps)]
        assert first == sorted(first)  # in the order of the text


def test_shuffled_sentences_stay_with_their_pictures(tmp_path: Path) -> None:
    write_made_sets(tmp_path)
    pictures = load(tmp_path, "coco")
    plain = picture_row(pictures, np.random.default_rng(3))
    moved = picture_row(pictures, np.random.default_rng(3), shuffled=True)
    assert set(plain.document.sentences) == set(moved.document.sentences)
    assert plain.document.sentences != moved.document.sentences
    for before, after in zip(plain.shown, moved.shown, strict=True):
        if before >= 0:
            assert plain.document.sentences[before] == moved.document.sentences[after]
        else:
            assert after == -1
