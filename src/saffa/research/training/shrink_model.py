"""A trained encoder in the form that is shipped: only what inference reads, in half precision.

A model folder holds every weight twice, by its published name and inside the graphs. Packed, it keeps the word table
and the graphs, a quarter of the size. ONNX Runtime widens the weights once when it opens a graph.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

from saffa.core.errors import InputError
from saffa.encoders.vdan.onnx_encoder import WORDS
from saffa.storage.models import DOCUMENT, SENTENCE, VOCABULARY, WEIGHTS, ModelFolder, write_model

SMALL = 1024
"""Constants of fewer numbers (biases, axes) stay as they are: they weigh nothing."""


def halved(graph: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with its large weights stored in half precision, each widened by a Cast of its own."""
    made = onnx.ModelProto()
    made.CopyFrom(graph)
    kept, casts = [], []
    for tensor in made.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALL:
            kept.append(tensor)
            continue
        stored = f"{tensor.name}_half"
        kept.append(numpy_helper.from_array(values.astype(np.float16), stored))
        casts.append(helper.make_node("Cast", [stored], [tensor.name], to=TensorProto.FLOAT))
    nodes = [*casts, *made.graph.node]
    del made.graph.initializer[:], made.graph.node[:]
    made.graph.initializer.extend(kept)
    made.graph.node.extend(nodes)
    return made


def pack(folder: ModelFolder, target: Path, facts: Mapping[str, Any]) -> ModelFolder:
    """Write the packed model; `facts` (data, command, licence, …) join its manifest."""
    if not folder.has(SENTENCE):
        raise InputError(f"{folder.path} is no encoder of text; there is nothing to pack.")

    def fill(part: Path) -> dict[str, Any]:
        table = load_file(folder.path / WEIGHTS)[WORDS]
        save_file({WORDS: table.astype(np.float16)}, part / WEIGHTS)
        shutil.copyfile(folder.path / VOCABULARY, part / VOCABULARY)
        for name in (SENTENCE, DOCUMENT):
            onnx.save(halved(onnx.load(folder.path / name)), part / name)
        kept = {key: value for key, value in folder.facts.items() if key not in ("schema", "files")}
        return {**kept, **facts}

    return write_model(target, fill, overwrite=True)
