"""What the agent sees at a frame (paper §3.2.1): s = [e_D ; e_v ; NRPE ; one-hot of the average skip].

Document first. Without the position or the skip part the state is that of the paper's ablation (256/306/306/356
numbers for the published embedding width).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saffa.core.types import Doubles, Floats, Ints
from saffa.methods.dynamics import MAX_VELOCITY

POSITION = 50  # q, the width of NRPE; the paper does not give it, the released code does
SKIP = 2 * MAX_VELOCITY  # m, the width of the one-hot vector
_SHARES = 2 * np.arange(POSITION // 2) / POSITION  # 2k/q for k = 0..24 (the paper counts from 1)


@dataclass(frozen=True)
class Observation:
    """Which parts the state has. `embedding` is 2d, the width of [e_D ; e_v]."""

    embedding: int = 256
    position: bool = True
    skip: bool = True

    def __post_init__(self) -> None:
        if self.embedding < 2 or self.embedding % 2:
            raise ValueError(f"[e_D ; e_v] has an even width of 2 or more, not {self.embedding}")

    @property
    def width(self) -> int:
        """Numbers in a state."""
        return self.embedding + POSITION * self.position + SKIP * self.skip

    def write(self, out: Floats, scales: Doubles, left: int, index: int) -> None:
        """Fill what follows the embeddings in a state `out` (width,).

        scales  `position_scales` of the video, (25,)
        left    frames between here and the last one, F − 1 − f
        index   `skip_index`
        """
        self._write_tail(out[self.embedding :], scales, left, index)

    def tails(self, frames: int, visited: Ints, index: Ints) -> Floats:
        """What follows the embeddings in the states at n visited frames of a video of `frames`, (n, width − 2d)."""
        out = np.empty((len(visited), self.width - self.embedding), np.float32)
        self._write_tail(out, position_scales(frames), (frames - 1 - visited)[:, None], index)
        return out

    def _write_tail(self, out: Floats, scales: Doubles, left: Ints | int, index: Ints | int) -> None:
        at = POSITION * self.position
        if self.position:
            write_position(out[..., :at], scales, left)
        if self.skip:
            out[..., at:] = 0
            if out.ndim == 1:
                out[at + index] = 1
            else:
                out[np.arange(len(out)), at + index] = 1


def write_position(out: Floats, scales: Doubles, left: Ints | int) -> None:
    """NRPE (eq. 2) into `out`, (50,) or (n, 50), where `left` frames, a number or (n, 1), remain."""
    angles = left * scales
    np.sin(angles, out=out[..., 0::2], casting="same_kind")
    np.cos(angles, out=out[..., 1::2], casting="same_kind")


class Position:
    """NRPE of one video, a moment at a time: `write_position` with fewer and cheaper calls."""

    def __init__(self, frames: int) -> None:
        self._scales = position_scales(frames)
        self._angles, self._waves = np.empty(POSITION // 2), np.empty((2, POSITION // 2))
        self._sine, self._cosine = self._waves
        self._written = np.empty(POSITION, np.float32)
        self._pairs = self._written.reshape(-1, 2).T

    def at(self, left: int) -> Floats:
        """Where `left` frames remain, (50,); overwritten by the next call."""
        angles = np.multiply(self._scales, left, self._angles)
        np.sin(angles, self._sine)
        np.cos(angles, self._cosine)
        self._pairs[...] = self._waves
        return self._written


def position_scales(frames: int) -> Doubles:
    """1 / F^(2k/q), shape (25,): what the frames that are left are multiplied with."""
    return np.power(float(frames), -_SHARES)


def nrpe(frames: int) -> Floats:
    """Normalised reversed positional encoding (paper eq. 2) of every frame of a video, shape (frames, 50)."""
    out = np.empty((frames, POSITION), np.float32)
    write_position(out, position_scales(frames), np.arange(frames - 1, -1, -1)[:, None])
    return out


def skip_index(average: float, speed: float) -> int:
    """Where the one-hot vector is 1: round(average skip − S*) + 25, halves to even, as in the released code.

    The paper writes ⌊average⌋ − S* + 25. Up to S* = 25 the index lies in 1..49 by itself; beyond, it is held in range.
    """
    return min(max(round(average - speed + MAX_VELOCITY), 0), SKIP - 1)
