"""How good a selection is: the paper's measures, and whether every step can be watched.

Percent as in the paper. Precision, recall, F1 and output speed are per video and then averaged (method A7);
OP joins the averages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from saffa.core.selection import WATCHABLE_SECONDS, WATCHABLE_SKIP, even_frames
from saffa.core.types import Flags, Ints
from saffa.research.datasets.base import BenchmarkVideo

SPEED_TOLERANCE = 0.0838
"""Relative width of the paper's Gaussian around the target speed in OP."""


@dataclass(frozen=True)
class Scores:
    """Measures of one selection of one video."""

    precision: float
    recall: float
    f1: float
    os: float
    watchable_steps: float
    step_hit: float = nan
    """Share of the text's sentences whose own step is shown slowly and is taken for theirs."""
    f1_even: float = nan
    """F1 of as many evenly spaced frames: what the length alone is worth."""

    @property
    def gain(self) -> float:
        """F1 less that of as many even frames: methods of different lengths can be compared by it."""
        return self.f1 - self.f1_even


def precision_recall_f1(selected: Ints, truth: Flags) -> tuple[float, float, float]:
    """Precision, recall and F1 in percent; `truth` marks the relevant frames, (frames,). Without a hit F1 is 0."""
    hits = int(truth[selected].sum())
    relevant = int(truth.sum())
    precision = 100 * hits / len(selected) if len(selected) else nan
    recall = 100 * hits / relevant if relevant else nan
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return precision, recall, f1


def watchable_steps(selected: Ints, steps: Sequence[tuple[int, int]], rate: float) -> float:
    """Share of steps [start, end) with at least a second of output frames inside whose skip is at most 2."""
    if not steps:
        return nan
    slow = selected[_slow(selected)]
    inside = [np.searchsorted(slow, end) - np.searchsorted(slow, start) for start, end in steps]
    return float(np.mean([count >= WATCHABLE_SECONDS * rate for count in inside]))


def step_hit(
    selected: Ints, sentences: Sequence[int | None], steps: Sequence[tuple[int, int]], texts: int, rate: float
) -> float:
    """Share of `texts` sentences k of which a second at skip ≤ 2 lies inside step k and is attributed to sentence k.

    `sentences` has one entry per selected frame. A sentence without a step of its own (a wrong text) is never hit.
    """
    attributed = np.array([-1 if k is None else k for k in sentences], np.int64)
    slow = _slow(selected)
    hits = 0
    for k, (start, end) in enumerate(steps[:texts]):
        inside = (selected >= start) & (selected < end) & (attributed == k) & slow
        hits += int(inside.sum()) >= WATCHABLE_SECONDS * rate
    return hits / texts if texts else nan


def score(selected: Ints, video: BenchmarkVideo, sentences: Sequence[int | None] | None = None) -> Scores:
    """All measures of one selection of a video; `sentences` says what each selected frame is taken for."""
    rate, steps = float(video.rate), video.steps
    truth = truth_of(steps, video.frames)
    precision, recall, f1 = precision_recall_f1(selected, truth)
    even = precision_recall_f1(even_frames(video.frames, len(selected)), truth)[2]
    hit = nan if sentences is None else step_hit(selected, sentences, steps, len(video.document), rate)
    speed, watchable = video.frames / len(selected), watchable_steps(selected, steps, rate)
    return Scores(precision, recall, f1, speed, watchable, hit, even)


def _slow(selected: Ints) -> Flags:
    """Whether each selected frame follows the one before by at most 2, shape (n,)."""
    return np.asarray(np.diff(selected, prepend=0) <= WATCHABLE_SKIP)


def truth_of(steps: Sequence[tuple[int, int]], frames: int) -> Flags:
    """Mark the frames inside any step, shape (frames,)."""
    truth = np.zeros(frames, bool)
    for start, end in steps:
        truth[start:end] = True
    return truth


def overall_performance(f1: float, os: float, target: float) -> float:
    """OP: harmonic mean of the mean F1 and of a Gaussian of the mean speed around the target (paper §4.2)."""
    accuracy = 100 * float(np.exp(-0.5 * ((os - target) / (SPEED_TOLERANCE * target)) ** 2))
    return 2 * f1 * accuracy / (f1 + accuracy) if f1 + accuracy > 0 else 0.0
