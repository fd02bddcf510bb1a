"""How good a selection is: the paper's measures, and whether every step can be watched.

Percent as in the paper. Precision, recall, F1 and output speed are per video and then averaged (method A7);
OP joins the averages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SPEED_TOLERANCE = 0.0838
"""Relative width of the paper's Gaussian around the target speed in OP."""

WATCHABLE_SKIP = 2
WATCHABLE_SECONDS = 1.0

Frames = NDArray[np.int64]


@dataclass(frozen=True)
class Scores:
    """Measures of one selection of one video."""

    precision: float
    recall: float
    f1: float
    os: float
    watchable_steps: float


def precision_recall_f1(selected: Frames, truth: NDArray[np.bool_]) -> tuple[float, float, float]:
    """In percent. `truth` marks the relevant frames, shape (frames,); without a hit F1 is 0."""
    hits = int(truth[selected].sum())
    relevant = int(truth.sum())
    precision = 100 * hits / len(selected) if len(selected) else float("nan")
    recall = 100 * hits / relevant if relevant else float("nan")
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return precision, recall, f1


def watchable_steps(selected: Frames, steps: Sequence[tuple[int, int]], rate: float) -> float:
    """Share of steps [start, end) with at least a second of output frames inside whose skip is at most 2."""
    if not steps:
        return float("nan")
    slow = selected[np.diff(selected, prepend=0) <= WATCHABLE_SKIP]
    inside = [np.searchsorted(slow, end) - np.searchsorted(slow, start) for start, end in steps]
    return float(np.mean([count >= WATCHABLE_SECONDS * rate for count in inside]))


def score(selected: Frames, frames: int, steps: Sequence[tuple[int, int]], rate: float) -> Scores:
    """All measures of one selection; `steps` are frame ranges [start, end)."""
    precision, recall, f1 = precision_recall_f1(selected, truth_of(steps, frames))
    return Scores(precision, recall, f1, frames / len(selected), watchable_steps(selected, steps, rate))


def truth_of(steps: Sequence[tuple[int, int]], frames: int) -> NDArray[np.bool_]:
    """Mark the frames inside any step, shape (frames,)."""
    truth = np.zeros(frames, bool)
    for start, end in steps:
        truth[start:end] = True
    return truth


def overall_performance(f1: float, os: float, target: float) -> float:
    """OP: harmonic mean of the mean F1 and of a Gaussian of the mean speed around the target (paper §4.2)."""
    accuracy = 100 * float(np.exp(-0.5 * ((os - target) / (SPEED_TOLERANCE * target)) ** 2))
    return 2 * f1 * accuracy / (f1 + accuracy) if f1 + accuracy > 0 else 0.0
