"""Larger models of the CLIP family through ONNX: `--encoder clip --model FOLDER`.

The folder is laid out as exports for ONNX Runtime are published on Hugging Face: `vision_model.onnx`,
`text_model.onnx` (in the folder itself or in `onnx/`; else their `_quantized` or `_fp16` versions), `tokenizer.json`
and, if it is there, `preprocessor_config.json`. Inputs and outputs have the names such exports give them. Frames are
squashed to the model's square instead of cropped: nothing that happens at the border is lost.

All that comes after the two embeddings (bank, calibration, chain of steps) is that of the visual encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from saffa.core.errors import InputError
from saffa.core.strict_json import read_json
from saffa.core.types import Floats, Rgb
from saffa.core.whole_file import file_sha256
from saffa.encoders.words import unit
from saffa.storage.models import find, not_found, open_session

TOKENIZER = "tokenizer.json"
VERSIONS = ("", "_quantized", "_fp16")
SIZE = 224
MEAN, DEVIATION = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
"""Statistics of the pictures CLIP was trained with, for folders that do not tell."""
LONGEST = 77


class ClipVision:
    """Pictures to image embeddings, as a backbone of the visual encoder."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._path, self._threads = _graph(folder, "vision_model"), threads
        facts = _facts(folder / "preprocessor_config.json")
        size = facts.get("crop_size", facts.get("size", SIZE))
        self.size = (
            int(size["height"] if "height" in size else size["shortest_edge"]) if isinstance(size, dict) else size
        )
        self._mean = np.array(facts.get("image_mean", MEAN), np.float32)
        self._deviation = np.array(facts.get("image_std", DEVIATION), np.float32)

    @property
    def sha256(self) -> str:
        """SHA-256 of the graph."""
        return file_sha256(self._path)

    @cached_property
    def _session(self) -> Any:
        return open_session(self._path, self._threads)

    def features(self, pictures: Rgb) -> Floats:
        """(n, size, size, 3) RGB bytes → (n, d)."""
        pixels = (pictures.astype(np.float32) / 255 - self._mean) / self._deviation
        inputs = {"pixel_values": np.ascontiguousarray(pixels.transpose(0, 3, 1, 2))}
        return np.asarray(self._session.run([_output(self._session, "image_embeds")], inputs)[0], np.float32)


class ClipModel:
    """Sentences to text embeddings in the space of the pictures."""

    sharpness = 100.0
    """CLIP's own logit scale."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._path, self._threads = _graph(folder, "text_model"), threads
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # its exception is a bare one
            raise InputError(f"{folder / TOKENIZER} is missing or not a tokenizer ({error}).") from None
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding(**(self._tokenizer.padding or {}))

    @property
    def sha256(self) -> str:
        """SHA-256 of the graph, and the tokenizer."""
        return file_sha256(self._path) + self._tokenizer.to_str()

    @cached_property
    def _session(self) -> Any:
        return open_session(self._path, self._threads)

    def embed_images(self, features: Floats) -> Floats:
        """(n, d) as they come from the vision graph → unit norm."""
        if features.shape[1] != self._width:
            raise InputError(
                f"{self._path.parent} is made of two models: its pictures have {features.shape[1]} numbers and its "
                f"sentences {self._width}. Export both graphs from one model."
            )
        return unit(features)

    @cached_property
    def _width(self) -> int:
        return int(self.embed_sentences(["a"]).shape[1])

    def embed_sentences(self, sentences: Sequence[str]) -> Floats:
        """m sentences → (m, d), unit norm."""
        encoded = self._tokenizer.encode_batch(list(sentences))
        given = {
            "input_ids": np.array([e.ids for e in encoded], np.int64),
            "attention_mask": np.array([e.attention_mask for e in encoded], np.int64),
        }
        asked = {value.name for value in self._session.get_inputs()}
        inputs = {name: value for name, value in given.items() if name in asked}
        return unit(np.asarray(self._session.run([_output(self._session, "text_embeds")], inputs)[0], np.float32))


def clip_folder(name: str) -> Path:
    """The folder of a model by path, or by its name among the models of this machine."""
    if not name:
        raise InputError("--encoder clip needs --model FOLDER: vision_model.onnx, text_model.onnx, tokenizer.json.")
    tokenizer = find(name, (TOKENIZER,))
    if tokenizer is None:
        raise not_found("folder with a tokenizer.json", name, "See docs/method/visual.md.")
    return tokenizer.parent


def _graph(folder: Path, name: str) -> Path:
    for version in VERSIONS:
        for path in (folder / f"{name}{version}.onnx", folder / "onnx" / f"{name}{version}.onnx"):
            if path.is_file():
                return path
    raise InputError(f"{folder} has no {name}.onnx, nor in its folder onnx; export the model to ONNX first.")


def _facts(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        facts = read_json(path)
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}).") from None
    return facts if isinstance(facts, dict) else {}


def _output(session: Any, name: str) -> str:
    names = [value.name for value in session.get_outputs()]
    if name not in names:
        raise InputError(f"The model gives {', '.join(names)} and no {name}; export it with its projection.")
    return name
