"""What the narration says about each sentence at each time, as numbers that a learned weight can be given to.

Four kinds of clues, each a (T, G) array for G sentences (or groups of them):

- words that echo a sentence, of four sorts (near in meaning; of the same stem, as a likelihood; of the same stem and
  naming an action; of the same stem and naming a thing), counted in nine windows of time around it;
- how much of the sentence has been said around a time: the best match of each of its words within a few seconds;
- the angle between all that is said around a time and the sentence as a whole;
- how near passages of the narration are to the sentence in what they mean (`passages`).

Everything is relative to this narration and this text: no table of words is needed, in any domain. Nothing is said
about where in the video a time is: weights for that were learned too, and made every other domain worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit

from saffa.core.types import Doubles, Floats, Ints
from saffa.encoders.narrated.echo import MATCH, SHARPNESS, word_evidence, word_shares
from saffa.encoders.narrated.grid import Grid, smooth
from saffa.encoders.narrated.lexicon import Lexicon
from saffa.encoders.narrated.passages import EVERY, LIKELY, PASSAGE_CLUES, Passages, Reads, shipped_reader
from saffa.encoders.words import unit

WINDOWS = (-40.0, -20.0, -10.0, -5.0, -1.5, 1.5, 5.0, 10.0, 20.0, 40.0)
"""Seconds around a time: ends of the windows that words are counted in."""
SORTS = 4
REACHES = (2.0, 5.0, 10.0, 20.0, 40.0)
"""Seconds within which a word of the sentence counts as said."""
SHIFT = 5.0
"""Seconds: the same, said that much later or earlier."""
BREADTHS = (2.5, 6.0, 15.0)
"""Seconds (deviations) of what is said around a time."""
FAINT = 1e-5
"""Largest number of what is said around a time in silence: so far from every word, nothing is told."""
NEAR = (6.0, 12.0, 24.0)
"""Seconds within which a passage counts."""
CLUES = SORTS * (len(WINDOWS) - 1) + len(REACHES) + 2 + len(BREADTHS) + PASSAGE_CLUES + len(NEAR)
BLOCK = 128
"""Words of the text compared at a time, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class Clues:
    """All clues of a narration about `groups` of sentences; computed one by one, because together they are large."""

    grid: Grid
    lexicon: Lexicon
    times: Floats
    groups: Sequence[Ints]
    texts: Sequence[str]
    """What each group says."""
    reader: Reads | None = None
    """None: the one that comes with saffa."""

    def __iter__(self) -> Iterator[Floats]:
        """CLUES arrays of shape (T, G)."""
        place = self.grid.places(self.times)
        for rows, said in self._echoes():
            counted = np.zeros((self.grid.cells, len(self.groups)), np.float32)
            _add_rows(counted, place, rows, said)
            for window in _windows(counted, self.grid.seconds):
                yield np.sign(window) * np.log1p(np.abs(window))
        yield from self._coverage(place)
        yield from self._angles(place)
        yield from self._meanings()

    def _echoes(self) -> Iterator[tuple[Floats, Ints]]:
        """For each sort the evidence of each word (or stem) for each group, and the words as they are said."""
        lexicon, words = self.lexicon, [np.concatenate([self.lexicon.sentences[k] for k in g]) for g in self.groups]
        yield word_evidence(lexicon, words), lexicon.said
        said = lexicon.stems[lexicon.said]
        stems = int(lexicon.stems.max(initial=-1)) + 1
        importance = np.zeros(stems, np.float32)
        np.maximum.at(importance, lexicon.stems, np.linalg.norm(lexicon.vectors, axis=1))
        shares = word_shares([lexicon.stems[w] for w in words], np.arange(stems), importance)
        often = np.bincount(said, minlength=stems)[:, None] / max(1, len(said))
        uttered = (shares > 0) & (often > 0)
        likely = 1 - MATCH + MATCH * shares / np.maximum(often, 1e-9)
        yield np.where(uttered, np.log(likely), 0).astype(np.float32), said
        known = importance[importance > 0]
        rarity = np.log1p(1 / np.maximum(often, 1 / max(1, len(said)))) / 6
        weight = importance[:, None] / (known.mean() if len(known) else 1.0) * rarity
        weight = weight / np.maximum((shares > 0).sum(1, keepdims=True), 1)
        acts = np.zeros(shares.shape, bool)
        for k, group in enumerate(self.groups):
            for sentence in group.tolist():
                acts[lexicon.stems[lexicon.sentences[sentence][lexicon.leading[sentence]]], k] = True
        yield np.where((shares > 0) & acts, weight, 0).astype(np.float32), said
        yield np.where((shares > 0) & ~acts, weight, 0).astype(np.float32), said

    def _coverage(self, place: Ints) -> list[Floats]:
        """How much of each group has been said within each of REACHES, and SHIFT later or earlier."""
        lexicon, cells = self.lexicon, self.grid.cells
        words = [np.concatenate([lexicon.sentences[k] for k in group]) for group in self.groups]
        written = np.unique(np.concatenate([*words, np.zeros(0, np.int64)]))
        found = np.zeros((len(REACHES) + 2, len(self.groups), cells), np.float32)
        uttered, said, counts = np.unique(lexicon.said, return_inverse=True, return_counts=True)
        if len(uttered) and len(written):
            directions = unit(lexicon.vectors)
            shares = word_shares(words, written, np.linalg.norm(lexicon.vectors, axis=1))
            reach = [max(1, round(r / self.grid.seconds)) for r in (*REACHES, SHIFT)]
            for a in range(0, len(written), BLOCK):
                near = np.exp(SHARPNESS * (directions[uttered] @ directions[written[a : a + BLOCK]].T))
                rows = np.log(1 - MATCH + MATCH * near / (counts / counts.sum() @ near)).astype(np.float32)
                best = np.zeros((cells, rows.shape[1]), np.float32)
                _raise_rows(best, place, rows, said)
                part = shares[a : a + BLOCK]
                for r, out in zip(reach[:-1], found, strict=False):
                    _add_shares(out, _highest(best.T, r), part)
                around, shift = _highest(best.T, reach[-1]), min(reach[-1], cells)
                _add_shares(found[-2], np.pad(around[:, shift:], ((0, 0), (0, shift))), part)
                _add_shares(found[-1], np.pad(around[:, : cells - shift], ((0, 0), (shift, 0))), part)
        return [out.T for out in found]

    def _meanings(self) -> Iterator[Floats]:
        """What `Passages` tells, and the highest of how likely a passage is within each of NEAR."""
        said = [self.lexicon.vocabulary[word] for word in self.lexicon.said.tolist()]
        every, duration = EVERY * max(1.0, self.grid.seconds), self.grid.cells * self.grid.seconds
        passages = Passages.of(self.reader or shipped_reader(), said, self.times, self.texts, duration, every)
        found = list(passages.clues(self.grid.times()))
        yield from found
        likely = np.ascontiguousarray(found[LIKELY].T)
        for reach in NEAR:
            yield _highest(likely, min(max(1, round(reach / self.grid.seconds)), self.grid.cells - 1)).T

    def _angles(self, place: Ints) -> Iterator[Floats]:
        """Cosine of what is said around each time with each group, against that of the whole narration."""
        vectors = np.zeros((self.grid.cells, self.lexicon.vectors.shape[1]), np.float32)
        np.add.at(vectors, place, self.lexicon.vectors[self.lexicon.said])
        single = self.lexicon.sentence_vectors()
        texts = unit(np.stack([single[group].sum(0) for group in self.groups])).T
        usual = unit(vectors.sum(0, keepdims=True)) @ texts
        for breadth in BREADTHS:
            heard = smooth(vectors, breadth / self.grid.seconds)
            silent = np.abs(heard).max(1, initial=0, keepdims=True) < FAINT
            yield np.where(silent, 0, unit(heard + 1e-6) @ texts - usual).astype(np.float32)


