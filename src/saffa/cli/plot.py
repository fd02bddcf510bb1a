"""A picture of a run: relevance, speed and sentences over the time of the source."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from saffa.cli.terminal import printable
from saffa.core.clock import format_length
from saffa.core.errors import InputError
from saffa.core.result import Result
from saffa.core.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, ACCENT, PALE = "#1f2933", "#c2410c", "#d9e2ec"
MAX_ROWS = 24
SUFFIXES = (".png", ".svg", ".pdf", ".jpg")


def check_plot(path: Path) -> None:
    """Refuse before any work what cannot be drawn at the end."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"A plot can be written as {', '.join(SUFFIXES)}, not {path.suffix or 'without extension'}.")


def plot(result: Result, path: Path, *, overwrite: bool = True) -> None:
    """Write the picture, whole or not at all."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    sentences = result.alignment.document[:MAX_ROWS]
    figure = Figure(figsize=(11, 4.2 + 0.24 * len(sentences)), layout="constrained")
    heights = [1.2, 1.2, 0.3 + 0.16 * len(sentences)]
    relevance, speed, rows = figure.subplots(3, 1, sharex=True, height_ratios=heights)
    _draw_relevance(relevance, result)
    _draw_speed(speed, result)
    _draw_sentences(rows, result, sentences)
    for axes in (relevance, speed, rows):
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
    rows.xaxis.set_major_formatter(lambda seconds, _: format_length(seconds).removesuffix(".0"))
    rows.set_xlabel("time in the source")
    source, output = result.timeline.source.duration, result.timemap.duration
    figure.suptitle(
        f"{printable(Path(result.timeline.source.path).name)}: {format_length(source)} → {format_length(output)} "
        f"({result.selection.speed:.2f}×, {result.selection.method})",
        color=INK,
        fontsize=12,
        parse_math=False,  # a dollar sign is one
    )
    with whole_file(path, overwrite=overwrite) as part:
        figure.savefig(part, dpi=130)


def _draw_relevance(axes: Axes, result: Result) -> None:
    times, values = result.alignment.times, result.alignment.relevance
    axes.fill_between(times, values, values.min(), color=PALE)
    axes.plot(times, values, color=INK, linewidth=1)
    axes.set_ylabel("relevance")
    axes.set_yticks([])


def _draw_speed(axes: Axes, result: Result) -> None:
    knots = result.timemap.source_seconds
    heard = result.timeline.spliced(result.timemap)
    slots = np.diff(heard.output_seconds)
    axes.stairs(np.diff(heard.source_seconds) / slots, knots, color=ACCENT, linewidth=1.2, baseline=None)
    for start, end in result.timeline.splice.cuts:
        axes.axvspan(float(start), float(end), facecolor="white", edgecolor=INK, hatch="//", linewidth=0, zorder=3)
    axes.axhline(result.selection.speed, color=INK, linewidth=0.8, linestyle=":")
    axes.set_ylabel("speed")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda speed, _: f"{speed:g}×")


def _draw_sentences(axes: Axes, result: Result, sentences: tuple[str, ...]) -> None:
    for segment in result.timeline.segments():
        if segment.sentence is not None and segment.sentence < len(sentences):
            # Darker where it is slower: the slow parts are what a viewer sees.
            shade = min(1.0, 0.15 + 1.2 / float(segment.speed))
            start, end = float(segment.source_start), float(segment.source_end)
            axes.barh(segment.sentence, end - start, left=start, height=0.8, color=ACCENT, alpha=shade, linewidth=0)
    shown = [printable(shorten(s, 46, placeholder="…")) for s in sentences]
    axes.set_yticks(range(len(sentences)), shown, fontsize=8, parse_math=False)
    axes.set_ylim(len(sentences) - 0.5, -0.5)
    hidden = len(result.alignment.document) - len(sentences)
    if hidden:
        axes.set_title(f"first {MAX_ROWS} sentences; {hidden} more", fontsize=8, loc="right")
