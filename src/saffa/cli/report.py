"""What a command leaves behind beside the video: tables or JSON on the terminal, timeline and plot as files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from saffa.cli.plot import check_plot, plot
from saffa.cli.summary import Summary, speed_curve
from saffa.cli.tables import CURVE_COLUMNS, print_plan
from saffa.core.result import Result
from saffa.core.strict_json import json_text
from saffa.core.types import Progress as ProgressCallback
from saffa.core.whole_file import check_distinct, check_output_file


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
