"""How different frames look: the cost of jumping from one to another."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from saffa.core.alignment import Alignment
from saffa.core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Appearance:
    """Rows (T, w), the row of every frame (F,), and how rows are compared.

    `cumulative` rows are cumulative histograms: their L1 distance is the earth mover's distance per channel, as SAS
    and MIFF take it of colours. Other rows are features of unit length: 1 - cosine stands in for it.
    """

    rows: Floats = field(repr=False)
    row_of_frame: Ints = field(repr=False)
    cumulative: bool = False

    @classmethod
    def of_features(cls, alignment: Alignment) -> Appearance:
        """Compare frames by what the encoder saw (or heard) around each frame."""
        return cls(np.ascontiguousarray(alignment.e_v, np.float32), alignment.row_of_frame())

    @property
    def frames(self) -> int:
        """Length of the video."""
        return len(self.row_of_frame)

    def band(self, reach: int) -> Floats:
        """Cost of the jump of d frames that lands on j, at [j, d - 1], (F, reach); 0 where it would start before 0."""
        return _band(self.rows, self.row_of_frame, reach, self.cumulative)

    def cost(self, a: int, b: int) -> float:
        """Cost of the jump a → b."""
        return float(between(self.rows, self.row_of_frame[a], self.row_of_frame[b], self.cumulative))


@njit(cache=True, fastmath=True)
def between(rows: Floats, a: int, b: int, cumulative: bool) -> float:
    """Distance of two rows."""
    if a == b:
        return 0.0
    total = np.float32(0.0)
    if cumulative:
        for k in range(rows.shape[1]):
            total += abs(rows[a, k] - rows[b, k])
        return float(total)
    for k in range(rows.shape[1]):
        total += rows[a, k] * rows[b, k]
    return max(0.0, 1.0 - float(total))


@njit(cache=True)
def _band(rows: Floats, row_of_frame: Ints, reach: int, cumulative: bool) -> Floats:
    frames = len(row_of_frame)
    out = np.zeros((frames, reach), np.float32)
    for j in range(frames):
        here = row_of_frame[j]
        last, cost = here, 0.0
        for d in range(1, min(reach, j) + 1):
            there = row_of_frame[j - d]
            if there != last:  # neighbours share a row where the grid is coarse
                last, cost = there, between(rows, there, here, cumulative)
            out[j, d - 1] = cost
    return out
