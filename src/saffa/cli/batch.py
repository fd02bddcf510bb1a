"""`saffa batch`: many videos, on this machine or on a cluster."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saffa.cli import options as flag
from saffa.cli.terminal import printable
from saffa.core.errors import InputError

if TYPE_CHECKING:
    from saffa.scale.results import Outcome


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
        int | None,
        typer.Option("--jobs", metavar="N", help="Videos at a time. Default: half the processors; --ray: all CPUs."),
    ] = None,
    ray: flag.RayAddress = None,
    job_minutes: Annotated[
        float | None,
        typer.Option("--job-minutes", metavar="M", help="Stop a video after so long. 0: never. Default: 360."),
    ] = None,
    job_memory: Annotated[
        float | None,
        typer.Option("--job-memory", metavar="GB", help="Stop a video that needs more. 0: no limit. Default: 2."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="PAGE.html", help="Also write a page with tables and plots.")
    ] = None,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Shorten many videos; running it again goes on where it was stopped."""
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.clock import parse_typed_length  # noqa: PLC0415
    from saffa.core.whole_file import check_distinct, check_output_file  # noqa: PLC0415
    from saffa.scale.batch import Batch, Estimate  # noqa: PLC0415
    from saffa.scale.choices import BatchChoices  # noqa: PLC0415
    from saffa.scale.engines import engine_for, limits_of  # noqa: PLC0415
    from saffa.scale.jobs import RESULTS, Texts, inputs_of, read_jobs  # noqa: PLC0415
    from saffa.scale.results import ResultsFile  # noqa: PLC0415

    engine = engine_for(jobs, ray, limits_of(job_minutes, job_memory))
    seconds = None if length is None else parse_typed_length(length)
    choices = BatchChoices(speed, seconds, method, encoder, balance, audio)
    listed = read_jobs(source, Texts(text, text_dir), choices, output)
    _make_folder(output)
    check_output_file(output / RESULTS, (), overwrite=True)  # a pipe there would be waited for
    if html is not None:
        check_output_file(html, (source, *inputs_of(listed)), overwrite=True)
        check_distinct((html, *(job.output for job in listed), output / RESULTS))
    finished: list[Outcome] = []
    estimate = Estimate(listed)
    run = Batch(engine, ResultsFile(output / RESULTS), overwrite).run(listed)
    with report.progress_bar() as progress, closing(run) as outcomes:
        for outcome in outcomes:
            finished.append(outcome)
            progress(f"{len(finished)} of {len(listed)} videos", len(finished) / len(listed))
            sys.stderr.write(f"{len(finished)}/{len(listed)} {_news(outcome, estimate.left(outcome))}\n")
    finished.sort(key=lambda one: (one.video, one.output))
    _show(finished, as_json)
    if html is not None:
        from saffa.scale.page import write_page  # noqa: PLC0415

        write_page(finished, html)
    if any(one.status == "failed" for one in finished):
        raise typer.Exit(1)


def _show(finished: Sequence[Outcome], as_json: bool) -> None:
    from saffa.cli import report  # noqa: PLC0415

    counts = Counter(one.status for one in finished)
    if as_json:
        facts = {name: counts[name] for name in ("done", "skipped", "failed")}
        report.say(facts | {"results": [asdict(one) for one in finished]}, "", as_json=True)
        return
    _print_table(finished)
    report.say({}, f"{counts['done']} done, {counts['skipped']} done before, {counts['failed']} failed", False)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"The folder {folder} is not writable; choose another place.")


def _news(last: Outcome, left: float | None) -> str:
    """A line about the last job, and how long the rest may take."""
    minutes, seconds = divmod(round(left or 0), 60)
    hours, minutes = divmod(minutes, 60)
    rest = "" if left is None else f" (about {hours}:{minutes:02d}:{seconds:02d} left)"
    told = {"failed": f": {last.reason}", "done": f" in {last.seconds:.1f} s", "skipped": " (done before)"}
    warned = "".join(f"\n  warning: {printable(warning)}" for warning in last.warnings)
    return f"{printable(f'{last.status} {last.video}{told[last.status]}')}{rest}{warned}"


def _print_table(finished: Sequence[Outcome]) -> None:
    from rich.table import Table  # noqa: PLC0415

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
        table.add_row(Path(one.video).name, one.status, *figures, one.reason or one.output)
    Screen().print(table)
