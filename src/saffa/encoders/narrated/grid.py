"""The grid of times that a narration is weighed on, and what is said around each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saffa.core.types import Doubles, Floats, Ints
from saffa.encoders.narrated.lexicon import Lexicon
from saffa.encoders.words import unit

AROUND = 5.0
"""Seconds: what is being said around a time."""
MAX_CELLS, MAX_GROUPS = 3600, 1000
"""Bounds of the grid and of the chain; they keep six hours and 10,000 sentences quick."""
MOST_WEIGHTS = 12_000_000
"""Cells times sentences: beyond 3,333 sentences of a long video cells are longer, or memory would grow."""


@dataclass(frozen=True)
class Grid:
    """Cells of equal length over the video: a second each, finer for dense texts, coarser beyond an hour."""

    cells: int
    seconds: float

    @classmethod
    def of(cls, duration: float, sentences: int) -> Grid:
        """Grid for a video of that many seconds."""
        most = min(MAX_CELLS, MOST_WEIGHTS // sentences)
        cell = max(duration / most, min(1.0, duration / (8 * min(sentences, MAX_GROUPS))))
        return cls(max(8, int(np.ceil(duration / cell))), cell)

    def groups(self, sentences: int) -> list[Ints]:
        """Neighbouring sentences that share a place in the chain: one each, unless there are too many of them."""
        return np.array_split(np.arange(sentences), min(sentences, MAX_GROUPS, self.cells // 4))

    def times(self) -> Floats:
        """Centres of the cells, shape (T,)."""
        return ((np.arange(self.cells) + 0.5) * self.seconds).astype(np.float32)

    def spoken_vectors(self, lexicon: Lexicon, times: Floats) -> Floats:
        """Unit vector of what is said around each time, shape (T, d); in long silence, of the whole narration."""
        if not len(lexicon.said):
            return unit(np.ones((self.cells, lexicon.vectors.shape[1]), np.float32))
        grid = np.zeros((self.cells, lexicon.vectors.shape[1]), np.float32)
        np.add.at(grid, self.places(times), lexicon.vectors[lexicon.said])
        return unit(smooth(grid, AROUND / self.seconds) + 1e-3 * lexicon.vectors[lexicon.said].mean(0))

    def places(self, times: Floats) -> Ints:
        """The cell of each time."""
        return np.clip((times / self.seconds).astype(np.int64), 0, self.cells - 1)


def sentence_weights(shown: Floats, groups: list[Ints], lengths: Doubles) -> Floats:
    """Rows that sum to 1, shape (T, N). Sentences that had to share a group split it by their length."""
    share = shown / np.maximum(shown.sum(1, keepdims=True), 1e-30)
    inside = np.concatenate([lengths[group] / lengths[group].sum() for group in groups]).astype(np.float32)
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    weights: Floats = share[:, owner]  # large with 10,000 sentences, so it is worked on in place
    weights *= inside
    weights /= weights.sum(1, keepdims=True)
    return weights


def smooth(x: Floats, sigma: float) -> Floats:
    """Gaussian along axis 0, zeros outside."""
    reach = min(int(4 * sigma + 0.5), len(x) - 1)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / max(sigma, 1e-6)) ** 2)
    out = np.zeros_like(x)
    for offset, weight in zip(offsets.tolist(), (kernel / kernel.sum()).astype(np.float32), strict=True):
        first, end = max(0, offset), len(x) + min(0, offset)
        out[first:end] += weight * x[first - offset : end - offset]
    return out
