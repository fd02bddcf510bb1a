"""The visual model at work: shapes, unit length, independence of what stands beside, and clear refusals."""

import json
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.encoders.visual.encoder import VisualEncoder
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.shared_space import attend
from saffa.storage.models import SCHEMA, shipped

SENTENCES = ["chop the onion", "a dog runs over the grass", "", "12 !", "qxzzv"]


@pytest.fixture(scope="module")
def model() -> VisualModel:
    return VisualModel.load()


@pytest.fixture(scope="module")
def features() -> np.ndarray:
    return np.abs(np.random.default_rng(0).normal(0.25, 0.3, (7, 1280))).astype(np.float32)


def test_shapes_and_unit_length(model: VisualModel, features: np.ndarray) -> None:
    e_v, e_t = model.embed_images(features), model.embed_sentences(SENTENCES)
    assert (e_v.shape, e_t.shape) == ((7, model.dimensions), (5, model.dimensions))
    assert e_v.dtype == e_t.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(e_v, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(e_t, axis=1), 1, atol=1e-5)
    assert np.isfinite(e_t).all()


def test_each_item_is_embedded_alone(model: VisualModel, features: np.ndarray) -> None:
    np.testing.assert_allclose(model.embed_images(features)[3:4], model.embed_images(features[3:4]), atol=1e-5)
    np.testing.assert_allclose(model.embed_sentences(SENTENCES)[1:2], model.embed_sentences(SENTENCES[1:2]), atol=1e-5)
    np.testing.assert_array_equal(model.embed_images(features), model.embed_images(features))


def test_nothing_in_nothing_out(model: VisualModel) -> None:
    assert model.embed_images(np.zeros((0, 1280), np.float32)).shape == (0, model.dimensions)
    assert model.embed_sentences([]).shape == (0, model.dimensions)
    assert np.isfinite(model.embed_images(np.zeros((1, 1280), np.float32))).all()


def test_the_gate_knows_cooking_sentences(model: VisualModel) -> None:
    texts = ["fry the chopped onion in the pan", "add salt and pepper", "a man rides a bicycle", "two dogs on a beach"]
    shares = model.sentences.gate(model.means(texts))
    assert shares[:2].min() > 2 * shares[2:].max()


def test_attention_follows_the_picture(model: VisualModel, features: np.ndarray) -> None:
    e_t = model.embed_sentences(SENTENCES[:2])
    seen = attend(np.concatenate([e_t, model.embed_images(features)]), e_t, model.sharpness)
    assert seen.documents.shape == (9, model.dimensions)
    np.testing.assert_allclose(np.linalg.norm(seen.documents, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(seen.weights.sum(1), 1, atol=1e-5)
    assert seen.weights[0].argmax() == 0
    assert seen.weights[1].argmax() == 1
    even = attend(e_t, e_t, sharpness=0)
    np.testing.assert_allclose(even.weights, 0.5)


def test_wrong_features_are_refused(model: VisualModel) -> None:
    with pytest.raises(InputError, match="1280"):
        model.embed_images(np.zeros((3, 512), np.float32))


def test_folders_that_are_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not an imported model"):
        VisualModel.load(tmp_path)
    for file in ("vocabulary.json", "weights.safetensors"):
        (tmp_path / file).symlink_to(shipped("visual") / file)
    facts = {"schema": SCHEMA, "files": {}}
    (tmp_path / "model.json").write_text(json.dumps({**facts, "kind": "agent"}))
    with pytest.raises(InputError, match="holds a agent"):
        VisualModel.load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps({**facts, "kind": "visual"}))
    (tmp_path / "weights.safetensors").unlink()
    (tmp_path / "weights.safetensors").write_bytes(b"damaged")
    with pytest.raises(InputError, match="is not readable"):
        VisualModel.load(tmp_path)


def test_the_general_space_is_centred_as_far_as_it_is_cooking(model: VisualModel) -> None:
    texts = ["fry the chopped onion in the pan", "a man rides a bicycle"]
    side, means = model.sentences, model.means(texts)
    width = side.general(means).shape[1]
    shares = np.square(model.embed_sentences(texts)[:, :width]).sum(1)
    parts = model.embed_sentences(texts)[:, :width] / np.sqrt(shares)[:, None]
    plain, centre = side.general(means), side.arrays["general.centre"]
    centred = (plain - centre) / np.linalg.norm(plain - centre, axis=1, keepdims=True)
    assert parts[0] @ centred[0] > 0.99
    assert parts[1] @ plain[1] > 0.99
    least, most = side.arrays["gate.range"]
    assert shares == pytest.approx([1 - most, 1 - least], abs=0.02)


def test_within_a_video_a_kitchen_still_looks_like_one(model: VisualModel) -> None:
    """Centring leaves what differs between kitchens; beside other scenes a kitchen must be known as such."""
    cooking, other = ["chop the onions on the board", "fry the onions in the pan"], ["a dog runs on the beach"]
    plain, centred = (m.embed_sentences([*cooking, *other]) for m in (model.uncentred(), model))
    assert plain[0] @ plain[1] > centred[0] @ centred[1]
    np.testing.assert_allclose(np.linalg.norm(plain, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(VisualEncoder().model.embed_sentences(cooking), plain[:2], atol=1e-5)
