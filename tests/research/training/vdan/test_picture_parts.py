"""The parts of VDAN's training on pictures: shared reading, documents, losses, the maps of the cooking domain."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from saffa.encoders.vdan.dimensions import Dimensions, FirstState
from saffa.research.training.vdan.block_documents import DocumentShape, block_documents, paired_documents
from saffa.research.training.vdan.networks import DocumentEncoder
from saffa.research.training.vdan.objective import Objective, attention_loss, cosine
from saffa.research.training.vdan.shared_reading import read_pairs
from saffa.research.training.vdan.space_fit import aligned
from saffa.research.training.visual.cooking import CookingSettings, fit_cooking

DIMS = Dimensions(
    vocabulary=9,
    word=5,
    word_hidden=3,
    word_attention=4,
    sentence_hidden=4,
    sentence_attention=6,
    visual=7,
    projection=8,
    embedding=6,
    h0="mapped",
)


@pytest.mark.parametrize("h0", ["mapped", "clip", "zeros", "learned"])
def test_shared_reading_equals_reading_each_pair_by_itself(h0: FirstState) -> None:
    torch.manual_seed(1)
    net = DocumentEncoder(replace(DIMS, h0=h0, visual=4 if h0 == "clip" else 7))
    if h0 == "learned":
        net.h0.data.normal_()
    sentences, phi = torch.randn(10, 6), torch.randn(5, 4 if h0 == "clip" else 7)
    documents = torch.tensor([[0, 3, 9], [4, 4, 1], [2, 7, 5]])
    document, picture = torch.tensor([0, 0, 1, 2, 2]), torch.tensor([1, 4, 0, 2, 3])
    shared = read_pairs(net, sentences, documents, phi, (document, picture))
    alone = net.document_level(sentences[documents[document]], torch.full((5,), 3), phi[picture])
    torch.testing.assert_close(shared.vectors, alone.vectors)
    torch.testing.assert_close(shared.weights, alone.weights)


def test_block_documents_hold_whole_pictures_of_one_block() -> None:
    made = block_documents(12, DocumentShape(pictures=2, captions=3, block=6, documents=4), np.random.default_rng(0))
    assert made.sentences.shape == made.sources.shape == (8, 6)
    assert (made.sources == made.sentences // 3).all()
    for document, sources in enumerate(made.sources):
        pictures, counts = np.unique(sources, return_counts=True)
        assert counts.tolist() == [3, 3]
        shown = made.picture[made.document == document]
        assert shown.tolist() == [6 * (document // 4) + i for i in range(6)]
        assert set(pictures) <= set(shown)
    assert made.own.any(1).mean() == pytest.approx(2 / 6)


def test_paired_documents_are_those_of_the_paper() -> None:
    made = paired_documents(8, DocumentShape(pictures=2, captions=2, block=8, documents=8), np.random.default_rng(0))
    right = made.own.any(1)
    assert right.tolist() == [True] * 8 + [False] * 8
    assert (made.own[:8].sum(1) == 2).all()


def test_a_small_set_makes_small_blocks() -> None:
    shape = DocumentShape(pictures=16, captions=1, block=32, documents=8).within(6)
    assert (shape.block, shape.pictures) == (6, 5)


def test_the_paper_s_loss_by_hand() -> None:
    e_v, e_d = torch.tensor([[1.0, 0], [1.0, 0]]), torch.tensor([[0.6, 0.8], [0.6, 0.8]])
    own = torch.tensor([[True, False], [False, False]])
    assert cosine(e_v, e_d, own).item() == pytest.approx((0.4 + 0.6) / 2)


def test_attention_loss_by_hand() -> None:
    weights = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
    own = torch.tensor([[True, False], [False, False]])
    assert attention_loss(weights, own, own.any(1)).item() == pytest.approx(np.log(4))


def test_contrastive_loss_falls_when_the_right_pairs_stand_out() -> None:
    objective = Objective(sentence=6, embedding=6)
    own = torch.eye(4, dtype=torch.bool).reshape(16, 1)
    weights = torch.ones(16, 1)
    flat = objective.contrastive(torch.zeros(16), own, weights, (1, 4, 4))
    good = objective.contrastive(torch.eye(4).reshape(16), own, weights, (1, 4, 4))
    assert flat.item() == pytest.approx(np.log(4), rel=1e-5)
    assert good.item() < 0.01


def test_maps_of_a_fold_come_into_the_coordinates_of_the_whole() -> None:
    random = np.random.default_rng(3)
    text = random.normal(size=(60, 8)).astype(np.float32)
    images = (text @ random.normal(size=(8, 12)) + 0.1 * random.normal(size=(60, 12))).astype(np.float32)[None]
    settings = CookingSettings(rank=6)
    picture, sentence = fit_cooking(images, text, settings)
    np.testing.assert_allclose(aligned(picture, sentence, sentence).map, picture.map, atol=1e-4)
    part = aligned(*fit_cooking(images[:, :50], text[:50], settings), sentence)
    one, other = ((images[0] - side.mean) / side.scale @ side.map for side in (picture, part))
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.95
