"""Words of a text and their vectors (WordLlama, read straight from its wheel)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from saffa.core.errors import SaffaError
from saffa.core.types import Floats

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SPLIT_CLITIC = re.compile(r" (?=n['’]t\b|['’])")


def words(text: str) -> list[str]:
    """Lower-case words; what a recogniser split off ("do n't", "i 'm") goes back to its word."""
    return _WORD.findall(_SPLIT_CLITIC.sub("", text.lower()))


def word_vectors(vocabulary: Sequence[str]) -> Floats:
    """Mean of each word's token vectors, shape (V, 256). Their norm is WordLlama's importance of the word."""
    table, tokenizer = _wordllama()
    encoded = tokenizer.encode_batch(list(vocabulary), add_special_tokens=False)
    if not encoded:
        return np.zeros((0, table.shape[1]), np.float32)
    return np.stack([table[e.ids or [0]].mean(0, dtype=np.float32) for e in encoded])


def unit(x: Floats, *, even: bool = False) -> Floats:
    """Rows of length 1. A row of zeros stays one, or points `even`ly along all axes so that it has length 1 too."""
    norm = np.linalg.norm(x, axis=-1, keepdims=True)
    rows = np.asarray(x / np.maximum(norm, 1e-9), np.float32)
    return np.where(norm > 1e-9, rows, np.float32(1 / np.sqrt(x.shape[-1]))) if even else rows


def softmax(scores: NDArray[Any], dtype: type[np.floating[Any]] = np.float32) -> NDArray[Any]:
    """Rows that sum to 1, (n, m)."""
    weights: NDArray[Any] = np.exp(scores - scores.max(1, keepdims=True), dtype=dtype)
    weights /= weights.sum(1, keepdims=True)
    return weights


@lru_cache(maxsize=1)
def _wordllama() -> tuple[NDArray[np.floating], Tokenizer]:
    """Token vectors and tokenizer; the package itself is not imported, which would cost seconds."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise SaffaError("The package wordllama is not installed; install saffa again with pip.")
    home = Path(spec.origin).parent
    (table,) = load_file(home / "weights" / "l2_supercat_256.safetensors").values()
    return table, Tokenizer.from_file(str(home / "tokenizers" / "l2_supercat_tokenizer_config.json"))
