"""Properties of the networks that hold for any weights; nothing here needs the reference numbers."""

import numpy as np
import pytest
import torch

from saffa.core.errors import InputError
from saffa.encoders.vdan.dimensions import Dimensions, FirstState
from saffa.research.training.vdan.backbones import R2Plus1D34, ResNet50, mid_channels
from saffa.research.training.vdan.networks import BIAS, Vdan, VdanPlus
from tests.encoders.rule import vdan_dimensions
from tests.encoders.small import SMALL, small_encoder

VARIANTS: tuple[FirstState, ...] = ("clip", "zeros", "learned")


def documents(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Four documents: full, of one sentence, with sentences of one word, with padding."""
    random = np.random.default_rng(seed)
    lengths = torch.tensor([[5, 3, 2], [4, 0, 0], [1, 1, 5], [2, 5, 0]])
    ids = torch.from_numpy(random.integers(1, SMALL.vocabulary, (4, 3, 5)))
    return ids * (torch.arange(5) < lengths[..., None]), lengths


@pytest.mark.parametrize("h0", VARIANTS)
@pytest.mark.parametrize("kind", ["vdan_plus", "vdan"])
def test_shapes_norms_and_attention(h0: FirstState, kind: str) -> None:
    ids, lengths = documents()
    with torch.no_grad():
        out = small_encoder(h0, kind=kind)(torch.rand(4, SMALL.visual), ids, lengths)
    assert out.e_d.shape == out.e_v.shape == (4, SMALL.embedding)
    for e in (out.e_d, out.e_v):
        torch.testing.assert_close(e.norm(dim=1), torch.ones(4))
    assert out.text.sentences.shape == (4, 3, SMALL.sentence) and out.text.document.shape == (4, SMALL.document)
    torch.testing.assert_close(out.text.sentence_weights.sum(1), torch.ones(4))
    torch.testing.assert_close(out.text.word_weights.sum(2), (lengths > 0).float())
    assert bool((out.text.sentence_weights[lengths == 0] == 0).all())
    assert float(out.text.sentence_weights[1, 0]) == 1


@pytest.mark.parametrize("h0", VARIANTS)
def test_a_pair_does_not_depend_on_its_batch_or_on_padding(h0: FirstState) -> None:
    model, (ids, lengths), visual = small_encoder(h0), documents(), torch.rand(4, SMALL.visual)
    with torch.no_grad():
        together = model(visual, ids, lengths)
        for b in range(4):
            sentences, words = int((lengths[b] > 0).sum()), int(lengths[b].max())
            alone = model(visual[b : b + 1], ids[b : b + 1, :sentences, :words], lengths[b : b + 1, :sentences])
            torch.testing.assert_close(alone.e_d[0], together.e_d[b])
            torch.testing.assert_close(alone.e_v[0], together.e_v[b])
            torch.testing.assert_close(alone.text.sentence_weights[0], together.text.sentence_weights[b, :sentences])


def test_a_sentence_without_words_is_as_if_it_were_not_there() -> None:
    model, (ids, lengths), visual = small_encoder(), documents(), torch.rand(1, SMALL.visual)
    gap_ids, gap_lengths = ids[:1, [0, 0, 1, 2, 0]], torch.tensor([[0, 5, 3, 2, 0]])
    with torch.no_grad():
        plain, gaps = model(visual, ids[:1], lengths[:1]), model(visual, gap_ids, gap_lengths)
    torch.testing.assert_close(plain.e_d, gaps.e_d)
    torch.testing.assert_close(plain.text.sentence_weights[0], gaps.text.sentence_weights[0, [1, 2, 3]])
    assert gaps.text.sentence_weights[0, [0, 4]].tolist() == [0, 0]
    with pytest.raises(ValueError, match="at least one sentence"):
        model(visual, ids[:1], torch.zeros(1, 3, dtype=torch.long))


@pytest.mark.parametrize("h0", VARIANTS)
def test_only_h0_lets_the_clip_guide_the_reading(h0: FirstState) -> None:
    model, (ids, lengths) = small_encoder(h0), documents()
    with torch.no_grad():
        one, other = (model(torch.rand(4, SMALL.visual), ids, lengths) for _ in range(2))
    assert not torch.equal(one.e_v, other.e_v)
    assert torch.equal(one.e_d, other.e_d) == (h0 != "clip")
    torch.testing.assert_close(one.text.sentences, other.text.sentences, atol=0, rtol=0)


@pytest.mark.parametrize("h0", VARIANTS)
def test_cached_sentence_vectors_give_the_same(h0: FirstState) -> None:
    model, (ids, lengths), visual = small_encoder(h0), documents(), torch.rand(5, SMALL.visual)
    text = model.text_embedder.doc_embedder
    with torch.no_grad():
        vectors = text.sent_embedder(ids[0], lengths[0]).vectors  # once
        cached = text.document_level(vectors.expand(5, -1, -1), torch.full((5,), 3), visual)
        whole = model(visual, ids[:1].expand(5, -1, -1), lengths[:1].expand(5, -1))
    torch.testing.assert_close(model.text_head(cached.vectors), whole.e_d, atol=1e-6, rtol=0)
    torch.testing.assert_close(cached.weights, whole.text.sentence_weights, atol=1e-6, rtol=0)


def test_large_scores_do_not_overflow() -> None:
    model, (ids, lengths) = small_encoder(), documents()
    with torch.no_grad():
        model.text_embedder.doc_embedder.sentence_context_vector.weight.fill_(1e4)
        out = model(torch.rand(4, SMALL.visual), ids, lengths)
    assert bool(out.e_d.isfinite().all())


@pytest.mark.parametrize("h0", VARIANTS)
def test_what_learns(h0: FirstState) -> None:
    model, (ids, lengths) = small_encoder(h0).train(), documents()
    out = model(torch.rand(4, SMALL.visual), ids, lengths)
    loss = torch.nn.functional.cosine_embedding_loss(out.e_d, out.e_v, torch.tensor([1.0, -1, 1, -1]))
    torch.autograd.backward(loss)
    frozen = {k for k, p in model.named_parameters() if p.grad is None}
    assert frozen == {"text_embedder.doc_embedder.sent_embedder.word_embedding_layer.weight"}
    assert ("text_embedder.doc_embedder.h0" in dict(model.named_parameters())) == (h0 == "learned")


def test_initial_weights() -> None:
    torch.manual_seed(0)
    plus = VdanPlus(Dimensions(9), backbone=False)
    assert plus.visual_head.fc1.bias.tolist() == pytest.approx([BIAS] * 512)
    assert float(plus.visual_head.fc1.weight.detach().abs().max()) <= (6 / 1024) ** 0.5
    old = Vdan(SMALL, backbone=False)
    assert len(set(old.visual_head.fc1.bias.tolist())) > 1


def test_dimensions() -> None:
    shapes = {k: tuple(v.shape) for k, v in small_encoder("learned").state_dict().items()}
    assert Dimensions.of_shapes(shapes).h0 == "learned"
    assert Dimensions.from_json(SMALL.to_json()) == SMALL
    assert vdan_dimensions(5).document == 4096
    with pytest.raises(ValueError, match="h0"):
        Dimensions(5, visual=100)
    with pytest.raises(InputError):
        Dimensions.of_shapes({"vid_fc1.weight": (3, 4)})
    with pytest.raises(InputError):
        Dimensions.from_json({"vocabulary": 5, "colour": 3})


def test_backbones_take_any_size() -> None:
    assert [mid_channels(64, 64), mid_channels(64, 128), mid_channels(256, 512)] == [144, 230, 921]
    with torch.device("meta"):
        assert R2Plus1D34()(torch.zeros(2, 3, 1, 16, 16)).shape == (2, 512)
        assert R2Plus1D34()(torch.zeros(1, 3, 33, 50, 60)).shape == (1, 512)
        assert ResNet50()(torch.zeros(2, 3, 64, 64)).shape == (2, 2048)


def test_training_leaves_the_backbone_alone() -> None:
    with torch.device("meta"):
        model = VdanPlus(Dimensions(9))
    assert model.backbone is not None
    model.train()
    assert model.training and not model.backbone.training and model.visual_head.bnorm.training
    assert not any(p.requires_grad for p in model.backbone.parameters())
    with pytest.raises(ValueError, match="without a backbone"):
        small_encoder().features(torch.zeros(1))
