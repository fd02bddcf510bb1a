"""A trained VDAN of pictures as a model folder: two graphs in half precision and what prepares their inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from safetensors.numpy import save_file

from saffa.encoders.vdan.picture_space import PictureSpace
from saffa.encoders.vdan.picture_vdan import KIND, arrays_of
from saffa.research.training.shrink_model import halved
from saffa.research.training.vdan.networks import Vdan
from saffa.research.training.vdan.onnx_export import export_document, export_sentences
from saffa.storage.models import DOCUMENT, SENTENCE, VOCABULARY, WEIGHTS, ModelFolder, write_model


def write_picture_model(encoder: Vdan, space: PictureSpace, target: Path, facts: Mapping[str, Any]) -> ModelFolder:
    """Write the folder, whole or not at all; `facts` (data, command, quality, …) join its manifest."""

    def fill(part: Path) -> Mapping[str, Any]:
        arrays, words = arrays_of(space)
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, part / WEIGHTS)
        (part / VOCABULARY).write_text(json.dumps(words), "utf-8")
        for export, name in ((export_sentences, SENTENCE), (export_document, DOCUMENT)):
            export(encoder, part / name)
            onnx.save(halved(onnx.load(part / name)), part / name)
        return {"kind": KIND, "dimensions": encoder.dims.to_json(), **facts}

    encoder.eval()
    return write_model(target, fill, overwrite=True)
