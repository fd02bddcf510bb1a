"""The paper's qualitative figure: which frames each method selects, above the true steps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saffa.core.clock import format_length
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.reproduce.figures.canvas import INK, colour, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Frames = NDArray[np.int64]


def draw_selections(
    videos: Mapping[str, tuple[BenchmarkVideo, Mapping[str, Frames]]], speed: float, stem: Path
) -> tuple[Path, ...]:
    """One block per titled video: the truth as black blocks, a row of bars per method, its speed on the right."""
    heights = [1 + len(rows) for _, rows in videos.values()]
    figure = new_figure(11, 0.7 * len(videos) + 0.36 * sum(heights))
    panels = figure.subplots(len(videos), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (title, (video, rows)) in zip(panels, videos.items(), strict=True):
        seconds = video.frames / float(video.rate)
        names = ["truth", *rows]
        draw_truth(axes, video)
        for place, (method, frames) in enumerate(rows.items(), start=1):
            at = frames / float(video.rate)
            axes.vlines(at, place - 0.36, place + 0.36, color=colour(method), linewidth=0.35)
            axes.text(1.005 * seconds, place, f"{video.frames / len(frames):.2f}×", va="center", fontsize=8, color=INK)
        axes.text(1.005 * seconds, 0, f"S* {speed:g}×", va="center", fontsize=8, color=INK)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set(xlim=(0, seconds), ylim=(len(names) - 0.5, -0.5))
        axes.xaxis.set_major_formatter(lambda second, _: format_length(second).removesuffix(".0"))
        axes.set_title(title, fontsize=9, loc="left", color=INK)
        axes.tick_params(axis="x", labelsize=8)
    panels[-1].set_xlabel("time in the source", fontsize=8)
    return save(figure, stem)


def draw_truth(axes: Axes, video: BenchmarkVideo) -> None:
    """A black block per step; white edges, because many steps begin where the one before ends."""
    starts, ends = np.array(video.steps).T / float(video.rate)
    axes.barh(0, ends - starts, left=starts, height=0.72, color="black", edgecolor="white", linewidth=0.8)
