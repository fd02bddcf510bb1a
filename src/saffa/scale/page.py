"""A batch as one web page that needs nothing else: counts, plots, every failure with its reason, every video."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

from saffa.core.alignment import DOUBTED
from saffa.core.clock import format_length
from saffa.core.whole_file import whole_file
from saffa.scale.results import Outcome

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #888; } td { border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
td.n, th.n { text-align: right; white-space: nowrap; } .failed { color: #a40000; } .doubt { color: #8a5a00; }
figure { display: inline-block; margin: 0 1rem 1rem 0; } img { max-width: 100%; }
"""


def write_page(outcomes: Sequence[Outcome], path: Path) -> None:
    """Write the page of these outcomes, whole or not at all."""
    with whole_file(path) as part:
        part.write_text(page(outcomes), "utf-8", "backslashreplace")


def page(outcomes: Sequence[Outcome]) -> str:
    """The page as text. Whatever comes from files, their names and errors is escaped."""
    counts = Counter(one.status for one in outcomes)
    head = f"{counts['done']} done, {counts['skipped']} done before, {counts['failed']} failed"
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>saffa batch</title>',
        f"<style>{_STYLE}</style><h1>saffa batch</h1><p>{head}</p>",
        _totals(outcomes),
        _failures([one for one in outcomes if one.status == "failed"]),
        *(f'<figure><img alt="{escape(alt)}" src="{_picture(figure)}"></figure>' for alt, figure in _plots(outcomes)),
        "<h2>All videos</h2>",
        _table(
            ("video", "status", "length", "frames", "speed", "fit", "seconds", "output, or why not"),
            [_cells(one) for one in outcomes],
        ),
        "</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _totals(outcomes: Sequence[Outcome]) -> str:
    done = [one for one in outcomes if one.status == "done"]
    source = sum(one.source_seconds or 0.0 for one in done)
    doubted = sum(one.fit is not None and one.fit < DOUBTED for one in done)
    doubt = f" The text does not seem to fit {doubted} of them." if doubted else ""
    return f"<p>{format_length(source)} of video were shortened in this run.{doubt}</p>" if done else ""


def _failures(failed: Sequence[Outcome]) -> str:
    rows = [[escape(one.video), escape(one.reason), str(one.attempts)] for one in failed]
    return "<h2>Failures</h2>" + _table(("video", "reason", "attempts"), rows) if failed else ""


def _cells(one: Outcome) -> list[str]:
    fit = "" if one.fit is None else f"{one.fit:.0%}"
    doubtful = one.fit is not None and one.fit < DOUBTED
    told = "<br>".join(escape(text) for text in (one.reason or one.output, *one.warnings))
    return [
        escape(one.video),
        f'<span class="{one.status}">{one.status}</span>',
        "" if one.source_seconds is None else format_length(one.source_seconds),
        "" if one.frames is None else f"{one.frames:,}",
        "" if one.speed is None else f"{one.speed:.2f}×",
        f'<span class="doubt">{fit}</span>' if doubtful else fit,
        f"{one.seconds:.1f}" if one.status != "skipped" else "",
        told,
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML already."""
    numbers = {"length", "frames", "speed", "fit", "seconds", "attempts"}
    kinds = [' class="n"' if head in numbers else "" for head in heads]
    top = "".join(f"<th{kind}>{head}</th>" for head, kind in zip(heads, kinds, strict=True))
    lines = ("".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) for row in rows)
    return f"<table><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _plots(outcomes: Sequence[Outcome]) -> list[tuple[str, Any]]:
    """(what it shows, figure) for what there is to show."""
    done = [one for one in outcomes if one.status == "done"]
    found = []
    timed = [(one.source_seconds / 60, one.seconds) for one in done if one.source_seconds]
    if timed:
        figure, axes = _figure("minutes of the video", "seconds of work")
        axes.scatter(*zip(*timed, strict=True), s=14)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        found.append(("Seconds of work by minutes of the video", figure))
    fits = [one.fit for one in done if one.fit is not None]
    if fits:
        figure, axes = _figure("how surely the text fits", "videos")
        axes.hist(fits, bins=20, range=(0, 1))
        axes.axvline(DOUBTED, linestyle="--", color="gray")
        found.append(("Videos by how surely the text fits them", figure))
    return found


def _figure(across: str, up: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(4.6, 3.0), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    return figure, axes


def _picture(figure: Any) -> str:
    """A figure as the address of itself."""
    buffer = BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{b64encode(buffer.getvalue()).decode('ascii')}"
