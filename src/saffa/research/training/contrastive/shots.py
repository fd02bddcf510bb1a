"""Stretches of a video that show one thing, found from its features alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CUT = 0.5
"""Cosine distance of neighbouring features beyond which one shot ends and the next begins.

Chosen on msvd-long val, where it lies between the 95th percentile of the distances inside clips (.30) and the 1st at
their ends (.66); .4 to .6 serve about equally well.
"""

Floats = NDArray[np.floating]


def shot_starts(features: Floats, cut: float = CUT) -> NDArray[np.int64]:
    """First rows of the shots of features (M, z), beginning with 0."""
    unit = features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9)
    distance = 1 - np.einsum("mz,mz->m", unit[:-1], unit[1:])
    return np.concatenate([[0], np.flatnonzero(distance > cut) + 1]).astype(np.int64)


def shot_of_row(starts: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """The shot that each of `rows` rows belongs to, (rows,)."""
    return np.searchsorted(starts, np.arange(rows), side="right") - 1


def shot_means(values: Floats, shots: NDArray[np.int64], weights: Floats) -> NDArray[np.float64]:
    """Weighted mean of values (M, k) over each shot, (shots, k); `weights` (M,) are the rows' numbers of frames."""
    count = int(shots[-1]) + 1
    total = np.zeros((count, values.shape[1]))
    np.add.at(total, shots, values * weights[:, None])
    return total / np.bincount(shots, weights, minlength=count)[:, None]