@dataclass(frozen=True)
class _Sums:
    """Running sums along time, shape (T + 1, G)."""

    running: Doubles

    @classmethod
    def of(cls, counted: Floats) -> _Sums:
        return cls(np.concatenate([np.zeros((1, counted.shape[1])), np.cumsum(counted, 0, dtype=np.float64)]))

    def over(self, first: float, end: float) -> Floats:
        """Sum from `first` to `end` cells after the centre of each cell, zeros outside, shape (T, G)."""
        return (self._until(end) - self._until(first)).astype(np.float32)

    def _until(self, offset: float) -> Doubles:
        cells = len(self.running) - 1
        ends = np.clip(np.arange(cells) + 0.5 + offset, 0, cells)
        whole = np.minimum(ends.astype(np.int64), cells - 1)
        part = (ends - whole)[:, None]
        return np.asarray(self.running[whole] * (1 - part) + self.running[whole + 1] * part)


def _windows(counted: Floats, seconds: float) -> Iterator[Floats]:
    sums = _Sums.of(counted)
    for first, end in pairwise(WINDOWS):
        yield sums.over(first / seconds, end / seconds)


def _highest(x: Floats, reach: int) -> Floats:
    """Largest value within `reach` cells to each side along the last axis, zeros outside."""
    width, known = 2 * reach + 1, 1
    widest = np.pad(x, ((0, 0), (reach, reach)))
    while 2 * known <= width:
        widest, known = np.maximum(widest[:, :-known], widest[:, known:]), 2 * known
    rest = width - known
    return np.ascontiguousarray(np.maximum(widest[:, : widest.shape[1] - rest], widest[:, rest:]))


@njit(cache=True)
def _add_rows(cells: Floats, place: Ints, rows: Floats, said: Ints) -> None:
    """Add the row of each word that is said to the cell in which it is."""
    for w in range(len(said)):
        row, cell = rows[said[w]], cells[place[w]]
        for k in range(len(row)):
            cell[k] += row[k]


@njit(cache=True)
def _raise_rows(cells: Floats, place: Ints, rows: Floats, said: Ints) -> None:
    """Raise each cell to the row of every word that is said in it."""
    for w in range(len(said)):
        row, cell = rows[said[w]], cells[place[w]]
        for k in range(len(row)):
            cell[k] = max(cell[k], row[k])


@njit(cache=True)
def _add_shares(out: Floats, values: Floats, shares: Floats) -> None:
    """out (G, T) += shares (J, G), transposed, times values (J, T); most shares are 0."""
    for j in range(shares.shape[0]):
        for k in range(shares.shape[1]):
            share = shares[j, k]
            if share > 0:
                for t in range(out.shape[1]):
                    out[k, t] += share * values[j, t]
