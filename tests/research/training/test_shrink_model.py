"""Packed encoders: a quarter of the size, the same answers; the shipped ones are whole."""

from pathlib import Path

import numpy as np
import pytest

from saffa.encoders.registry import open_model
from saffa.encoders.vdan.encoder import given_features
from saffa.encoders.vdan.onnx_encoder import OnnxEncoder
from saffa.research.training.shrink_model import pack
from saffa.storage.models import ModelFolder, shipped
from tests.encoders.small import SMALL, small_folder
from tests.encoders.vdan.test_given_features import video


def test_packed_answers_are_the_same(tmp_path: Path) -> None:
    folder = small_folder(tmp_path, backbone=False)
    packed = pack(folder, tmp_path / "packed", {"licence": "MIT"})
    packed.verify()
    assert packed.facts["licence"] == "MIT"
    assert packed.facts["notes"] == folder.facts["notes"]
    features = np.random.default_rng(0).normal(size=(3, SMALL.visual)).astype(np.float32)
    full, half = (
        one.pair(one.read(["add the salt", "boil water"]), features)
        for one in (OnnxEncoder(folder), OnnxEncoder(packed))
    )
    np.testing.assert_allclose(half.e_d, full.e_d, atol=2e-3)
    np.testing.assert_allclose(half.relevance, full.relevance, atol=2e-3)
    np.testing.assert_allclose(half.sentence_weights, full.sentence_weights, atol=2e-3)


@pytest.mark.parametrize(("name", "views"), [("vdan-plus-msvd", None), ("vdan-msvd", "one")])
def test_shipped_encoders_are_whole_and_small(name: str, views: str | None) -> None:
    folder = ModelFolder.open(shipped(name))
    folder.verify()
    assert sum(file.stat().st_size for file in folder.path.iterdir()) < 25e6
    assert folder.facts["notes"]["model_params"].get("views") == views  # a still, or the mean of a clip
    assert {"data", "command", "seed", "date", "quality", "licence"} <= set(folder.facts)
    encoder = open_model(name)
    assert encoder.name == name


def test_a_still_and_a_clip_see_different_things() -> None:
    clip, still = (given_features(video(), ModelFolder.open(shipped(n)), 7) for n in ("vdan-plus-msvd", "vdan-msvd"))
    np.testing.assert_array_equal(clip.at, still.at)
    assert np.abs(clip.features - still.features).max() > 0.1
