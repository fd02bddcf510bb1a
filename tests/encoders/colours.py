"""A tiny model of the form that CLIP exports have, which knows colours and nothing else, and a video of colours."""

import json
from pathlib import Path

import av
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from saffa.core.video import Video
from saffa.media.probe import probe

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


def colour_video(path: Path) -> Video:
    """Ten seconds each of blue, red and green."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height = 64, 48
        for name in ("blue", "red", "green"):
            picture = np.full((48, 64, 3), COLOURS[name], np.uint8)
            for _ in range(100):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        container.mux(stream.encode(None))
    return probe(path)
