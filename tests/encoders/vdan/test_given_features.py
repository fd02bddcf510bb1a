"""VDAN+ on videos that are given by features."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.core.types import Floats
from saffa.encoders.registry import open_model
from saffa.encoders.vdan.encoder import GIVEN_CLIP, given_features
from saffa.research.datasets.base import FeatureVideo
from saffa.storage.models import MANIFEST, ModelFolder
from tests.encoders.small import SMALL, small_folder

FRAMES = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return small_folder(tmp_path_factory.mktemp("given"), backbone=False)


def video() -> FeatureVideo:
    features = np.random.default_rng(0).normal(size=(20, SMALL.visual)).astype(np.float32)
    document = Document(("add the salt", "boil water"))
    return FeatureVideo("v", FRAMES, Fraction(30), document, None, (), features, np.arange(FRAMES) // 5)


def at_frames() -> Floats:
    return video().features[video().row_of_frame]


def test_a_clip_is_the_mean_of_its_frames(folder: ModelFolder) -> None:
    rows = at_frames()
    seen = given_features(video(), folder, 8)
    assert seen.at.tolist() == list(range(0, FRAMES, 8))
    for f, features in zip(seen.at, seen.features, strict=True):
        np.testing.assert_allclose(features, rows[f : f + GIVEN_CLIP].mean(0), atol=1e-6)


def test_a_still_is_its_own_feature(folder: ModelFolder, tmp_path: Path) -> None:
    copy = tmp_path / "still"
    copy.mkdir()
    for file in folder.path.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    facts = json.loads((copy / MANIFEST).read_text())
    facts["notes"]["model_params"]["views"] = "one"
    (copy / MANIFEST).write_text(json.dumps(facts))
    seen = given_features(video(), ModelFolder.open(copy), 7)
    np.testing.assert_allclose(seen.features, at_frames()[::7], atol=1e-6)


def test_encodes_without_a_backbone(folder: ModelFolder) -> None:
    encoder = open_model(folder.path, stride=10)
    found = encoder.encode(video(), video().document, None)
    assert found.relevance.shape == (10,)
    np.testing.assert_allclose(found.sentence_weights.sum(1), 1, atol=1e-5)
    assert found.relevance_per_frame().shape == (FRAMES,)
