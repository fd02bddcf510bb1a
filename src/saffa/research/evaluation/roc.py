"""How well a relevance curve tells frames of steps from others, whatever the threshold: ROC and its area."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saffa.core.types import Doubles, Flags

AnyFloats = NDArray[np.floating]
GRID = np.linspace(0, 1, 201)
"""False-positive rates at which curves of several videos are averaged."""


def frame_auc(relevance: AnyFloats, truth: Flags) -> float:
    """Chance that a frame of a step has more relevance than another frame, equals counting half; nan without both."""
    positive, negative = int(truth.sum()), int((~truth).sum())
    if not positive or not negative:
        return float("nan")
    _, place, counts = np.unique(relevance, return_inverse=True, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2  # shared by equals
    return float((rank[place[truth]].sum() - positive * (positive + 1) / 2) / (positive * negative))


def mean_area(areas: Sequence[float]) -> float:
    """Mean over the videos that have an area; nan if none has."""
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def roc_curve(relevance: AnyFloats, truth: Flags) -> Doubles:
    """True-positive rate of one video at the false-positive rates of GRID, shape (201,)."""
    _, place = np.unique(-relevance, return_inverse=True)
    hits = np.bincount(place, truth).cumsum() / max(1, truth.sum())
    false = np.bincount(place, ~truth).cumsum() / max(1, (~truth).sum())
    curve: Doubles = np.interp(GRID, np.concatenate([[0], false]), np.concatenate([[0], hits]))
    return curve
