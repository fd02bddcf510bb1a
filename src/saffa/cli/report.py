"""A run in numbers, and what a command leaves behind beside the video: tables or JSON, timeline and plot as files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isnan
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from saffa.cli.plot import check_plot, plot
from saffa.cli.terminal import printable, printable_lines
from saffa.core.alignment import FOUND
from saffa.core.clock import format_length
from saffa.core.result import Result
from saffa.core.selection import WATCHABLE_SECONDS, WATCHABLE_SKIP
from saffa.core.strict_json import json_text
from saffa.core.types import Doubles
from saffa.core.types import Progress as ProgressCallback
from saffa.core.whole_file import check_output_file


@dataclass(frozen=True)
class SentenceTime:
    """When and how slowly a sentence is shown: output seconds, None if it never comes to the fore."""

    sentence: str
    shown_at: float | None
    shown_for: float
    near_normal: float
    """Output seconds at no more than twice the normal speed."""
    confidence: float | None = None
    """Chance that the moment claimed for it is right; None if the encoder cannot tell."""

    @property
    def found(self) -> bool:
        """Whether a moment may be claimed for it."""
        return self.confidence is None or self.confidence >= FOUND

    @property
    def watchable(self) -> bool:
        """Found, and at least a second near normal speed."""
        return self.found and self.near_normal >= WATCHABLE_SECONDS


@dataclass(frozen=True)
class Summary:
    """What is printed before and after a run."""

    source_frames: int
    source_seconds: float
    frames: int
    seconds: float
    target_speed: float
    speed: float
    slowest: float
    fastest: float
    sentences: tuple[SentenceTime, ...]
    fit: float | None = None
    """Chance that text and video belong together."""
    fit_by: str | None = None
    """Who tells the fit: narration or pictures."""

    @classmethod
    def of(cls, result: Result) -> Summary:
        """Gather the figures of a planned or finished run."""
        skips, fit = result.selection.skips(), result.alignment.fit
        return cls(
            source_frames=result.timeline.source.frames,
            source_seconds=float(result.timeline.source.duration),
            frames=len(result.selection.frames),
            seconds=float(result.timemap.duration),
            target_speed=result.selection.target_speed,
            speed=result.selection.speed,
            slowest=float(skips.min()),
            fastest=float(skips.max()),
            sentences=tuple(_sentence_times(result)),
            fit=fit,
            fit_by=None if fit is None else "pictures" if result.alignment.by_pictures else "narration",
        )

    @property
    def watchable(self) -> int:
        """Number of sentences that can be watched."""
        return sum(s.watchable for s in self.sentences)

    def to_json(self) -> dict[str, Any]:
        """The summary as plain values, for machines."""
        return {
            "source": {"frames": self.source_frames, "seconds": self.source_seconds},
            "output": {"frames": self.frames, "seconds": self.seconds},
            "target_speed": self.target_speed,
            "speed": self.speed,
            "slowest": self.slowest,
            "fastest": self.fastest,
            "fit": self.fit,
            "fit_by": self.fit_by,
            "watchable_sentences": self.watchable,
            "sentences": [
                {
                    "text": s.sentence,
                    "shown_at": s.shown_at,
                    "shown_for": s.shown_for,
                    "near_normal": s.near_normal,
                    "confidence": s.confidence,
                    "found": s.found,
                }
                for s in self.sentences
            ],
        }


def speed_curve(result: Result, columns: int) -> Doubles:
    """Mean speed in `columns` equal parts of the source: source time over output time, shape (columns,).

    NaN where all of a part is cut out.
    """
    edges = np.linspace(0, float(result.timeline.source.duration), columns + 1)
    splice, heard = result.timeline.splice, result.timeline.spliced(result.timemap)
    left = np.array([float(splice.to_spliced(Fraction(edge))) for edge in edges])
    output = np.interp(left, heard.source_seconds, heard.output_seconds)
    shown, source = np.diff(output), np.diff(left)
    return np.where(shown > 1e-9, source / np.maximum(shown, 1e-9), np.nan)


def _sentence_times(result: Result) -> list[SentenceTime]:
    rate = result.timeline.source.rate
    skips = result.selection.skips()
    owner = np.full(len(skips), -1)
    starts = result.timemap.source_seconds[:-1]
    for segment in result.timeline.segments():
        if segment.sentence is not None:
            first, end = np.searchsorted(starts, [float(segment.source_start), float(segment.source_end)])
            owner[first:end] = segment.sentence
    sure = result.alignment.confidence
    found = []
    for index, sentence in enumerate(result.timeline.document):
        mine = np.flatnonzero(owner == index)
        slow = mine[skips[mine] <= WATCHABLE_SKIP] if len(mine) else mine
        shown_at = float(int(mine[0]) / rate) if len(mine) else None
        chance = None if sure is None else round(float(sure[index]), 4)
        found.append(SentenceTime(sentence, shown_at, float(len(mine) / rate), float(len(slow) / rate), chance))
    return found


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
        by = "pictures" if summary.fit_by == "pictures" else "words"  # those said, or read where nothing is said
        console.print(f"{summary.fit:.0%} sure, by the {by}, that text and video belong together.")


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

    def check(self, inputs: tuple[Path, ...]) -> None:
        """Refuse bad paths before any work is done."""
        for path in self.files(None):
            check_output_file(path, inputs, self.overwrite)
        if self.plot is not None:
            check_plot(self.plot)

    def show_plan(self, result: Result) -> None:
        """Show warnings, the table and the curve, before rendering."""
        warn(result.warnings)
        if not self.as_json:
            for note in result.notes:
                print(printable(note), flush=True)
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
        sys.stderr.write(f"saffa: warning: {printable(warning)}\n")


def say(facts: dict[str, Any], text: str, as_json: bool) -> None:
    """Print the news, for machines or for people."""
    try:
        print(json_text(facts, ascii_only=not _takes_all()) if as_json else printable_lines(text), flush=True)
    except BrokenPipeError:
        _nobody_listens()


def _takes_all() -> bool:
    """Whether standard output takes every character; JSON is written with escapes where it does not."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


class Screen(Console):
    """Standard output. When nobody reads on (`| head`), the work goes on: its files matter more than the table.

    Words are shown as they are: brackets in a sentence are no markup, and nothing in it steers the terminal.
    """

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False)

    def render_str(self, text: str, **how: Any) -> Text:
        """What a cell or a line of a table shows."""
        return super().render_str(printable_lines(text), **how)

    def on_broken_pipe(self) -> None:
        """Go on without output, where rich would leave."""
        _nobody_listens()


def _nobody_listens() -> None:
    """Discard further output after a broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
