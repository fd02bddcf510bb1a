"""What passages of a narration mean: a small network reads eight seconds of words at a time, and each sentence.

The words of a passage explain each other, which single words cannot do ("put it in" after "the pan is hot"). The
network is MiniLM, adapted so that sentences lie near the passages of their steps (`saffa train narrated` makes it);
its weights have four bits each. It runs in ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from saffa.core.types import Floats, Ints
from saffa.encoders.words import unit
from saffa.storage.models import ModelFolder, open_session, shipped

PASSAGE = 2.0
"""Length of a passage, in distances between passages."""
EVERY = 4.0
"""Seconds between passages."""
PASSAGE_CLUES, LIKELY = 6, 1
"""Clues that `Passages` gives, and which of them tells how likely a passage is."""
SHARPNESS, LEAST = 15.0, -4.0
"""What cosines are multiplied by to be a likelihood, and the least logarithm of it."""
SILENCE = 1.5
"""Distance from any passage, in distances between them, from which on nothing is said."""
LONGEST = 64
"""Tokens of a passage or a sentence; the rest is not read."""
TEXT_TOKENS, SHORTEST = 8192, 8
"""Tokens of all sentences together; where there are many, only the first of each are read, SHORTEST at least."""
BATCH, FEW = 4000, 256
"""Tokens read at a time when learning, and where memory matters."""
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
"""The first pieces: filling, unknown letters, beginning, end."""
MODEL = "narrated"
GRAPH, PIECES = "passages.onnx", "pieces.safetensors"


def batches(rows: Sequence[Sequence[int]], most: int = BATCH) -> Iterator[tuple[Ints, Ints]]:
    """Rows of like length together: their places and their numbers, (n, T), 0 after the end."""
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    begin = 0
    while begin < len(order):
        end = begin + 1
        while end < len(order) and (end + 1 - begin) * len(rows[order[end]]) <= most:
            end += 1
        chosen = np.array(order[begin:end], np.int64)
        tokens = np.zeros((end - begin, len(rows[order[end - 1]])), np.int64)
        for place, row in enumerate(chosen.tolist()):
            tokens[place, : len(rows[row])] = rows[row]
        yield chosen, tokens
        begin = end


def piece_tokenizer(pieces: Sequence[str]) -> Tokenizer:
    """Cuts words into the longest pieces that are known."""
    tokenizer = Tokenizer(WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token=MARKS[1]))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def numbers_of(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Numbers of the pieces of each text."""
    return [encoded.ids for encoded in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def enclosed(pieces: Sequence[int]) -> list[int]:
    """Numbers of pieces between the marks of beginning and end, LONGEST at most."""
    return [2, *pieces[: LONGEST - 2], 3]


@dataclass(frozen=True, eq=False)
class PassageReader:
    """The network: texts as numbers of pieces, to unit vectors."""

    tokenizer: Tokenizer
    pieces: Floats
    session: Any

    @classmethod
    def open(cls, folder: ModelFolder, threads: int = 0) -> PassageReader:
        """The network of a model folder."""
        stored = load_file(folder.path / PIECES)
        pieces = unpacked(stored["integers"], stored["scales"])
        names = [str(piece) for piece in folder.words()]
        return cls(piece_tokenizer(names), pieces, open_session(folder.path / GRAPH, threads))

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Numbers of the pieces of each text."""
        return numbers_of(self.tokenizer, texts)

    def vectors(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Rows of piece numbers → (n, d), unit norm."""
        found = np.zeros((len(rows), self.pieces.shape[1]), np.float32)
        for chosen, tokens in batches(rows, FEW):
            inputs = {"pieces": self.pieces[tokens], "seen": (tokens > 0).astype(np.float32)}
            found[chosen] = self.session.run(None, inputs)[0]
        return found


def unpacked(integers: NDArray[np.uint8], scales: NDArray[np.float16]) -> Floats:
    """Rows of four-bit numbers, two in a byte, the lower first, 8 means 0; times a scale for each equal part of a row.

    integers (V, d / 2), scales (V, parts) → (V, d).
    """
    values = np.stack([integers & 15, integers >> 4], -1).astype(np.float32) - 8
    parts = values.reshape(*scales.shape, -1) * scales[..., None].astype(np.float32)
    return np.asarray(parts.reshape(len(integers), -1), np.float32)


def passage_rows(
    words: Sequence[Sequence[int]], times: Floats, middles: Floats, length: float
) -> tuple[list[list[int]], Floats]:
    """What is said within `length` seconds around each of `middles`, as rows of piece numbers.

    `words` are the piece numbers of each word and `times` when it is said. Passages without a word are left out; the
    second answer are the middles of the others.
    """
    order = np.argsort(times, kind="stable")
    first = np.searchsorted(times[order], middles - length / 2)
    end = np.searchsorted(times[order], middles + length / 2)
    spoken = first < end
    pairs = zip(first[spoken].tolist(), end[spoken].tolist(), strict=True)
    rows = [enclosed([*chain.from_iterable(words[w] for w in order[a:b])]) for a, b in pairs]
    return rows, middles[spoken]


class Reads(Protocol):
    """What reads passages: a `PassageReader`, or one that remembers."""

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Numbers of the pieces of each text."""

    def vectors(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Rows of piece numbers → (n, d), unit norm."""


@dataclass(frozen=True, eq=False)
class Passages:
    """Passages of a narration, their middles (M,) and vectors (M, d), and the vectors of texts, (G, d)."""

    every: float
    middles: Floats
    spoken: Floats
    texts: Floats

    @classmethod
    def of(
        cls, reader: Reads, said: Sequence[str], times: Floats, texts: Sequence[str], duration: float, every: float
    ) -> Passages:
        """Read a narration of words `said` at `times`, a passage `every` so many seconds."""
        known = {word: place for place, word in enumerate(dict.fromkeys(said))}
        pieces = reader.numbers(list(known))
        middles = np.arange(0, duration, every, dtype=np.float32)
        rows, kept = passage_rows([pieces[known[word]] for word in said], times, middles, PASSAGE * every)
        longest = max(SHORTEST, TEXT_TOKENS // max(1, len(texts)))
        written = [enclosed(numbers[:longest]) for numbers in reader.numbers(texts)]
        vectors = reader.vectors([*rows, *written])
        return cls(every, kept, vectors[: len(rows)], vectors[len(rows) :])

    def clues(self, times: Floats) -> Iterator[Floats]:
        """PASSAGE_CLUES arrays (T, G) at these times, zeros in silence.

        For passages as they are, and for each three in a row as one: the cosine less its mean over the narration; how
        much likelier the passage is than others, as a logarithm; and the cosine less its mean over the texts.
        """
        if not len(self.middles):
            yield from np.zeros((PASSAGE_CLUES, len(times), len(self.texts)), np.float32)
            return
        near = np.abs(self.middles[:, None] - self.middles) <= 1.01 * self.every
        for vectors in (self.spoken, unit(near.astype(np.float32) @ self.spoken)):
            cosines = vectors @ self.texts.T
            centred = cosines - cosines.mean(0)
            likely = np.exp(SHARPNESS * (cosines - cosines.max(0)))
            yield self._between(centred, times)
            yield self._between(np.maximum(np.log(likely / likely.mean(0)), LEAST), times)
            yield self._between(centred - centred.mean(1, keepdims=True), times)

    def _between(self, values: Floats, times: Floats) -> Floats:
        """Values of the passages (M, G) at any time, (T, G): between the two next to it."""
        after = np.searchsorted(self.middles, times).clip(1, max(1, len(self.middles) - 1))
        before, after = after - 1, np.minimum(after, len(self.middles) - 1)
        gap = np.maximum(self.middles[after] - self.middles[before], 1e-6)
        share = ((times - self.middles[before]) / gap).clip(0, 1)[:, None].astype(np.float32)
        nearest = np.minimum(np.abs(times - self.middles[before]), np.abs(times - self.middles[after]))
        there = (nearest <= SILENCE * self.every)[:, None]
        return np.where(there, (1 - share) * values[before] + share * values[after], 0).astype(np.float32)


@lru_cache(maxsize=1)
def shipped_reader() -> PassageReader:
    """The network that comes with saffa."""
    return PassageReader.open(ModelFolder.open(shipped(MODEL)))


def close_reader() -> None:
    """Give back the memory of the network that comes with saffa; the next narration opens it again in a moment."""
    shipped_reader.cache_clear()
