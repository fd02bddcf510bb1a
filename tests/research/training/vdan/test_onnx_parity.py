"""The exported graphs compute what the PyTorch modules compute (≤ 1e-4, in truth about 1e-6)."""

from pathlib import Path

import numpy as np
import pytest
import torch

from saffa.core.errors import InputError, SaffaError
from saffa.encoders.vdan.clips import CLIP
from saffa.encoders.vdan.dimensions import FirstState
from saffa.encoders.vdan.onnx_encoder import OnnxEncoder
from saffa.research.training.vdan.backbones import R2Plus1D34, ResNet50
from saffa.research.training.vdan.onnx_export import export_backbone, export_document, export_sentences
from saffa.storage.models import DOCUMENT, SENTENCE, ModelFolder, open_session
from tests.encoders.rule import fill, golden, rule_clip, rule_encoder, rule_features, vocabulary_of
from tests.encoders.small import small_folder

CLOSE = 1e-4
TEXTS = [
    ["Add the salt.", "stir", "boil " * 40, "zebra crossing, oil"],
    ["pan"],
    ["", "boil the water .", "  ", "add oil"],
]


def in_torch(folder: ModelFolder, text: list[str], visual: np.ndarray) -> tuple[torch.Tensor, ...]:
    from saffa.research.training.vdan.importing import build_encoder  # noqa: PLC0415
    from saffa.storage.checkpoints import read_checkpoint  # noqa: PLC0415

    model = build_encoder(read_checkpoint(folder.path.parent / "small.pth")[0])
    ids, lengths = (torch.from_numpy(a)[None].expand(len(visual), *a.shape) for a in onnx_ids(folder, text))
    with torch.no_grad():
        out = model(torch.from_numpy(visual), ids, lengths)
    return out.e_d, out.e_v, out.text.sentence_weights, out.text.word_weights[0]


def onnx_ids(folder: ModelFolder, text: list[str]) -> tuple[np.ndarray, np.ndarray]:
    return OnnxEncoder(folder).vocabulary.ids(text)


@pytest.mark.parametrize("h0", ["clip", "zeros", "learned"])
def test_imported_encoder_equals_torch(tmp_path: Path, h0: FirstState) -> None:
    folder = small_folder(tmp_path, h0, backbone=False)
    encoder = OnnxEncoder(folder, threads=1)
    visual = np.random.default_rng(1).random((70, 6), np.float32)
    for text in TEXTS:
        e_d, e_v, sentence_weights, word_weights = in_torch(folder, text, visual)
        read = encoder.read(text)
        pairs = encoder.pair(read, visual)
        np.testing.assert_allclose(pairs.e_d, e_d, atol=1e-5)
        np.testing.assert_allclose(pairs.e_v, e_v, atol=1e-5)
        np.testing.assert_allclose(pairs.sentence_weights, sentence_weights, atol=1e-5)
        np.testing.assert_allclose(read.word_weights, word_weights, atol=1e-5)
        np.testing.assert_allclose(pairs.relevance, (e_d * e_v).sum(1), atol=1e-5)
        one = encoder.pair(read, visual[3:4])
        np.testing.assert_allclose(one.e_d[0], pairs.e_d[3], atol=1e-6)


def test_what_cannot_be_run(tmp_path: Path) -> None:
    folder = small_folder(tmp_path, backbone=False)
    encoder = OnnxEncoder(folder)
    with pytest.raises(InputError, match="no words"):
        encoder.read(["", " "])
    with pytest.raises(InputError, match="no backbone"):
        encoder.features(np.zeros((32, 112, 112, 3), np.uint8))
    (folder.path / SENTENCE).write_bytes(b"not a graph")
    with pytest.raises(SaffaError, match="cannot be run"):
        encoder.read(["add salt"])
    with pytest.raises(InputError, match="not an encoder"):
        OnnxEncoder(ModelFolder(tmp_path, {"kind": "agent"}))


@pytest.mark.parametrize(("frames", "size", "batch"), [(32, 112, 1), (8, 32, 3), (5, 28, 2), (1, 17, 1)])
def test_clip_backbone_of_any_size(tmp_path: Path, frames: int, size: int, batch: int) -> None:
    backbone = R2Plus1D34(widths=(4, 6, 8, 10)).eval()
    fill(backbone)
    export_backbone(backbone, tmp_path / "b.onnx", frames, size)
    same_features(backbone, tmp_path / "b.onnx", torch.randn(batch, 3, frames, size, size))


def test_picture_backbone(tmp_path: Path) -> None:
    backbone = ResNet50().eval()
    fill(backbone)
    export_backbone(backbone, tmp_path / "b.onnx", 1, 64)
    same_features(backbone, tmp_path / "b.onnx", torch.randn(2, 3, 64, 64))
    with pytest.raises(TypeError):
        export_backbone(torch.nn.ReLU(), tmp_path / "c.onnx")


def same_features(backbone: torch.nn.Module, path: Path, clips: torch.Tensor) -> None:
    with torch.no_grad():
        wanted = backbone(clips).numpy()
    got = open_session(path, threads=1).run(["features"], {"clips": clips.numpy()})[0]
    assert np.abs(got - wanted).max() <= CLOSE * np.abs(wanted).max()


def test_full_size_text_against_the_reference(shared_data: Path, tmp_path: Path) -> None:
    z = golden(shared_data, "rule_text_io.npz")
    model = rule_encoder("vdan_plus", len(vocabulary_of(z)), int(z["seed_offset"]))
    export_sentences(model, tmp_path / SENTENCE)
    export_document(model, tmp_path / DOCUMENT)
    sentence, document = (open_session(tmp_path / name, threads=1) for name in (SENTENCE, DOCUMENT))
    table = model.text_embedder.doc_embedder.sent_embedder.word_embedding_layer.weight.detach().numpy()
    visual = rule_features(4, z["visual_feats"].shape[1], float(z["phase"])).numpy()
    for n, count in enumerate(z["sentences_per_document"]):
        lengths = z["words_per_sentence"][n, :count].astype(np.int32)
        inputs = {"word_vectors": table[z["documents"][n, :count]], "lengths": lengths}
        vectors, words = sentence.run(["sentences", "word_weights"], inputs)
        np.testing.assert_allclose(vectors, z["sentence_vectors"][n, :count], atol=1e-5)
        np.testing.assert_allclose(words, z["word_alphas"][n, :count], atol=1e-5)
        out = document.run(["e_d", "sentence_weights"], {"sentences": vectors, "features": visual[n : n + 1]})
        np.testing.assert_allclose(out[0][0], z["text_embedding"][n], atol=1e-5)
        np.testing.assert_allclose(out[1][0], z["sentence_alphas"][n, :count], atol=1e-5)


def test_full_size_backbone_against_the_reference(shared_data: Path, tmp_path: Path) -> None:
    z = golden(shared_data, "rule_clip_io.npz")
    backbone = rule_encoder("vdan_plus", len(vocabulary_of(z)), int(z["seed_offset"])).backbone
    assert backbone is not None
    export_backbone(backbone, tmp_path / "b.onnx", CLIP.frames, CLIP.size)
    clip = rule_clip(32, float(z["phase"])).numpy()
    got = open_session(tmp_path / "b.onnx", threads=1).run(["features"], {"clips": clip})[0][0]
    wanted = z["T32_visual_feats"]
    assert np.abs(got - wanted).max() <= CLOSE * np.abs(wanted).max()
