"""What a command leaves behind beside the video: tables or JSON on the terminal, timeline and plot as files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import floor, isnan
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from saffa.cli.plot import check_plot, plot
from saffa.cli.summary import Summary, speed_curve
from saffa.core.clock import format_length
from saffa.core.result import Result
from saffa.core.strict_json import json_text
from saffa.core.types import Progress as ProgressCallback
from saffa.core.whole_file import check_distinct, check_output_file

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


@dataclass(frozen=True)
class Reports:
    """What the user wants to see of a run."""

    timeline: Path | None
    plot: Path | None
    as_json: bool
    overwrite: bool = False

    def files(self, video: Path | None) -> list[Path]:
        """All that will be written; `video` is the other output, if one is."""
        return [path for path in (video, self.timeline, self.plot) if path is not None]

    def check(self, inputs: tuple[Path, ...], video: Path | None) -> None:
        """Refuse bad paths before any work is done."""
        check_distinct(self.files(video))
        for path in self.files(None):
            check_output_file(path, inputs, self.overwrite)
        if self.plot is not None:
            check_plot(self.plot)

    def show_plan(self, result: Result) -> None:
        """Show warnings, the table and the curve, before rendering."""
        warn(result.warnings)
        if not self.as_json:
            for note in result.notes:
                print(note, flush=True)
            print_plan(Screen(), result)

    def finish(self, result: Result, video: Path | None) -> None:
        """Write the files asked for and say so."""
        if result.rendered is not None:
            warn(tuple(w for w in result.rendered.warnings if w not in result.warnings))
        if self.timeline is not None:
            result.timeline.save(self.timeline, overwrite=self.overwrite)
        if self.plot is not None:
            plot(result, self.plot, overwrite=self.overwrite)
        beside = result.rendered.subtitles if result.rendered else None
        files = {"video": video, "subtitles": beside, "timeline": self.timeline, "plot": self.plot}
        written = {kind: str(path) for kind, path in files.items() if path is not None}
        facts = Summary.of(result).to_json() | {
            "method": result.selection.method,
            "encoder": result.alignment.encoder,
            "speed_curve": [round(float(speed), 4) for speed in speed_curve(result, CURVE_COLUMNS)],
            "files": written,
            "warnings": list(dict.fromkeys([*result.warnings, *(result.rendered.warnings if result.rendered else ())])),
            "notes": [*result.notes, *(result.rendered.notes if result.rendered else ())],
        }
        dry = "" if video is not None else " (dry run: no video)" if written else "dry run: nothing written"
        news = f"wrote {', '.join(written.values())}" if written else ""
        told = result.rendered.notes if result.rendered else ()
        say(facts, "\n".join([*told, news + dry]), self.as_json)


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """A bar for the stage at work, on standard error; nothing where that is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("", total=1.0)
        yield lambda stage, share: bars.update(task, description=stage, completed=share)


def warn(warnings: tuple[str, ...]) -> None:
    """Warnings go to standard error, one line each."""
    for warning in warnings:
        sys.stderr.write(f"saffa: warning: {warning}\n")


def say(facts: dict[str, Any], text: str, as_json: bool) -> None:
    """Print the news, for machines or for people."""
    try:
        print(json_text(facts) if as_json else text, flush=True)
    except BrokenPipeError:
        _nobody_listens()


class Screen(Console):
    """Standard output. When nobody reads on (`| head`), the work goes on: its files matter more than the table."""

    def on_broken_pipe(self) -> None:
        """Go on without output, where rich would leave."""
        _nobody_listens()


def _nobody_listens() -> None:
    """Discard further output after a broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
