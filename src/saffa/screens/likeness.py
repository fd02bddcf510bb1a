"""Where letters may be in a picture, told from its edges in a millisecond.

Lines of text are bands of many upright edges with calm above or below. Faces, hands and landscapes have fewer, grass
and crowds have them everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import av
import numpy as np
from numpy.typing import NDArray

from saffa.core.types import Floats

WIDTH, HEIGHT = 320, 180
BLOCK = 8
"""Pixels of a block's side."""
ROWS, COLUMNS = HEIGHT // BLOCK, WIDTH // BLOCK
"""Blocks of a picture."""
_STEP = 48  # levels of grey between which an edge lies
_LINE, _REACH = 6, 24  # rows and columns of the band in which edges are counted
_CALM = 3  # rows above or below that must be calm
_DENSE, _EMPTY = 0.22, 0.06  # share of edge pixels from which on a band is dense, below which it is calm
_LETTERED, _SHORT_LINE = 0.006, 0.003
"""Share of a picture covered by bands from which on it may hold a line of text, and a short one."""
_FLIPPED = 0.15  # share of a block's pixels whose edge came or went, from which on the block has changed

Blocks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LetterTraits:
    """Edges of a small picture (HEIGHT, WIDTH - 2), and the blocks (ROWS, COLUMNS) where letters may be."""

    edges: NDArray[np.bool_]
    lettered: Blocks
    share: float

    @property
    def has_text(self) -> bool:
        """Whether there may be a line of text in the picture."""
        return self.share >= _LETTERED

    @property
    def may_have_text(self) -> bool:
        """Whether a short line of text cannot be excluded."""
        return self.share >= _SHORT_LINE

    def changed(self, other: LetterTraits) -> Blocks:
        """Blocks (ROWS, COLUMNS) whose edges differ from those of another picture."""
        flips = np.zeros((HEIGHT, WIDTH), np.float32)
        flips[:, 1:-1] = self.edges ^ other.edges
        return np.asarray(_by_block(flips).mean((1, 3)) > _FLIPPED)


def traits(frame: av.VideoFrame, rotation: int = 0) -> LetterTraits:
    """Edges and possible letters of a decoded picture, turned as it is shown."""
    size = (HEIGHT, WIDTH) if rotation in (90, 270) else (WIDTH, HEIGHT)
    return traits_of(np.rot90(frame.reformat(*size, "gray", interpolation="AREA").to_ndarray(), -rotation // 90 % 4))


def traits_of(grey: NDArray[np.uint8]) -> LetterTraits:
    """Edges and possible letters of a grey picture (HEIGHT, WIDTH)."""
    levels = grey.astype(np.int16)
    edges = np.abs(levels[:, 2:] - levels[:, :-2]) > _STEP
    sums = np.cumsum(np.cumsum(np.pad(edges, ((1, 0), (1, 0))).astype(np.float32), 0), 1)
    band, thin = _means(sums, _LINE), _means(sums, _CALM)
    above, below = np.ones_like(band), np.ones_like(band)
    gap = _CALM + 2
    above[gap:] = thin[1 : 1 + len(band) - gap]
    under = thin[_LINE + 1 :]
    below[: len(under)] = under[: len(band)]
    lines = (band > _DENSE) & ((above < _EMPTY) | (below < _EMPTY))
    centred = np.zeros((HEIGHT, WIDTH), np.float32)
    centred[_LINE // 2 : _LINE // 2 + lines.shape[0], _REACH // 2 + 1 : _REACH // 2 + 1 + lines.shape[1]] = lines
    return LetterTraits(edges, _by_block(centred).mean((1, 3)) > 0, float(lines.mean()))


def _means(sums: Floats, rows: int) -> Floats:
    """Share of edges in every window of so many rows and _REACH columns."""
    inside = sums[rows:, _REACH:] - sums[:-rows, _REACH:] - sums[rows:, :-_REACH] + sums[:-rows, :-_REACH]
    return np.asarray(inside / (rows * _REACH), np.float32)


def _by_block(pixels: Floats) -> Floats:
    """(HEIGHT, WIDTH) as (ROWS, BLOCK, COLUMNS, BLOCK), without the last rows that fill no block."""
    return pixels[: ROWS * BLOCK].reshape(ROWS, BLOCK, COLUMNS, BLOCK)
