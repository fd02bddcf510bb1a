"""What the agent sees at a frame (paper §3.2.1): s = [e_D ; e_v ; NRPE ; one-hot of the average skip].

Document first. Without the position or the skip part the state is that of the paper's ablation (256/306/306/356
numbers for the published embedding width).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saffa.agent.dynamics import MAX_VELOCITY

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

    def write(
        self,
        out: NDArray[np.float32],
        scales: NDArray[np.float64],
        left: NDArray[np.int64] | int,
        index: NDArray[np.int64] | int,
    ) -> None:
        """Fill what follows the embeddings in states `out` (width,) or (n, width).

        scales  `position_scales` of the video, (25,), or of n videos, (n, 25)
        left    frames between here and the last one, F − 1 − f: a number or (n, 1)
        index   `skip_index`: a number or (n,)
        """
        at = self.embedding
        if self.position:
            angles = left * scales
            np.sin(angles, out=out[..., at : at + POSITION : 2], casting="same_kind")
            np.cos(angles, out=out[..., at + 1 : at + POSITION : 2], casting="same_kind")
            at += POSITION
        if self.skip:
            out[..., at:] = 0
            if out.ndim == 1:
                out[at + index] = 1
            else:
                out[np.arange(len(out)), at + index] = 1

    def states(
        self, embeddings: NDArray[np.float32], frames: int, visited: NDArray[np.int64], index: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The states (n, width) of one video of `frames` frames from the embeddings (n, 2d) at n visited frames."""
        out = np.empty((len(visited), self.width), np.float32)
        out[:, : self.embedding] = embeddings
        self.write(out, position_scales(frames), (frames - 1 - visited)[:, None], index)
        return out


def position_scales(frames: int) -> NDArray[np.float64]:
    """1 / F^(2k/q), shape (25,): what the frames that are left are multiplied with."""
    return np.power(float(frames), -_SHARES)


def nrpe(frames: int) -> NDArray[np.float32]:
    """Normalised reversed positional encoding (paper eq. 2) of every frame of a video, shape (frames, 50)."""
    out = np.empty((frames, POSITION), np.float32)
    angles = np.arange(frames - 1, -1, -1)[:, None] * position_scales(frames)
    out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    return out


def skip_index(average: float, speed: float) -> int:
    """Where the one-hot vector is 1: round(average skip − S*) + 25, halves to even, as in the released code.

    The paper writes ⌊average⌋ − S* + 25. Up to S* = 25 the index lies in 1..49 by itself; beyond, it is held in range.
    """
    return min(max(round(average - speed + MAX_VELOCITY), 0), SKIP - 1)


def skip_indices(average: NDArray[np.float64], speed: NDArray[np.float64]) -> NDArray[np.int64]:
    """`skip_index` of many episodes, shape (n,)."""
    return np.clip(np.rint(average - speed + MAX_VELOCITY), 0, SKIP - 1).astype(np.int64)
