"""`saffa evaluate`: methods on a benchmark, or encoders on pictures with captions, as a table or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from saffa.cli import options as flag
from saffa.cli import report
from saffa.core.strict_json import json_text
from saffa.core.whole_file import check_output_file, whole_file
from saffa.research.datasets.registry import WantedVideos
from saffa.research.evaluation import image_text, picture_documents
from saffa.research.evaluation.benchmarks import run_benchmark
from saffa.research.evaluation.score import Row
from saffa.scale.engines import research_engine


def evaluate(
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK",
            help="youcook2-narrated, pstuts, howto-chapters, medvidqa-half, msvd-long, assembled, youcook2, coin, "
            "image-text or picture-documents.",
        ),
    ],
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder with the benchmark's data.")],
    split: Annotated[
        str, typer.Option("--split", help="training, validation, testing; msvd-long, image-text: train, val, test.")
    ] = "validation",
    speed: Annotated[float, typer.Option("--speed", parser=flag.parse_speed, help="Target speed.")] = 12.0,
    methods: Annotated[
        str, typer.Option("--methods", help="Comma-separated.")
    ] = "uniform,middle,plan,plan-balanced,oracle",
    encoder: flag.EncoderName = "auto",
    shuffled_documents: Annotated[
        bool, typer.Option("--shuffled-documents", help="msvd-long, assembled: each video gets the text of another.")
    ] = False,
    texts: Annotated[
        str, typer.Option("--texts", help="whole; half: every second step is text and truth; one: the middle step.")
    ] = "whole",
    wrong_texts: Annotated[bool, typer.Option("--wrong-texts", help="Each video gets the text of another.")] = False,
    other_half: Annotated[
        bool, typer.Option("--other-half", help="Each video gets the steps that its text leaves out.")
    ] = False,
    auc: Annotated[bool, typer.Option("--auc", help="Add the frame AUC of the relevance to each row.")] = False,
    domain: flag.Domain = None,
    store: flag.KeptAlignments = None,
    agent: flag.AgentName = None,
    jobs: flag.Jobs = None,
    ray: flag.RayAddress = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="OUT.json", help="Also write all numbers; - prints them.")
    ] = None,
) -> None:
    """Score methods on a benchmark, a uniform row beside them."""
    if json_file is not None and str(json_file) != "-":
        check_output_file(json_file, (), overwrite=True)
    warnings: tuple[str, ...] = ()
    with report.progress_bar() as progress:
        if benchmark == image_text.BENCHMARK:
            found = image_text.evaluate_image_text(data, split, progress=lambda share: progress("Scoring", share))
            facts, table = found.to_json(), _image_text_table(found)
        elif benchmark == picture_documents.BENCHMARK:
            facts = picture_documents.evaluate_documents(
                data, encoder, split, progress=lambda share: progress("Scoring", share)
            )
            table = _document_table(facts["rows"])
        else:
            done = run_benchmark(
                benchmark,
                WantedVideos(data, split, shuffled_documents=shuffled_documents, other_half=other_half, domain=domain),
                speed,
                tuple(m.strip() for m in methods.split(",") if m.strip()),
                encoder=encoder,
                texts=texts,
                wrong_texts=wrong_texts,
                auc=auc,
                store=store,
                agent=agent,
                engine=research_engine(jobs, ray),
                progress=lambda share: progress("Scoring", share),
            )
            facts, table = done.to_json(), _method_table(done.rows)
            warnings = tuple(f"{video} left out: {why}" for video, why in done.skipped.items())
            if done.missing:
                warnings += (f"{done.missing} videos are not here and were left out.",)
    report.warn(warnings)
    if str(json_file) == "-":
        print(json_text(facts))
        return
    report.Screen().print(table)
    if json_file is not None:
        with whole_file(json_file) as part:
            part.write_text(json_text(facts) + "\n", encoding="utf-8")


def _method_table(rows: Sequence[Row]) -> Table:
    with_auc = any(row.auc is not None for row in rows)
    headings = ("n", "P", "R", "F1", "even", "OS", "OP", "|OS−S*|", "watch", "hit", "s/video")
    table = _table("method", (*headings, *(["AUC"] if with_auc else [])), padding=(0, 0))
    for row in rows:
        figures = (row.precision, row.recall, row.f1, row.f1_even, row.os, row.op, row.os_abs_error)
        cells = [f"{value:.2f}" for value in (*figures, row.watchable_steps, row.step_hit, row.seconds_per_video)]
        table.add_row(row.method, str(row.n), *cells, *([auc_cell(row.auc)] if with_auc else []))
    return table


def auc_cell(auc: float | None) -> str:
    """A dash where no video has both frames of steps and others."""
    return "–" if auc is None or isnan(auc) else f"{auc:.3f}"


def _image_text_table(done: image_text.ImageTextReport) -> Table:
    table = _table("set", ("n", "R@1", "R@5", "R@10", "MRR", "AUC", "step"))
    for row in done.rows:
        figures = [f"{value:.3f}" for value in (row.r1, row.r5, row.r10, row.mrr, row.auc)]
        step = "" if row.step_choice is None else f"{row.step_choice:.3f}"
        table.add_row(f"{row.dataset} {done.splits[row.dataset]}", str(row.n), *figures, step)
    return table


def _document_table(rows: Iterable[dict[str, Any]]) -> Table:
    table = _table("set", ("m", "AUC", "other text", "doc AUC", "attention", "chance", "MRR", "own", "others"))
    for row in rows:
        shares = [row["auc"], row["wrong_auc"], row["document_auc"], row["attention"], 1 / row["sentences"], row["mrr"]]
        spreads = (f"{mean:.2f} ± {deviation:.2f}" for mean, deviation in (row["own"], row["other"]))
        figures = (f"{share:.3f}" for share in shares)
        table.add_row(f"{row['dataset']} {row['split']}", str(row["sentences"]), *figures, *spreads)
    return table


def _table(first: str, headings: Sequence[str], **layout: Any) -> Table:
    """A column of names, and one of figures for each heading."""
    table = Table(show_edge=False, pad_edge=False, **layout)
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
