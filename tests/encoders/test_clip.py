"""CLIP-family models: loaded from tiny files of the published form, whose graphs know colours and nothing else."""

import json
from pathlib import Path

import av
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from saffa.cli import run
from saffa.document import Document
from saffa.encoders import load_encoder
from saffa.encoders.clip import ClipModel, ClipVision, clip_folder
from saffa.errors import InputError
from saffa.media.probe import Video, probe

WORDS = {"[PAD]": 0, "[UNK]": 1, "red": 2, "green": 3, "blue": 4, "grey": 5}
COLOURS = {"red": (230, 20, 20), "green": (20, 230, 20), "blue": (20, 20, 230)}


def graph(
    path: Path, inputs: list[onnx.ValueInfoProto], nodes: list[onnx.NodeProto], *weights: onnx.TensorProto
) -> None:
    output = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, ["n", 3])
    made = helper.make_graph(nodes, "tiny", inputs, [output], list(weights))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString())


def tiny_clip(folder: Path, *, mask: bool = False, output: str = "text_embeds") -> Path:
    """Image: mean colour. Text: mean of one vector per word (with `mask`, padding does not count)."""
    (folder / "onnx").mkdir(parents=True)
    pixels = helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["n", 3, 32, 32])
    axes = numpy_helper.from_array(np.array([2, 3]), "axes")
    mean = helper.make_node("ReduceMean", ["pixel_values", "axes"], ["image_embeds"], keepdims=0)
    graph(folder / "onnx" / "vision_model.onnx", [pixels], [mean], axes)
    rows = np.zeros((6, 3), np.float32)
    rows[2:5] = 3 * np.eye(3) - 1
    table = numpy_helper.from_array(rows, "table")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", "words"])
    inputs = [ids]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["vectors"])]
    weights = [table, numpy_helper.from_array(np.array([1]), "axis")]
    source = "vectors"
    if mask:
        inputs.append(helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["n", "words"]))
        weights.append(numpy_helper.from_array(np.array([2]), "last"))
        nodes.append(helper.make_node("Cast", ["attention_mask"], ["real"], to=1))
        nodes.append(helper.make_node("Unsqueeze", ["real", "last"], ["wide"]))
        nodes.append(helper.make_node("Mul", ["vectors", "wide"], ["kept"]))
        source = "kept"
    nodes.append(helper.make_node("ReduceMean", [source, "axis"], [output], keepdims=0))
    graph(folder / "onnx" / "text_model_quantized.onnx", inputs, nodes, *weights)
    tokenizer = Tokenizer(WordLevel(WORDS, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "preprocessor_config.json").write_text(
        json.dumps({"crop_size": {"height": 32, "width": 32}, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}), "utf-8"
    )
    return folder


@pytest.fixture
def colours(tmp_path: Path) -> Video:
    """Ten seconds each of blue, red and green."""
    with av.open(str(tmp_path / "colours.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height = 64, 48
        for name in ("blue", "red", "green"):
            picture = np.full((48, 64, 3), COLOURS[name], np.uint8)
            for _ in range(100):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        container.mux(stream.encode(None))
    return probe(tmp_path / "colours.mp4")


@pytest.mark.parametrize("mask", [False, True])
def test_graphs_are_fed_as_they_ask(tmp_path: Path, mask: bool) -> None:
    folder = tiny_clip(tmp_path / "tiny", mask=mask)
    vision, model = ClipVision(folder), ClipModel(folder)
    assert vision.size == 32
    pictures = np.stack([np.full((32, 32, 3), colour, np.uint8) for colour in COLOURS.values()])
    images = model.embed_images(vision.features(pictures))
    sentences = model.embed_sentences(["red", "green", "blue blue red blue"])
    np.testing.assert_allclose(np.linalg.norm(sentences, axis=1), 1, atol=1e-5)
    assert (images @ sentences.T).argmax(1).tolist() == [0, 1, 2]
    attended = model.attend(images, sentences)
    np.testing.assert_allclose(attended.weights.sum(1), 1, atol=1e-5)


def test_a_video_is_aligned_by_its_colours(tmp_path: Path, colours: Video) -> None:
    encoder = load_encoder(f"clip:{tiny_clip(tmp_path / 'tiny')}")
    found = encoder.encode(colours, Document(("red",)), None)
    assert found.encoder == "clip:tiny"
    red = (found.times > 11) & (found.times < 19)
    other = (found.times < 9) | (found.times > 21)
    assert found.relevance[red].min() > found.relevance[other].max()


def test_on_the_command_line(tmp_path: Path, colours: Video, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    tiny_clip(tmp_path / "models" / "tiny")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("red\ngreen\n", "utf-8")
    command = ["align", str(colours.path), "--text", "text.txt", "-o", "a.npz", "--overwrite", "--encoder"]
    assert run([*command, "clip", "--model", "tiny"]) == 0
    assert run([*command, "clip", "--model", "other"]) == 2
    assert run([*command, "clip"]) == 2
    assert run([*command, "visual", "--model", "tiny"]) == 2


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs --model"):
        clip_folder("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no vision_model\.onnx"):
        ClipVision(tmp_path / "empty")
    folder = tiny_clip(tmp_path / "tiny", output="last_hidden_state")
    with pytest.raises(InputError, match="no text_embeds"):
        ClipModel(folder).embed_sentences(["red"])
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="tokenizer"):
        ClipModel(folder)
    (folder / "preprocessor_config.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match="not JSON"):
        ClipVision(folder)
