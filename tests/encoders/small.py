"""Small encoders with random weights, and model folders made of them: whole paths in milliseconds."""

import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from saffa.encoders.vdan.clips import CLIP, ClipShape
from saffa.encoders.vdan.dimensions import Dimensions, FirstState
from saffa.research.training.onnx_graph import Graph
from saffa.research.training.vdan.importing import import_checkpoint
from saffa.research.training.vdan.networks import GuidedEncoder, Vdan, VdanPlus
from saffa.storage.models import BACKBONE, ModelFolder, write_model

WORDS = ["PAD", "UNK", "add", "the", "salt", "stir", "water", "boil", "pan", ",", ".", "oil"]
SMALL = Dimensions(
    vocabulary=len(WORDS),
    word=10,
    word_hidden=8,
    word_attention=9,
    sentence_hidden=6,
    sentence_attention=7,
    visual=6,
    projection=5,
    embedding=4,
)
SHAPE = ClipShape(32, 8, CLIP.mean, CLIP.deviation)


def small_encoder(h0: FirstState = "clip", seed: int = 0, kind: str = "vdan_plus") -> GuidedEncoder:
    """No backbone; batch norms that do something."""
    torch.manual_seed(seed)
    build = Vdan if kind == "vdan" else VdanPlus
    model = build(replace(SMALL, h0=h0), backbone=False)
    for key, tensor in model.state_dict().items():
        if key.endswith(("running_mean", "bnorm.bias")) or key.endswith("h0"):
            tensor.normal_()
        elif key.endswith(("running_var", "bnorm.weight")):
            tensor.uniform_(0.5, 1.5)
    return model.eval()


def container(model: GuidedEncoder, **more: Any) -> dict[str, Any]:
    """As the authors save an encoder: words are numpy.str_, and the loss lies among the settings."""
    return {
        "epoch": 7,
        "model_state_dict": model.state_dict(),
        "optimizer_state_dict": {"state": {}, "param_groups": [{"lr": 1e-5}]},
        "word_map": {np.str_(word): row for row, word in enumerate(WORDS)},
        "model_params": {"use_visual_shortcut": True, "h0": model.dims.h0},
        "train_params": {"criterion": torch.nn.CosineEmbeddingLoss(0.0), "lr": 1e-5, "batch_size": 64},
        **more,
    }


def small_folder(folder: Path, h0: FirstState = "clip", *, backbone: bool = True) -> ModelFolder:
    """An imported model; its backbone takes the means of a clip's quarters through a random matrix."""
    torch.save(container(small_encoder(h0)), folder / "small.pth")
    made = import_checkpoint(folder / "small.pth", folder / "small")[0]
    if not backbone:
        return made
    graph = Graph()
    clips = graph.input("clips", ["clips", 3, SHAPE.frames, SHAPE.size, SHAPE.size])
    cells = graph.op("Reshape", clips, graph.ints(-1, 3 * 4, SHAPE.frames // 4 * SHAPE.size**2))
    means = graph.op("ReduceMean", cells, graph.ints(2), keepdims=0)
    matrix = np.random.default_rng(3).normal(size=(12, SMALL.visual))
    graph.output(graph.op("MatMul", means, graph.weight(matrix)), "features", ["clips", SMALL.visual])
    facts = {k: v for k, v in made.facts.items() if k not in ("schema", "files")} | {"clip": asdict(SHAPE)}

    def fill(part: Path) -> dict[str, Any]:
        for name in made.facts["files"]:
            shutil.copyfile(made.path / name, part / name)
        graph.save(part / BACKBONE)
        return facts

    return write_model(folder / "small", fill, overwrite=True)
