"""`saffa evaluate image-text` and `picture-documents`: encoders on pictures with captions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from saffa.cli import report
from saffa.core.strict_json import json_text
from saffa.core.whole_file import whole_file
from saffa.research.evaluation.image_text import ImageTextReport, evaluate_image_text
from saffa.research.evaluation.picture_documents import evaluate_documents

DOCUMENT_HEADINGS = ("m", "AUC", "other text", "doc AUC", "attention", "chance", "MRR", "own", "others")
HEADINGS = ("n", "R@1", "R@5", "R@10", "MRR", "AUC", "step")


def image_text(data: Path, split: str, json_file: Path | None) -> None:
    """Score and show; `-` as the file prints JSON instead of the table."""
    with report.progress_bar() as progress:
        done = evaluate_image_text(data, split, progress=lambda share: progress("Scoring", share))
    if _wrote(done.to_json(), json_file):
        _print(done)


def picture_documents(data: Path, encoder: str, split: str, json_file: Path | None) -> None:
    """Score an encoder on documents of several lengths and show where it looks."""
    with report.progress_bar() as progress:
        done = evaluate_documents(data, encoder, split, progress=lambda share: progress("Scoring", share))
    if not _wrote(done, json_file):
        return
    table = Table(show_edge=False, pad_edge=False)
    for heading in ("set", *DOCUMENT_HEADINGS):
        table.add_column(heading, justify="left" if heading == "set" else "right", no_wrap=True)
    for row in done["rows"]:
        shares = [row["auc"], row["wrong_auc"], row["document_auc"], row["attention"], 1 / row["sentences"], row["mrr"]]
        spreads = (f"{mean:.2f} ± {deviation:.2f}" for mean, deviation in (row["own"], row["other"]))
        figures = (f"{share:.3f}" for share in shares)
        table.add_row(f"{row['dataset']} {row['split']}", str(row["sentences"]), *figures, *spreads)
    Console().print(table)


def _wrote(facts: dict[str, Any], json_file: Path | None) -> bool:
    """Write the numbers where they are wanted; False if that was all that was asked for (`-`)."""
    text = json_text(facts)
    if json_file is not None and str(json_file) == "-":
        print(text)
        return False
    if json_file is not None:
        with whole_file(json_file) as part:
            part.write_text(text + "\n", encoding="utf-8")
    return True


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
