"""Tables and curves for people at a terminal."""

from __future__ import annotations

from math import floor, isnan

import numpy as np
from rich.console import Console
from rich.table import Table

from saffa.cli.summary import Summary, speed_curve
from saffa.core.clock import format_length
from saffa.core.result import Result

CURVE_COLUMNS = 60
_BLOCKS = "▁▂▃▄▅▆▇█"
_CUT = "✂"
_MAX_SENTENCES = 30


def print_plan(console: Console, result: Result) -> None:
    """Print lengths before and after, the speed curve and the sentences."""
    summary = Summary.of(result)
    table = Table(show_edge=False, pad_edge=False)
    for heading in ("", "before", "after", "ratio"):
        table.add_column(heading, justify="left" if not heading else "right")
    before, after = format_length(summary.source_seconds), format_length(summary.seconds)
    table.add_row("length", before, after, f"{summary.source_seconds / summary.seconds:.2f}×")
    table.add_row(
        "frames", f"{summary.source_frames:,}", f"{summary.frames:,}", f"{summary.source_frames / summary.frames:.2f}×"
    )
    console.print(table)
    console.print(f"speed {summary.slowest:g}× to {summary.fastest:g}×, asked for {summary.target_speed:.4g}×")
    console.print(speed_line(result), highlight=False)
    _print_sentences(console, summary)
    if summary.fit is not None:
        console.print(f"{summary.fit:.0%} sure, by the {summary.fit_by}, that text and video belong together.")


def speed_line(result: Result) -> str:
    """The speed along the source as a row of blocks, high = fast; scissors where it is cut out."""
    curve = speed_curve(result, CURVE_COLUMNS)
    top = max(float(np.nanmax(curve)), 1.0)
    blocks = "".join(_CUT if isnan(speed) else _BLOCKS[min(int(speed / top * 8), 7)] for speed in curve.tolist())
    end = format_length(result.timeline.source.duration)
    return f"0:00 {blocks} {end}"


def _print_sentences(console: Console, summary: Summary) -> None:
    if not any(s.shown_at is not None for s in summary.sentences):
        return
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("sentence", overflow="ellipsis", no_wrap=True, max_width=max(20, console.width - 44))
    told = any(s.confidence is not None for s in summary.sentences)
    for heading in ("shown at", "for", "at ≤ 2×", *(["sure"] if told else [])):
        table.add_column(heading, justify="right", no_wrap=True)
    for s in summary.sentences[:_MAX_SENTENCES]:
        when = "–" if s.shown_at is None else format_length(s.shown_at)
        times = (when, _tenths(s.shown_for), _tenths(s.near_normal)) if s.found else ("not found", "–", "–")
        table.add_row(s.sentence, *times, *([] if s.confidence is None else [f"{s.confidence:.0%}"]))
    console.print(table)
    if len(summary.sentences) > _MAX_SENTENCES:
        console.print(f"… and {len(summary.sentences) - _MAX_SENTENCES} more sentences")
    console.print(
        f"{summary.watchable} of {len(summary.sentences)} sentences get at least a second at no more than 2×."
    )


def _tenths(seconds: float) -> str:
    """Seconds in whole tenths, never rounded up: what reads as a second is one."""
    return f"{floor(seconds * 10 + 1e-9) / 10:.1f} s"
