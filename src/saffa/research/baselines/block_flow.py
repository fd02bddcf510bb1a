"""Optical flow of 10 × 5 blocks and what MIFF reads from it: focus of expansion and velocity (method_bot.md §2)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saffa.core.types import Floats

COLUMNS, ROWS = 10, 5
CENTRE = ((COLUMNS + 1) / 2, (ROWS + 1) / 2)
"""Blocks are numbered from 1: (5.5, 3)."""
PLACES_X, PLACES_Y = range(-10, 21), range(-10, 16)
"""Where the focus of expansion is looked for: 31 × 26 = 806 places, in blocks."""


@dataclass(frozen=True, eq=False)
class BlockFlow:
    """How the blocks move from each frame to the next: (F, 50, 2), pixels; the last frame's is not used.

    Block b stands in column b % 10 and row b // 10. Flow between distant frames is the sum of the steps.
    """

    steps: Floats = field(repr=False)

    def cumulative(self) -> Floats:
        """C[i]: flow from frame 0 to frame i, (F, 50, 2)."""
        zero = np.zeros((1, *self.steps.shape[1:]))
        return np.concatenate([zero, np.cumsum(self.steps[:-1], axis=0, dtype=np.float64)]).astype(np.float32)

    def focus(self, reach: int) -> NDArray[np.int8]:
        """Place of least n0 - Σ_b ⟨unit(u_b), unit(b - place)⟩ for each jump, at [j, d - 1], (F, reach, 2).

        n0 counts the blocks that are not at the place; a block without flow adds 0.
        """
        total = self.cumulative()
        places, towards, others = _places()
        out = np.zeros((len(total), reach, 2), np.int8)
        for d in range(1, reach + 1):
            moved = total[d:] - total[:-d]
            length = np.linalg.norm(moved, axis=2, keepdims=True)
            direction = np.divide(moved, length, out=np.zeros_like(moved), where=length > 0)
            cost = others - direction.reshape(len(moved), -1) @ towards
            out[d:, d - 1] = places[cost.argmin(1)]
        return out

    @staticmethod
    def instability(focus: NDArray[np.int8]) -> Floats:
        """F: distance of the focus from the centre of the picture, (F, reach)."""
        x, y = (focus[..., axis].astype(np.float32) - np.float32(CENTRE[axis]) for axis in (0, 1))
        shaking: Floats = np.hypot(x, y)
        reach = focus.shape[1]
        for j in range(min(reach, len(focus))):
            shaking[j, j:] = 0  # these jumps would start before frame 0
        return shaking

    def velocity(self, reach: int, speed: float) -> Floats:
        """V: how far the blocks' travel is from that of a jump at the target speed, (F, reach)."""
        total = self.cumulative()
        usual = min(max(1, round(speed)), len(total) - 1)
        wanted = float(_travel(total, usual).mean())
        out = np.zeros((len(total), reach), np.float32)
        for d in range(1, reach + 1):
            out[d:, d - 1] = np.abs(_travel(total, d) - wanted)
        return out

    def coarse(self) -> Floats:
        """Flow of 5 × 5 blocks, as SAS has it: neighbours in a row averaged, (F, 25, 2)."""
        pairs = self.steps.reshape(len(self.steps), ROWS, COLUMNS // 2, 2, 2)
        merged: Floats = pairs.mean(3).reshape(len(self.steps), -1, 2)
        return merged


def _travel(total: Floats, d: int) -> Floats:
    """Σ_b ‖C[i + d] - C[i]‖ for every i, (F - d,)."""
    length: Floats = np.linalg.norm(total[d:] - total[:-d], axis=2).sum(1)
    return length


def _places() -> tuple[NDArray[np.int8], Floats, Floats]:
    """Places (806, 2), unit vectors from each to the blocks (100, 806), and n0 (806,)."""
    places = np.array([(x, y) for x in PLACES_X for y in PLACES_Y], np.int8)
    blocks = np.array([(x, y) for y in range(1, ROWS + 1) for x in range(1, COLUMNS + 1)], np.float32)
    away = blocks[:, None] - places
    length = np.linalg.norm(away, axis=2, keepdims=True)
    towards = np.divide(away, length, out=np.zeros_like(away), where=length > 0)
    others = (length[..., 0] > 0).sum(0).astype(np.float32)
    return places, np.ascontiguousarray(towards.transpose(0, 2, 1).reshape(-1, len(places))), others
