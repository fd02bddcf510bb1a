"""Word vectors: row 0 is PAD (zeros), row 1 UNK (any word not in the table), then a GloVe file's words in order."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.encoders.vdan.tokens import MAX_WORDS, words_of
from saffa.storage.published_models import cache_folder

PAD, UNK = "PAD", "UNK"
UNK_SEED = 123  # the published checkpoint drew its UNK with this seed, but carries its own row: prefer that one
Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Vocabulary:
    """Words and their rows. Words must be lower-case to be found; PAD and UNK are not words."""

    index: Mapping[str, int]
    size: int
    unknown: int = 1

    @classmethod
    def of_words(cls, words: Sequence[str | None]) -> Vocabulary:
        """From all rows in order, PAD and UNK included; None where a row has no word. The first of equals wins."""
        index: dict[str, int] = {}
        for row, word in enumerate(words):
            if word is not None:
                index.setdefault(word, row)
        return cls(index, len(words), index.get(UNK, 1))

    def words(self) -> list[str | None]:
        """What `of_words` takes."""
        rows: list[str | None] = [None] * self.size
        for word, row in self.index.items():
            rows[row] = word
        return rows

    def ids(self, sentences: Sequence[str], limit: int = MAX_WORDS) -> tuple[Integers, Integers]:
        """Token ids (S, L), 0 where padded, and words per sentence (S,); L is the longest, at most `limit`."""
        tokens = words_of(sentences, limit)
        lengths = np.array([len(words) for words in tokens], np.int64)
        ids = np.zeros((len(tokens), max(1, int(lengths.max(initial=0)))), np.int64)
        for row, words in zip(ids, tokens, strict=True):
            row[: len(words)] = [self.index.get(word, self.unknown) for word in words]
        return ids, lengths


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vocabulary with its vectors, (size, d)."""

    vocabulary: Vocabulary
    vectors: Floats = field(repr=False)

    @classmethod
    def of_words(cls, words: Sequence[str], vectors: NDArray[Any], unknown: Floats | None = None) -> WordVectors:
        """Put PAD and UNK before words that have vectors (n, d); without `unknown` the row is drawn as published."""
        width = vectors.shape[1]
        first = np.zeros((2, width), np.float32)
        first[1] = unknown_vector(width) if unknown is None else unknown
        rows: list[str | None] = [PAD, UNK, *words]
        return cls(Vocabulary.of_words(rows), np.concatenate([first, np.asarray(vectors, np.float32)]))


def unknown_vector(width: int) -> Floats:
    """Uniform in [0, 1), the same at every call."""
    return np.random.RandomState(UNK_SEED).random_sample(width).astype(np.float32)


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
        _parse(path, table, words, key)
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


def _parse(path: Path, table: Path, words: Path, key: Mapping[str, int]) -> None:
    """Write the table row by row: a 6B file would need half a gigabyte of memory otherwise."""
    part = table.with_name(f".{table.name}.part")
    names: list[str] = [PAD, UNK]
    try:
        with path.open("rb") as file, part.open("wb") as out:
            for name, vector in _lines(file, path):
                if len(names) == 2:
                    width = len(vector)
                    _write_header(out, 0, width)
                    np.zeros(width, np.float32).tofile(out)
                    unknown_vector(width).tofile(out)
                vector.tofile(out)
                names.append(name)
            if len(names) == 2:
                raise InputError(f"{path} is empty.")
            out.seek(0)
            _write_header(out, len(names), width)
        part.replace(table)
        words.write_text(json.dumps({"source": key, "words": names}), "utf-8")
    finally:
        part.unlink(missing_ok=True)


def _write_header(out: BinaryIO, rows: int, width: int) -> None:
    """A .npy header of fixed length, so that the number of rows can be put in at the end."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows:>12}, {width}), }}"
    body = head.ljust(117).encode("ascii") + b"\n"
    out.write(b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body)


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[str, Floats]]:
    width = 0
    for number, line in enumerate(file, 1):
        text = line.decode("utf-8", "replace").rstrip()
        width = width or text.count(" ")
        parts = text.rsplit(" ", width)
        try:
            if len(parts) != width + 1 or not width:
                raise ValueError(f"{len(parts) - 1} numbers instead of {width}")
            yield parts[0], np.array(parts[1:], np.float32)
        except ValueError as error:
            raise InputError(f"{path} is not a GloVe text file: line {number} has {error}.") from None
