"""VDAN+ and VDAN against the numbers of the reference code."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.training.vdan.backbones import R2Plus1D34, from_ig65m
from saffa.research.training.vdan.networks import Vdan, VdanPlus
from tests.encoders.rule import (
    fill,
    golden,
    ig65m_name,
    rule_clip,
    rule_encoder,
    rule_features,
    rule_picture,
    rule_tensor,
    vdan_dimensions,
    vocabulary_of,
)

CLOSE = 1e-5
# A batch norm takes the mean away, and with it any bias of the layer before it: the gradient of such a bias is 0 in
# exact arithmetic. What a computer gives instead is rounding, of another size and sign on every kind of CPU.
ZERO_GRADIENTS = {"vid_fc2.bias": "vid_fc2.weight", "text_fc2.bias": "text_fc2.weight"}
WORDS = "text_embedder.doc_embedder.sent_embedder.word_embedding_layer.weight"


def shapes(model: nn.Module) -> dict[str, list[int]]:
    return {k: list(v.shape) for k, v in model.state_dict().items()}


def test_state_dict_keys_are_the_published_ones(shared_data: Path) -> None:
    keys = json.loads((shared_data / "golden/state_dict_keys.json").read_text())["keys"]
    with torch.device("meta"):
        assert shapes(VdanPlus(Dimensions(400_002))) == keys["vdan_plus"]
        assert shapes(Vdan(vdan_dimensions(400_002))) == keys["vdan"]
        backbone = shapes(R2Plus1D34())
    published = keys["ig65m_r2plus1d_34_32"]
    assert from_ig65m(published) == backbone
    assert {ig65m_name(k) for k in backbone} == {k for k in published if not k.startswith("fc.")}
    assert Dimensions.of_shapes(keys["vdan_plus"]) == Dimensions(400_002)
    assert Dimensions.of_shapes(keys["vdan"]) == vdan_dimensions(400_002)


def test_weight_rule(shared_data: Path) -> None:
    check = json.loads((shared_data / "golden/rule_weights_check.json").read_text())
    vocabulary = check["tensors"][WORDS]["shape"][0]
    state = rule_encoder("vdan_plus", vocabulary, check["seed_offset"]).state_dict()
    for key, wanted in check["tensors"].items():
        got = state[key].numpy()
        assert got.reshape(-1)[:3].tolist() == pytest.approx(wanted["first"], abs=1e-7), key
        assert float(got.sum(dtype=np.float64)) == pytest.approx(wanted["sum"], abs=1e-6), key


@pytest.mark.parametrize(("kind", "file"), [("vdan_plus", "rule_text_io.npz"), ("vdan", "rule_vdan_io.npz")])
def test_text_and_heads(shared_data: Path, kind: str, file: str) -> None:
    z = golden(shared_data, file)
    model = rule_encoder(kind, len(vocabulary_of(z)), int(z["seed_offset"]))
    visual = rule_features(4, z["visual_feats"].shape[1], float(z["phase"]))
    np.testing.assert_allclose(visual, z["visual_feats"], atol=1e-6)
    with torch.no_grad():
        out = model(visual, torch.from_numpy(z["documents"]), torch.from_numpy(z["words_per_sentence"]))
    side = "vid" if kind == "vdan_plus" else "img"
    for got, name in [
        (out.text.word_weights, "word_alphas"),
        (out.text.sentence_weights, "sentence_alphas"),
        (out.text.sentences, "sentence_vectors"),
        (out.text.document, "doc_vec"),
        (out.e_d, "text_embedding"),
        (out.e_v, f"{side}_embedding_from_visual_feats"),
    ]:
        np.testing.assert_allclose(got, z[name], atol=CLOSE, rtol=0, err_msg=name)


@pytest.mark.parametrize("frames", [8, 32])
def test_backbone(shared_data: Path, frames: int) -> None:
    z = golden(shared_data, "rule_clip_io.npz")
    text = golden(shared_data, "rule_text_io.npz")
    model = rule_encoder("vdan_plus", len(vocabulary_of(z)), int(z["seed_offset"]))
    assert isinstance(model, VdanPlus) and isinstance(model.backbone, R2Plus1D34)
    x = rule_clip(frames, float(z["phase"]))
    with torch.no_grad():
        for i, stage in enumerate(list(model.backbone.resnet)[:5]):
            x = stage(x)
            at = f"T{frames}_stage{i}_"
            assert list(x.shape[1:]) == z[at + "shape"].tolist()
            assert float(x.mean()) == pytest.approx(float(z[at + "mean"]), rel=1e-4)
            assert float(x.std(correction=0)) == pytest.approx(float(z[at + "std"]), rel=1e-4)
            np.testing.assert_allclose(x[0, :8, -1, :4, :4], z[at + "slice"], rtol=1e-4, atol=1e-4)
        features = x.mean((2, 3, 4))
        wanted = z[f"T{frames}_visual_feats"]
        assert np.abs(features[0].numpy() - wanted).max() <= 1e-4 * np.abs(wanted).max()
        weight, bias = (torch.from_numpy(rule_tensor(*spec)) for spec in FC)
        np.testing.assert_allclose(features[0] @ weight.T + bias, z[f"T{frames}_fc_logits"], rtol=1e-4, atol=1e-4)
        row = [int(z["document_index"])]
        out = model(
            features, torch.from_numpy(text["documents"][row]), torch.from_numpy(text["words_per_sentence"][row])
        )
    np.testing.assert_allclose(out.e_v[0], z[f"T{frames}_vid_embedding"], atol=CLOSE, rtol=0)
    np.testing.assert_allclose(out.e_d[0], z[f"T{frames}_text_embedding"], atol=CLOSE, rtol=0)
    np.testing.assert_allclose(out.text.sentence_weights[0], z[f"T{frames}_sentence_alphas"], atol=CLOSE, rtol=0)


FC = (("fc.weight", (359, 512)), ("fc.bias", (359,)))


def test_picture_encoder(shared_data: Path) -> None:
    z = golden(shared_data, "rule_vdan_io.npz")
    model = rule_encoder("vdan", len(vocabulary_of(z)), int(z["seed_offset"]))
    row = [int(z["document_index"])]
    with torch.no_grad():
        features = model.features(rule_picture(float(z["phase"])))
        out = model(features, torch.from_numpy(z["documents"][row]), torch.from_numpy(z["words_per_sentence"][row]))
    scale = np.abs(z["image_feats"]).max()
    assert np.abs(features[0].numpy() - z["image_feats"]).max() <= 1e-4 * scale
    np.testing.assert_allclose(out.e_v[0], z["image_embedding"], atol=CLOSE, rtol=0)
    np.testing.assert_allclose(out.e_d[0], z["image_text_embedding"], atol=CLOSE, rtol=0)
    np.testing.assert_allclose(out.text.sentence_weights[0], z["image_sentence_alphas"], atol=CLOSE, rtol=0)


def test_one_training_step(shared_data: Path) -> None:
    z = golden(shared_data, "rule_train_step_encoder.npz")
    text = golden(shared_data, "rule_text_io.npz")
    model = VdanPlus(Dimensions(len(vocabulary_of(z))), backbone=False)
    fill(model, int(z["seed_offset"]))
    model.train()
    optimiser = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-5)
    visual = rule_features(4, 512, float(z["phase"]))
    out = model(visual, torch.from_numpy(text["documents"]), torch.from_numpy(text["words_per_sentence"]))
    loss = nn.functional.cosine_embedding_loss(out.e_d, out.e_v, torch.from_numpy(z["labels"]), margin=0.0)
    assert float(loss.detach()) == pytest.approx(float(z["loss"]), abs=1e-6)
    np.testing.assert_allclose(out.e_v.detach(), z["vid_embedding"], atol=CLOSE, rtol=0)
    np.testing.assert_allclose(out.e_d.detach(), z["text_embedding"], atol=CLOSE, rtol=0)
    torch.autograd.backward(loss)

    parameters = {k: p for k, p in model.named_parameters() if p.requires_grad}
    assert {k.split("/", 1)[1] for k in z if k.startswith("grad/")} == set(parameters)
    for key, p in parameters.items():
        assert p.grad is not None
        norm = float(z[f"gradnorm/{key}"])
        if key in ZERO_GRADIENTS:
            scale = float(z[f"gradnorm/{ZERO_GRADIENTS[key]}"])
            assert max(norm, float(p.grad.norm())) < 1e-6 * scale, key
            continue
        assert float(p.grad.norm()) == pytest.approx(norm, rel=1e-4), key
        wanted = z[f"grad/{key}"]
        np.testing.assert_allclose(_part(p.grad, wanted), wanted, atol=1e-4 * norm, rtol=0, err_msg=key)

    before = {k: p.detach().clone() for k, p in parameters.items()}
    optimiser.step()
    for key in [k.split("/", 1)[1] for k in z if k.startswith("step/")]:
        change = (parameters[key].detach() - before[key]).reshape(before[key].shape[0], -1)[:4, :32]
        gradient = z[f"grad/{key}"]
        gradient = gradient.reshape(len(gradient), -1)[:4, :32]
        # Adam's first step is the sign of the gradient, however small that is. It is sure beyond the tolerance above,
        # and where a unit that is off (ReLU) gives an exact 0.
        sure = (np.abs(gradient) > 1e-4 * float(z[f"gradnorm/{key}"])) | (gradient == 0)
        assert sure.mean() > 0.8, key
        # float32 weights near 1 are 6e-8 apart: a step of 1e-5 cannot be seen more finely
        np.testing.assert_allclose(change[sure], z[f"step/{key}"][sure], atol=2e-7, rtol=0, err_msg=key)
    state = model.state_dict()
    for key in [k.split("/", 1)[1] for k in z if k.startswith("after/")]:
        np.testing.assert_allclose(state[key], z[f"after/{key}"], atol=1e-6, rtol=1e-6, err_msg=key)


def _part(gradient: torch.Tensor, wanted: NDArray[np.float32]) -> torch.Tensor:
    """What was kept of a gradient: all of a small one, the first corner of a large one."""
    return (gradient if gradient.numel() <= 2048 else gradient.flatten(1)[:4, :32]).reshape(wanted.shape)
