"""`table1` and `table2`: all methods at the paper's target speed, with the paper's own numbers beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from saffa.evaluation import paper
from saffa.evaluation.bench import TABLES, Bench
from saffa.evaluation.benchmark import Row
from saffa.evaluation.markdown import Sheet, number, sheet, spread
from saffa.evaluation.paper import PaperRow
from saffa.evaluation.reproduce.context import Context, Measured, Section, absences, label
from saffa.evaluation.reproduce.training import train_missing

FIGURES = ("precision", "recall", "f1", "os", "op", "os_abs_error", "watchable_steps")
HEADING = ("method", "seeds", "n", "P", "R", "F1", "OS", "OP", "|OS−S*|", "watchable steps", "sampling ms/frame")
PAPER = tuple(f"paper: {name}" for name in ("P", "R", "F1", "OS", "OP"))
PAPER_ROWS: Mapping[str, Mapping[str, PaperRow]] = {
    "youcook2-narrated": paper.YOUCOOK2,
    "youcook2": paper.YOUCOOK2,
    "coin": paper.COIN,
}


def table(context: Context, name: str) -> Section:
    """One half of the paper's Table 1."""
    texts, sheets = [], {}
    for bench in (one for one in TABLES[name] if one.blind or one in context.benches):
        if not bench.blind and context.epochs:
            train_missing(context, bench)
        measured = context.measure(bench, bench.speed)
        made = method_sheet(bench, measured)
        sheets[f"{name}-{bench.name}"] = made
        texts.append(f"## {bench.label}\n\n{_about(context, bench)}\n\n{made.markdown()}")
        missing = absences([one for one in measured if not bench.blind])
        if missing:
            texts.append(missing)
    half = {"table1": "YouCook2", "table2": "COIN"}[name]
    return Section(name, f"Table 1 of the paper, {half}", "\n\n".join(texts), sheets)


def method_sheet(bench: Bench, measured: Sequence[Measured]) -> Sheet:
    """A row per method that ran or that the paper has."""
    published = PAPER_ROWS.get(bench.name, {}) if bench.compares else {}
    rows = []
    for one in measured:
        if one.runs or one.method in published:
            rows.append([label(one.method), *_ours(one), *(_paper(published.get(one.method)) if published else [])])
    return sheet(HEADING + (PAPER if published else ()), rows)


def _ours(one: Measured) -> list[str]:
    if not one.runs:
        return ["–"] * (len(HEADING) - 1)
    rows: list[Row] = [run.row for run in one.runs]
    seeds = "–" if one.runs[0].seed is None else str(len(one.runs))
    figures = [spread([getattr(row, figure) for row in rows]) for figure in FIGURES]
    return [seeds, str(rows[0].n), *figures, spread([1000 * run.sampling for run in one.runs], 4)]


def _paper(row: PaperRow | None) -> list[str]:
    if row is None:
        return ["–"] * len(PAPER)
    return [number(value) for value in (row.precision, row.recall, row.f1, row.os, row.op)]


def _about(context: Context, bench: Bench) -> str:
    found = context.material(bench).found
    left_out = found.summary()
    lines = [f"{bench.about[0].upper()}{bench.about[1:]}."]
    if left_out:
        lines.append(left_out)
    if not bench.compares:
        lines.append("Not to be compared with the paper.")
    return " ".join(lines)
