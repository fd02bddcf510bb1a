"""How far the output speed is from the target, for targets from 2 to 20 (the paper's bar plot, for every method)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from saffa.evaluation.figures.canvas import INK, colour, new_figure, save

Errors = Mapping[str, Mapping[float, float]]
"""Method → target speed → error."""


def draw_speed_errors(benches: Mapping[str, tuple[Errors, Errors]], stem: Path) -> tuple[Path, ...]:
    """A row per bench. Left the mean of OS − S*, the paper's; right the mean over videos of |OS − S*|, log scale."""
    figure = new_figure(11, 3.4 * len(benches))
    panels = figure.subplots(len(benches), 2, squeeze=False)
    for (left, right), (title, (signed, absolute)) in zip(panels, benches.items(), strict=True):
        left.axhline(0, color=INK, linewidth=0.8)
        for place, method in enumerate(signed):
            # methods that meet the target lie on each other: rings of different sizes
            style = {"marker": "o", "markerfacecolor": "none", "ms": 3 + place, "lw": 1.0}
            speeds, floor = list(signed[method]), [max(value, 1e-4) for value in absolute[method].values()]
            left.plot(speeds, list(signed[method].values()), color=colour(method), label=method, **style)
            right.plot(speeds, floor, color=colour(method), label=method, **style)
        left.set_ylabel("mean OS − S*")
        right.set(yscale="log", ylabel="mean |OS − S*|, log")
        for axes in (left, right):
            axes.set_title(title, fontsize=9, loc="left")
            axes.set_xlabel("target speed S*")
            axes.set_xticks(sorted({speed for errors in signed.values() for speed in errors}))
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(labelsize=8)
        right.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return save(figure, stem)
