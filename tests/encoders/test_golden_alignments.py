"""What the encoders say about the sample: when that changes, kept alignments of older versions must not be used.

If a change of these numbers is meant, print the new ones (the test shows them) and raise `stored.RESULTS` by one; for
other pictures of a video also `frame_features.PICTURES`.
"""

from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.encoders import stored
from saffa.encoders.registry import load_encoder
from saffa.media.probe import probe
from saffa.media.subtitles.lines import find_narration
from saffa.sample import RECIPE, VIDEO
from saffa.storage.store import Store

GOLDEN = {
    "narrated": (
        [0.0, 0.827, 0.923, 0.931, 0.885, 0.0],
        [0.026, 0.477, 0.69, 0.485, 0.551, -0.003],
    ),
    "narrated-plain": (
        [0.005, 0.405, 0.849, 0.945, 0.72, 0.004],
        [0.026, 0.477, 0.696, 0.48, 0.568, -0.003],
    ),
    "narrated-live": (
        [0.005, 0.479, 0.965, 0.824, 0.743, 0.18],
        [-0.065, 0.337, 0.653, 0.51, 0.437, 0.112],
    ),
    "visual": (
        [0.18, 0.162, 0.158, 0.155, 0.159, 0.182],
        [0.196, 0.207, 0.194, 0.188, 0.177, 0.192],
    ),
    "fused": (
        [0.143, 0.7, 0.829, 0.82, 0.763, 0.149],
        [0.109, 0.342, 0.44, 0.335, 0.372, 0.094],
    ),
}
"""Relevance and e_d · e_v at six times from the first to the last."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("name", GOLDEN)
def test_alignments_of_the_sample(cache: Store, name: str) -> None:
    video = probe(VIDEO)
    found = load_encoder(name, cache=cache).encode(video, Document.from_file(RECIPE), find_narration(video))
    rows = np.linspace(0, len(found.times) - 1, 6).astype(int)
    told = (
        found.relevance[rows].round(3).tolist(),
        (found.e_d * found.e_v).sum(1)[rows].round(3).tolist(),
    )
    np.testing.assert_allclose(told, GOLDEN[name], atol=5e-3, err_msg=f"{name}: {told}")


def test_other_versions_are_other_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video, document = probe(VIDEO), Document(("Pour.",))

    def entry() -> str:
        return stored.StoredEncoder(load_encoder("narrated"), Store(tmp_path)).entry(video, document, None)

    before = entry()
    monkeypatch.setattr(stored, "RESULTS", stored.RESULTS + 1)
    assert entry() != before
