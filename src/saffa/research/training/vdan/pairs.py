"""Clips with captions, and the documents that training makes of them (method: VaTeX training of the paper).

D+ of a clip is its own captions mixed with those of one other clip: the encoder must find what fits among what does
not. D− mixes the captions of two other clips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.encoders.vdan.vocabulary import Vocabulary

PER_CLIP = 10
"""Captions a clip gives to a document; a clip that has fewer gives all."""
FEWEST = 3
"""Clips: a document that is not a clip's own holds captions of two others."""


class ClipSource(Protocol):
    """Clips to train on, by number."""

    @property
    def captions(self) -> Sequence[tuple[str, ...]]:
        """Captions of every clip, at least one each."""

    @property
    def decoded(self) -> bool:
        """Whether `view` gives pixels, which the backbone must turn into features first."""

    def view(self, clip: int, random: np.random.Generator | None) -> Floats:
        """φ(v) (z,) or a clip (3, T, H, W); one of many views with `random`, always the same without."""


@dataclass(frozen=True)
class ClipPair:
    """A clip number, a document as clip numbers with caption numbers, and whether they belong together (+1, −1)."""

    clip: int
    document: tuple[tuple[int, int], ...]
    label: int


def draw_pairs(counts: Sequence[int], random: np.random.Generator, per_clip: int = PER_CLIP) -> list[ClipPair]:
    """One D+ and one D− for each of the clips with these numbers of captions, in random order."""
    clips = len(counts)
    if clips < FEWEST:
        raise InputError(f"Training needs at least {FEWEST} clips with captions.")
    pairs = []
    for clip in range(clips):
        other, first, second = _others(clip, clips, random)
        for sources, label in (((clip, other), 1), ((first, second), -1)):
            sentences = [(source, i) for source in sources for i in range(min(per_clip, counts[source]))]
            random.shuffle(sentences)
            pairs.append(ClipPair(clip, tuple(sentences), label))
    return [pairs[i] for i in random.permutation(len(pairs))]


def _others(clip: int, clips: int, random: np.random.Generator) -> tuple[int, int, int]:
    """v′ for D+, and two different ones for D−; none is `clip`."""

    def draw(*excluded: int) -> int:
        while (one := int(random.integers(clips))) in excluded:
            pass
        return one

    first = draw(clip)
    return draw(clip), first, draw(clip, first)


class CaptionTable:
    """All captions as token ids, so that a batch of documents is one indexing."""

    def __init__(self, captions: Sequence[tuple[str, ...]], vocabulary: Vocabulary) -> None:
        unique = [tuple(dict.fromkeys(c.strip().lower() for c in own if c.strip())) for own in captions]
        flat = [caption for own in unique for caption in own]
        self._ids, self._lengths = vocabulary.ids(flat or [""])
        starts = np.cumsum([0, *(len(own) for own in unique)])
        # a caption without words would be a sentence of length 0: legal, but it must not be all a clip has
        self.rows = [
            [row for row in range(starts[i], starts[i + 1]) if self._lengths[row] > 0] for i in range(len(unique))
        ]
        if not all(self.rows):
            raise InputError(f"Clip number {[bool(r) for r in self.rows].index(False)} has no caption with words.")

    @property
    def counts(self) -> list[int]:
        """Usable captions of each clip."""
        return [len(rows) for rows in self.rows]

    def documents(self, documents: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ints, Ints]:
        """Token ids (B, S, L) and words per sentence (B, S), 0 where a document has fewer than S sentences."""
        most = max(len(document) for document in documents)
        lengths = np.zeros((len(documents), most), np.int64)
        ids = np.zeros((len(documents), most, self._ids.shape[1]), np.int64)
        for b, document in enumerate(documents):
            rows = [self.rows[clip][caption] for clip, caption in document]
            ids[b, : len(rows)], lengths[b, : len(rows)] = self._ids[rows], self._lengths[rows]
        return ids[..., : max(1, int(lengths.max()))], lengths
