"""What all figures share: colours of methods, and a file as PNG and SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from saffa.core.clock import format_length
from saffa.core.types import Doubles, Ints
from saffa.core.whole_file import whole_file
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.roc import GRID

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INK, PALE = "#1f2933", "#d9e2ec"
COLOURS = {
    "uniform": "#7b8794",
    "ffnet": "#111827",
    "sas": "#0f766e",
    "sasv2": "#0d9488",
    "bot": "#6d28d9",
    "non-rl": "#a855f7",
    "sff-rl": "#be185d",
    "saffa-published": "#1d4ed8",
    "saffa": "#2563eb",
    "plan": "#c2410c",
    "plan-balanced": "#ea580c",
    "oracle": "#15803d",
}


def new_figure(width: float, height: float) -> Figure:
    """Inches; drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def colour(method: str) -> str:
    """Colour of a method, also with something said after a comma; ink for one that has none."""
    return COLOURS.get(method.partition(",")[0], INK)


def save(figure: Figure, stem: Path) -> tuple[Path, ...]:
    """`stem.png` and `stem.svg`, each whole or not at all; the same picture gives the same file."""
    from matplotlib import rc_context  # noqa: PLC0415

    paths = stem.with_name(f"{stem.name}.png"), stem.with_name(f"{stem.name}.svg")
    with rc_context({"svg.hashsalt": "saffa"}):
        for path, about in zip(paths, ({}, {"Date": None}), strict=True):
            with whole_file(path) as part:
                figure.savefig(part, dpi=130, metadata=about)
    return paths


SHOWN = 10
MARKS = ("*", "D")


@dataclass(frozen=True)
class Sample:
    """A document at a place in the cloud, with the attention on each of its sentences."""

    title: str
    place: int
    sentences: tuple[str, ...]
    weights: tuple[float, ...]
    own: tuple[bool, ...]
    """Whether each sentence is about the video itself."""
    fit: float


@dataclass(frozen=True, eq=False)
class Cloud:
    """points (n, 2), fit (n,)."""

    points: Doubles = field(repr=False)
    fit: Doubles = field(repr=False)
    samples: tuple[Sample, ...]
    encoder: str


def draw_cloud(cloud: Cloud, stem: Path, *, quote: bool = True) -> tuple[Path, ...]:
    """Left the cloud, right the samples; without `quote` sentences are told by whose they are."""
    figure = new_figure(12, 5.4)
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.25], squeeze=False)[0]
    axes = left.subplots()
    dots = axes.scatter(*cloud.points.T, c=cloud.fit, cmap="coolwarm_r", s=11, linewidths=0)
    for mark, sample in zip(MARKS, cloud.samples, strict=False):
        axes.scatter(
            *cloud.points[sample.place], marker=mark, s=150, color="none", edgecolors="black", label=sample.title
        )
    axes.set(xticks=[], yticks=[])
    axes.set_title(f"t-SNE of e_D ({cloud.encoder})", fontsize=9, loc="left", color=INK)
    axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.01), ncols=2)
    left.colorbar(dots, ax=axes, shrink=0.8, label="fit with the video, e_D·e_v")
    for panel, sample in zip(right.subplots(len(cloud.samples), 1, squeeze=False)[:, 0], cloud.samples, strict=True):
        _draw_sample(panel, sample, quote)
    return save(figure, stem)


def _draw_sample(axes: Axes, sample: Sample, quote: bool) -> None:
    ranked = sorted(zip(sample.weights, sample.own, sample.sentences, strict=True), reverse=True)[:SHOWN]
    shades = ["#93b5e1" if own else PALE for _, own, _ in ranked]
    axes.barh(range(len(ranked)), [weight for weight, _, _ in ranked], color=shades, height=0.8)
    for place, (weight, own, sentence) in enumerate(ranked):
        said = shorten(sentence, 62, placeholder="…") if quote else f"caption of {'this' if own else 'another'} clip"
        text = f"{weight:.2f}  {said}"
        axes.text(0.01, place, text, va="center", fontsize=7.5, color=INK, transform=axes.get_yaxis_transform())
    axes.set(yticks=[], ylim=(len(ranked) - 0.5, -0.5), xlim=(0, None))
    axes.tick_params(labelsize=7)
    hidden = len(sample.sentences) - len(ranked)
    title = f"{sample.title}: fit {sample.fit:.2f}; attention per sentence, {hidden} lower ones not shown"
    axes.set_title(title, fontsize=8.5, loc="left", color=INK)
    axes.spines[["top", "right"]].set_visible(False)


def draw_selections(
    videos: Mapping[str, tuple[BenchmarkVideo, Mapping[str, Ints]]], speed: float, stem: Path
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


Errors = Mapping[str, Mapping[float, Sequence[float]]]
"""Method → target speed → error of each seed."""
FLOOR = 1e-4
"""Lower end of the logarithmic axis: a method that meets the target to the frame would lie anywhere below."""


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


def draw_roc(curves: Mapping[str, Sequence[Doubles]], areas: Mapping[str, float], stem: Path) -> tuple[Path, ...]:
    """The mean curve of each encoder in one picture; a legend with the areas."""
    figure = new_figure(5.2, 4.6)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, linestyle=":")
    for name, rows in curves.items():
        axes.plot(GRID, np.mean(rows, axis=0), linewidth=1.6, label=f"{name}  {areas[name]:.3f}")
    axes.set(xlabel="false-positive rate", ylabel="true-positive rate", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(title="mean frame AUC", loc="lower right", fontsize="small", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return save(figure, stem)
