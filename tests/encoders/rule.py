"""Weights and inputs by formula, as the golden files were made: nothing is stored, everything is recomputed."""

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.training.vdan.networks import GuidedEncoder, Vdan, VdanPlus

torch.set_num_threads(1)  # several engineers share the machine; also makes timings comparable


def rule_tensor(key: str, shape: tuple[int, ...], offset: int = 0) -> NDArray[Any]:
    last = key.rsplit(".", 1)[-1]
    if last == "num_batches_tracked":
        return np.zeros(shape, np.int64)
    z = np.random.default_rng(zlib.crc32(key.encode("ascii")) + offset).standard_normal(shape)
    if last == "running_var":
        w = 0.5 + np.abs(z)
    elif last == "running_mean" or last.startswith("bias"):
        w = 0.1 * z
    elif len(shape) == 1:
        w = 1 + 0.1 * z
    elif key.endswith("word_embedding_layer.weight"):
        w = 0.4 * z
        w[0] = 0
    else:
        gain = 6.0 if "context_vector" in key else (1.2 if len(shape) >= 4 else 1.0)
        w = gain * z / np.sqrt(np.prod(shape[1:]))
    return np.asarray(w, np.float32)


def seeded_name(key: str) -> str:
    """Backbone entries are seeded with their IG-65M name."""
    return ig65m_name(key.removeprefix("vid_embedder.")) if key.startswith("vid_embedder.") else key


def fill(module: nn.Module, offset: int = 0) -> None:
    """Give a module its weights by the rule."""
    filled = {
        k: torch.from_numpy(rule_tensor(seeded_name(k), tuple(v.shape), offset)) for k, v in module.state_dict().items()
    }
    module.load_state_dict(filled, strict=True)


@lru_cache(maxsize=2)
def ig65m_name(key: str) -> str:
    """The IG-65M name of a key of `R2Plus1D34`: `resnet.0.` → `stem.`, `resnet.N.` → `layerN.`."""
    return re.sub(r"^resnet\.(\d)\.", lambda m: "stem." if m[1] == "0" else f"layer{m[1]}.", key)


def vdan_dimensions(vocabulary: int) -> Dimensions:
    """VDAN (CVPR 2020): a still picture's 2048 ResNet-50 features guide wider GRUs."""
    return replace(
        Dimensions(vocabulary),
        word_hidden=1024,
        word_attention=1024,
        sentence_hidden=2048,
        sentence_attention=2048,
        visual=2048,
    )


def rule_encoder(kind: str, vocabulary: int, offset: int = 0) -> GuidedEncoder:
    """A whole encoder in evaluation mode; do not change it, it is shared between tests."""
    model = Vdan(vdan_dimensions(vocabulary)) if kind == "vdan" else VdanPlus(Dimensions(vocabulary))
    fill(model, offset)
    return model.eval()


def golden(folder: Path, name: str) -> dict[str, NDArray[Any]]:
    with np.load(folder / "golden" / name, allow_pickle=False) as file:
        return {k: file[k] for k in file.files}


def vocabulary_of(z: Mapping[str, NDArray[Any]]) -> list[str]:
    words: list[str] = json.loads(str(z["vocabulary_json"]))
    return words


def rule_clip(frames: int, phase: float) -> torch.Tensor:
    """(1, 3, T, 112, 112)."""
    c, t, h, w = np.meshgrid(*map(np.arange, (3, frames, 112, 112)), indexing="ij")
    x = np.sin(0.7 * c + 0.31 * t + 0.09 * h + 0.05 * w + phase) + 0.5 * np.sin(0.013 * h * w + 0.5 * t)
    return torch.from_numpy(x.astype(np.float32))[None]


def rule_picture(phase: float) -> torch.Tensor:
    """(1, 3, 224, 224)."""
    c, h, w = np.meshgrid(*map(np.arange, (3, 224, 224)), indexing="ij")
    x = np.sin(0.7 * c + 0.045 * h + 0.025 * w + phase) + 0.5 * np.sin(0.003 * h * w)
    return torch.from_numpy(x.astype(np.float32))[None]


def rule_features(rows: int, columns: int, phase: float = 0.0) -> torch.Tensor:
    """(rows, columns)."""
    b, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    return torch.from_numpy((0.75 + 0.75 * np.sin(0.9 * b + 0.13 * j + phase)).astype(np.float32))
