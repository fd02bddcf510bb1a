"""Sets of pictures with captions, ready for training: φ(v) of every picture and the token ids of every caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.encoders.vdan.picture_space import MAX_WORDS, PictureSpace, sentence_words
from saffa.research.datasets.image_text import ImageText


class Sentences:
    """Every caption of all sets as token ids; row 0 of the word table is padding."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self._ids: list[list[int]] = []

    def add(self, sentence: str) -> int | None:
        """The row of a caption; None if it has no words."""
        ids = [self.index.setdefault(word, len(self.index) + 1) for word in sentence_words(sentence)]
        if not ids:
            return None
        self._ids.append(ids)
        return len(self._ids) - 1

    def table(self) -> tuple[Ints, Ints]:
        """Token ids (rows, L) and lengths (rows,)."""
        lengths = np.array([len(ids) for ids in self._ids], np.int64)
        table = np.zeros((len(lengths), MAX_WORDS), np.int64)
        for row, ids in enumerate(self._ids):
            table[row, : len(ids)] = ids
        return table[:, : int(lengths.max(initial=1))], lengths

    def vectors(self, space: PictureSpace) -> Floats:
        """(words + 1, w), zeros for padding."""
        own = space.word_vectors(list(self.index))
        return np.concatenate([np.zeros((1, own.shape[1]), np.float32), own])


@dataclass(frozen=True, eq=False)
class CaptionedSet:
    """φ(v) of some views of n pictures (views, n, width), half precision; captions are rows first … first + count."""

    name: str
    phi: NDArray[np.float16] = field(repr=False)
    first: Ints = field(repr=False)
    count: Ints = field(repr=False)

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(
        cls, pictures: ImageText, space: PictureSpace, sentences: Sentences, phi: Floats | None = None
    ) -> CaptionedSet:
        """Prepare a set; `phi` instead of the space's own. Pictures without a caption that has words are an error."""
        first, count = [], []
        for name, captions in zip(pictures.ids, pictures.captions, strict=True):
            rows = [row for caption in dict.fromkeys(captions) if (row := sentences.add(caption)) is not None]
            if not rows:
                raise InputError(f"{pictures.name}: the captions of {name} have no words.")
            first.append(rows[0])
            count.append(len(rows))
        views = phi if phi is not None else prepared(pictures, space)
        return cls(pictures.name, views.astype(np.float16), np.array(first), np.array(count))

    def draw(self, rows: Ints, captions: int, random: np.random.Generator) -> tuple[Floats, Ints]:
        """φ(v) (n, width) of one view of each picture, and rows (n, c) of captions; with fewer some are repeated."""
        views = random.integers(len(self.phi), size=len(rows))
        start = (random.random(len(rows)) * self.count[rows]).astype(np.int64)
        places = (start[:, None] + np.arange(captions)) % self.count[rows][:, None]
        return self.phi[views, rows].astype(np.float32), self.first[rows][:, None] + places


def prepared(pictures: ImageText, space: PictureSpace, chunk: int = 4096) -> Floats:
    """φ(v) of all crops, (crops, n, width), in pieces."""
    out = np.zeros((pictures.crops, len(pictures), space.width), np.float16)
    for crop in range(pictures.crops):
        for start in range(0, len(pictures), chunk):
            rows = slice(start, start + chunk)
            out[crop, rows] = space(pictures.features(crop, rows))
    return out  # type: ignore[return-value]


def draw_rows(
    sets: Sequence[CaptionedSet], shares: Mapping[str, float], blocks: int, block: int, random: np.random.Generator
) -> list[tuple[CaptionedSet, Ints]]:
    """Blocks of pictures, each of one set: telling sets apart is then no success."""
    weights = np.array([shares.get(part.name, 1.0) for part in sets])
    chosen = random.choice(len(sets), size=blocks, p=weights / weights.sum())
    return [(sets[i], random.choice(len(sets[i]), block, replace=len(sets[i]) < block)) for i in chosen]
