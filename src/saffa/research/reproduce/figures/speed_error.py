"""How far the output speed is from the target, for targets from 2 to 20 (the paper's bar plot, for every method)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from saffa.research.reproduce.figures.canvas import INK, colour, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Errors = Mapping[str, Mapping[float, Sequence[float]]]
"""Method → target speed → error of each seed."""
FLOOR = 1e-4
"""Of the logarithmic axis: a method that meets the target to the frame would lie anywhere below."""


def draw_speed_errors(benches: Mapping[str, tuple[Errors, Errors]], stem: Path) -> tuple[Path, ...]:
    """A row per bench. Left the mean of OS − S*, the paper's; right the mean over videos of |OS − S*|, log scale."""
    figure = new_figure(11, 3.4 * len(benches))
    panels = figure.subplots(len(benches), 2, squeeze=False)
    for (left, right), (title, (signed, absolute)) in zip(panels, benches.items(), strict=True):
        left.axhline(0, color=INK, linewidth=0.8)
        for place, method in enumerate(signed):
            draw_errors(left, method, place, signed[method])
            draw_errors(right, method, place, absolute[method], FLOOR)
        left.set_ylabel("mean OS − S*")
        right.set(yscale="log", ylabel=f"mean |OS − S*|, log\n(below {FLOOR:g} not drawn)")
        for axes in (left, right):
            axes.set_title(title, fontsize=9, loc="left")
            axes.set_xlabel("target speed S*")
            axes.set_xticks(sorted({speed for errors in signed.values() for speed in errors}))
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(labelsize=8)
        right.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return save(figure, stem)


def draw_errors(
    axes: Axes, method: str, place: int, errors: Mapping[float, Sequence[float]], floor: float = -np.inf
) -> None:
    """The mean of the seeds as a line, their range as a band; points below the floor are left out.

    A range that reaches below the floor has no lower end to draw: cut off there it would cover the whole axis and all
    others on it, so the method has no band then. Methods that meet the target lie on each other: rings of different
    sizes by `place`.
    """
    speeds = list(errors)
    mean = np.array([np.mean(values) for values in errors.values()])
    shown = np.where(mean < floor, np.nan, mean)
    size = 3 + place
    axes.plot(
        speeds, shown, color=colour(method), label=method, marker="o", markerfacecolor="none", markersize=size, lw=1.0
    )
    if any(len(values) > 1 for values in errors.values()):
        low, high = ([ends(v) for v in errors.values()] for ends in (min, max))
        if min(low) >= floor:
            axes.fill_between(speeds, low, high, color=colour(method), alpha=0.15, linewidth=0)
