"""Documents as points, coloured by how well they fit a video; beside them what two of them pay attention to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saffa.research.reproduce.figures.canvas import INK, PALE, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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

    points: NDArray[np.float64] = field(repr=False)
    fit: NDArray[np.float64] = field(repr=False)
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
