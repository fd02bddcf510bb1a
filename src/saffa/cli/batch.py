"""`saffa batch`: many videos at once, each in a process of its own."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from saffa.cli import options as flag
from saffa.core.errors import InputError

if TYPE_CHECKING:
    from saffa.scale.results import Outcome

MOST_JOBS = 256


def batch(
    source: Annotated[
        Path, typer.Argument(metavar="LIST.csv|FOLDER", help="A table with a column video, or a folder of videos.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="The folder for the shorter videos.")],
    text: Annotated[str | None, typer.Option("--text", metavar="FILE", help="One text for all videos.")] = None,
    text_dir: Annotated[
        Path | None, typer.Option("--text-dir", metavar="DIR", help="Texts named like the videos: NAME.txt, NAME.md, …")
    ] = None,
    speed: flag.Speed = None,
    length: flag.Length = None,
    method: flag.Method = None,
    encoder: flag.EncoderChoice = None,
    balance: flag.Balance = None,
    audio: flag.Audio = "stretch",
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Videos at a time. Default: half the processors.")
    ] = None,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Shorten many videos; running it again goes on where it was stopped."""
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.clock import parse_typed_length  # noqa: PLC0415
    from saffa.scale.jobs import RESULTS, Choices, Texts, read_jobs  # noqa: PLC0415
    from saffa.scale.pool import Pool  # noqa: PLC0415
    from saffa.scale.results import ResultsFile  # noqa: PLC0415

    workers = max(1, (os.cpu_count() or 2) // 2) if jobs is None else jobs
    if not 1 <= workers <= MOST_JOBS:
        raise InputError(f"--jobs must be between 1 and {MOST_JOBS}, not {workers}.")
    seconds = None if length is None else parse_typed_length(length)
    choices = Choices(speed, seconds, method, encoder, balance, audio)
    listed = read_jobs(source, Texts(text, text_dir), choices, output)
    _make_folder(output)
    finished: list[Outcome] = []
    began = monotonic()
    pool = Pool(ResultsFile(output / RESULTS), workers, overwrite)
    with report.progress_bar() as progress, closing(pool.run(listed)) as outcomes:
        for outcome in outcomes:
            finished.append(outcome)
            progress(f"{len(finished)} of {len(listed)} videos", len(finished) / len(listed))
            sys.stderr.write(_news(finished, len(listed), monotonic() - began))
    finished.sort(key=lambda one: (one.video, one.output))
    counts = Counter(one.status for one in finished)
    if as_json:
        facts = {name: counts[name] for name in ("done", "skipped", "failed")}
        report.say(facts | {"results": [asdict(one) for one in finished]}, "", as_json=True)
    else:
        _print_table(finished)
        report.say({}, f"{counts['done']} done, {counts['skipped']} done before, {counts['failed']} failed", False)
    if counts["failed"]:
        raise typer.Exit(1)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"The folder {folder} is not writable; choose another place.")


def _news(finished: Sequence[Outcome], total: int, elapsed: float) -> str:
    """A line about the last job, and how long the rest may take; jobs skipped at once do not count in that."""
    last = finished[-1]
    worked, left = sum(one.status != "skipped" for one in finished), total - len(finished)
    minutes, seconds = divmod(round(elapsed / worked * left) if worked else 0, 60)
    rest = f" (about {minutes}:{seconds:02d} left)" if worked and left else ""
    told = (
        f": {last.reason}"
        if last.reason
        else f" in {last.seconds:.1f} s"
        if last.status == "done"
        else " (done before)"
    )
    return f"{len(finished)}/{total} {last.status} {last.video}{told}{rest}\n"


def _print_table(finished: Sequence[Outcome]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from saffa.cli.report import Screen  # noqa: PLC0415

    table = Table(show_edge=False, pad_edge=False)
    for heading, side in (
        ("video", "left"),
        ("status", "left"),
        ("frames", "right"),
        ("speed", "right"),
        ("fit", "right"),
    ):
        table.add_column(heading, justify="right" if side == "right" else "left")
    table.add_column("output, or why not", overflow="fold")
    for one in finished:
        figures = (
            "" if one.frames is None else f"{one.frames:,}",
            "" if one.speed is None else f"{one.speed:.2f}×",
            "" if one.fit is None else f"{one.fit:.0%}",
        )
        table.add_row(Text(Path(one.video).name), one.status, *figures, Text(one.reason or one.output))
    Screen().print(table)
