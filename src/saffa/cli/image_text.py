"""`saffa evaluate image-text`: the visual model on pictures with captions."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from saffa.cli import report
from saffa.core.strict_json import json_text
from saffa.core.whole_file import whole_file
from saffa.research.evaluation.image_text import ImageTextReport, evaluate_image_text

HEADINGS = ("n", "R@1", "R@5", "R@10", "MRR", "AUC", "step")


def image_text(data: Path, split: str, json_file: Path | None) -> None:
    """Score and show; `-` as the file prints JSON instead of the table."""
    with report.progress_bar() as progress:
        done = evaluate_image_text(data, split, progress=lambda share: progress("Scoring", share))
    text = json_text(done.to_json())
    if json_file is not None and str(json_file) == "-":
        print(text)
        return
    _print(done)
    if json_file is not None:
        with whole_file(json_file) as part:
            part.write_text(text + "\n", encoding="utf-8")


def _print(done: ImageTextReport) -> None:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("set", no_wrap=True)
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in done.rows:
        figures = (row.r1, row.r5, row.r10, row.mrr, row.auc)
        step = "" if row.step_choice is None else f"{row.step_choice:.3f}"
        table.add_row(
            f"{row.dataset} {done.splits[row.dataset]}", str(row.n), *(f"{value:.3f}" for value in figures), step
        )
    Console().print(table)
