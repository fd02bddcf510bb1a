"""Mean reciprocal rank: how far up each clip finds its own document (paper, section 4.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def cosine_scores(clips: Floats, documents: Floats) -> NDArray[np.float64]:
    """Scores (Q, N) of N documents for Q clips.

    Documents (N, d), each encoded once, with its own clip: the paper's way, which lets the clip leak into the
    text side. Documents (Q, N, d), all encoded anew with each query clip: the honest way.
    """
    rows, columns = _unit(clips), _unit(documents)
    scores: NDArray[np.float64] = np.einsum("qd,nd->qn" if columns.ndim == 2 else "qd,qnd->qn", rows, columns)
    return scores


def reciprocal_ranks(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """1 / rank of entry i in row i of scores (N, N). Equals share their places, so that a constant is no success."""
    right = np.diagonal(scores)[:, None]
    rank = 1 + (scores > right).sum(1) + ((scores == right).sum(1) - 1) / 2
    return np.asarray(1 / rank, np.float64)


def mean_reciprocal_rank(scores: NDArray[np.floating]) -> float:
    """(1/Q) Σ 1/rank_q."""
    return float(reciprocal_ranks(scores).mean())


def _unit(vectors: Floats) -> NDArray[np.float64]:
    wide = np.asarray(vectors, np.float64)
    unit: NDArray[np.float64] = wide / np.maximum(np.linalg.norm(wide, axis=-1, keepdims=True), 1e-12)
    return unit
