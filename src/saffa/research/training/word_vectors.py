"""Word vectors for training, from a GloVe text file or an npz of `words` and `vectors`.

Row 0 is PAD (zeros), row 1 UNK (any word not in the table), then the file's words in order.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.encoders.vdan.vocabulary import PAD, UNK, Vocabulary
from saffa.research.datasets.entry import read_arrays
from saffa.storage.store import cache_folder

UNK_SEED = 123  # the published checkpoint drew its UNK with this seed, but carries its own row: prefer that one


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vocabulary with its vectors, (size, d)."""

    vocabulary: Vocabulary
    vectors: Floats = field(repr=False)

    @classmethod
    def of_words(cls, words: Sequence[str], vectors: NDArray[Any], unknown: Floats | None = None) -> WordVectors:
        """Put PAD and UNK before words that have vectors (n, d); without `unknown` the row is drawn as published."""
        first = np.zeros((2, vectors.shape[1]), np.float32)
        first[1] = unknown_vector(vectors.shape[1]) if unknown is None else unknown
        rows: list[str | None] = [PAD, UNK, *words]
        return cls(Vocabulary.of_words(rows), np.concatenate([first, np.asarray(vectors, np.float32)]))


def unknown_vector(width: int) -> Floats:
    """Uniform in [0, 1), the same at every call."""
    return np.random.RandomState(UNK_SEED).random_sample(width).astype(np.float32)


def read_words(path: Path) -> WordVectors:
    """Read a file by its extension. An npz without "a" (single letters may be left out) gets that of "an"."""
    if path.suffix != ".npz":
        return read_glove(path)
    named, table = read_arrays(path, "words", "vectors", hint="It holds the word vectors.")
    words, vectors = [str(word) for word in named], table.astype(np.float32)
    if "a" not in words and "an" in words:
        vectors = np.concatenate([vectors, vectors[words.index("an")][None]])
        words.append("a")
    return WordVectors.of_words(words, vectors)


def read_glove(path: Path) -> WordVectors:
    """The table of a GloVe text file, memory-mapped; parsed once and kept beside the file (or in the cache)."""
    try:
        stamp = path.stat()
    except OSError:
        raise InputError(f"There is no GloVe file {path}. Get glove.6B.zip and unpack glove.6B.300d.txt.") from None
    key = {"size": stamp.st_size, "modified": stamp.st_mtime_ns}
    table = _table_path(path)
    words = table.with_suffix(".words.json")
    if not (table.is_file() and _fresh(words, key)):
        names = _parse(path, table)
        words.write_text(json.dumps({"source": key, "words": names}), "utf-8")
    rows = json.loads(words.read_text("utf-8"))["words"]
    return WordVectors(Vocabulary.of_words(rows), np.load(table, mmap_mode="r"))


def _table_path(path: Path) -> Path:
    if os.access(path.parent, os.W_OK):
        return path.with_suffix(".npy")
    tag = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    folder = cache_folder() / "glove"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{path.stem}-{tag}.npy"


def _fresh(words: Path, key: Mapping[str, int]) -> bool:
    try:
        head = json.loads(words.read_text("utf-8"))
        return bool(head["source"] == key)
    except (OSError, ValueError, KeyError):
        return False


def _parse(path: Path, table: Path) -> list[str]:
    """Write the table, memory-mapped: a 6B file would need half a gigabyte of memory otherwise. Gives the words."""
    part = table.with_name(f".{table.name}.part")
    names = [PAD, UNK]
    try:
        with path.open("rb") as file:
            count, width = sum(1 for _ in file), 0
            file.seek(0)
            for line in file:
                text = line.decode("utf-8", "replace").rstrip()
                if not width:
                    width = text.count(" ")
                    rows = np.lib.format.open_memmap(part, "w+", np.dtype("<f4"), (count + 2, max(width, 1)))
                    rows[1] = unknown_vector(width) if width else 0
                name, *numbers = text.rsplit(" ", width)
                rows[len(names)] = _vector(numbers, width)
                names.append(name)
        if not width:
            raise ValueError("no lines")
        rows.flush()
        part.replace(table)
    except ValueError as error:
        raise InputError(f"{path} is not a GloVe text file: line {len(names) - 1} has {error}.") from None
    finally:
        part.unlink(missing_ok=True)
    return names


def _vector(numbers: Sequence[str], width: int) -> Floats:
    if len(numbers) != width or not width:
        raise ValueError(f"{len(numbers)} numbers instead of {width}")
    return np.array(numbers, np.float32)
