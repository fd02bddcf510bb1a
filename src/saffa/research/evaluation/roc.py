"""How well a relevance curve tells frames of steps from others, whatever the threshold: ROC and its area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.core.whole_file import whole_file

Floats = NDArray[np.floating]
Truth = NDArray[np.bool_]
GRID = np.linspace(0, 1, 201)
"""False-positive rates at which curves of several videos are averaged."""


def frame_auc(relevance: Floats, truth: Truth) -> float:
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


def roc_curve(relevance: Floats, truth: Truth) -> NDArray[np.float64]:
    """True-positive rate of one video at the false-positive rates of GRID, shape (201,)."""
    _, place = np.unique(-relevance, return_inverse=True)
    hits = np.bincount(place, truth).cumsum() / max(1, truth.sum())
    false = np.bincount(place, ~truth).cumsum() / max(1, (~truth).sum())
    curve: NDArray[np.float64] = np.interp(GRID, np.concatenate([[0], false]), np.concatenate([[0], hits]))
    return curve


def plot_roc(curves: Mapping[str, Sequence[NDArray[np.float64]]], areas: Mapping[str, float], path: Path) -> None:
    """The mean curve of each encoder in one picture; a legend with the areas."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(5.2, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, linestyle=":")
    for name, rows in curves.items():
        axes.plot(GRID, np.mean(rows, axis=0), linewidth=1.6, label=f"{name}  {areas[name]:.3f}")
    axes.set(xlabel="false-positive rate", ylabel="true-positive rate", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(title="mean frame AUC", loc="lower right", fontsize="small", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    with whole_file(path) as part:
        figure.savefig(part, dpi=150)
