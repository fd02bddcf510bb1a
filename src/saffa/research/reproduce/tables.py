"""`table1` and `table2`: all methods at the paper's target speed, with the paper's own numbers beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from saffa.research.evaluation import paper
from saffa.research.evaluation.markdown import Sheet, number, sheet, spread
from saffa.research.evaluation.paper import PaperRow
from saffa.research.evaluation.protocol import TABLES, Bench, with_videos
from saffa.research.evaluation.score import Row
from saffa.research.evaluation.significance import paired_t_test
from saffa.research.reproduce.context import SLOW, Context, Measured, absences, by_domain, label
from saffa.research.reproduce.pairs import p_text
from saffa.research.reproduce.section import Draft, ReportSection
from saffa.research.reproduce.training import train_missing

FIGURES = ("precision", "recall", "f1", "os", "op", "os_abs_error", "watchable_steps", "f1_even")
HEADING = (
    *("method", "seeds", "n", "P", "R", "F1", "OS", "OP", "|OS−S*|", "watchable steps"),
    *("F1, even frames", "gain", "p", "gain, wrong text", "sampling ms/frame"),
)
UNREAD = ("uniform", "middle", "oracle")
"""Methods that read no text: another one changes nothing."""
PAPER = tuple(f"paper: {name}" for name in ("P", "R", "F1", "OS", "OP"))
TITLES = {
    "table1": "YouCook2 (Table 1 of the paper, first half)",
    "table2": "msvd-long, which is not in the paper, and COIN (Table 1 of the paper, second half)",
}
PAPER_ROWS: Mapping[str, Mapping[str, PaperRow]] = {
    "youcook2-narrated": paper.YOUCOOK2,
    "youcook2": paper.YOUCOOK2,
    "coin": paper.COIN,
}


def table(context: Context, name: str) -> ReportSection:
    """One half of the paper's Table 1, and msvd-long beside the second."""
    draft = Draft(name, TITLES[name])
    wanted = [one for one in TABLES[name] if one.blind or one in context.all_benches]
    files = [part for bench in wanted for part in with_videos(bench, context.data, context.encoder)]
    seeing = draft.benches(context, files)
    seen = {one.name for one in seeing}
    plain = draft.benches(context, [bench for bench in wanted if bench.name not in seen])
    for bench in wanted:
        parts = [one for one in seeing if one.name == bench.name] or [one for one in plain if one == bench]
        if parts and parts[0].domain:
            _add_domains(draft, context, parts)
            continue
        for one in parts:
            measured, wrong = _measured(context, one), misled(context, one)
            _add(draft, one, one.key, _about(context, one), measured, wrong)
    return draft.section()


def _measured(context: Context, bench: Bench) -> list[Measured]:
    if not bench.blind and context.epochs:
        train_missing(context, bench)
    return context.measure(bench, bench.speed)


def misled(context: Context, bench: Bench) -> dict[str, Measured]:
    """The methods that read, with the texts of other videos; slow baselines are left out, and blind benches."""
    if bench.blind or bench.from_files:
        return {}
    reading = [m for m in context.methods_of(bench) if m not in (*UNREAD, *SLOW)]
    return {one.method: one for one in context.measure(replace(bench, wrong_texts=True), bench.speed, reading)}


def _add_domains(draft: Draft, context: Context, benches: Sequence[Bench]) -> None:
    """COIN: a table per domain, and one over all videos."""
    found = by_domain(context, benches, lambda bench: _measured(context, bench))
    for bench, measured in found.parts:
        _add(draft, bench, bench.short, _about(context, bench), measured)
    about = "All videos of the domains above; the target is the mean of theirs."
    _add(draft, found.whole, found.whole.short, about, found.joined)


def _add(
    draft: Draft,
    bench: Bench,
    key: str,
    about: str,
    measured: Sequence[Measured],
    wrong: Mapping[str, Measured] | None = None,
) -> None:
    draft.add_table(f"{draft.name}-{key}", method_sheet(bench, measured, wrong), f"## {bench.label}", about)
    missing = absences([one for one in measured if not bench.blind])
    if missing:
        draft.texts.append(missing)


def method_sheet(bench: Bench, measured: Sequence[Measured], wrong: Mapping[str, Measured] | None = None) -> Sheet:
    """A row per method that ran or that the paper has; the paper has none of single domains, only their average."""
    published = PAPER_ROWS.get(bench.name, {}) if bench.compares and bench.domain is None else {}
    rows = []
    for one in measured:
        if one.runs or one.method in published:
            name = label(one.method, bench, ran=bool(one.runs))
            theirs = _paper(published.get(one.method)) if published else []
            rows.append([name, *_ours(one, (wrong or {}).get(one.method)), *theirs])
    return sheet(HEADING + (PAPER if published else ()), rows)


def _ours(one: Measured, wrong: Measured | None) -> list[str]:
    if not one.runs:
        return ["–"] * (len(HEADING) - 1)
    rows: list[Row] = [run.row for run in one.runs]
    figures = [spread([getattr(row, figure) for row in rows]) for figure in FIGURES]
    scores = list(one.per_video().values())
    p = paired_t_test([s.f1 for s in scores], [s.f1_even for s in scores])
    gains = [gain_of(one), p_text(p), gain_of(wrong) if wrong is not None and wrong.runs else "–"]
    return [one.seeds, str(rows[0].n), *figures, *gains, spread([1000 * run.sampling for run in one.runs], 4)]


def gain_of(one: Measured) -> str:
    """F1 over as many even frames: mean over videos of the seeds' means, and its standard error."""
    gains = np.array([scores.gain for scores in one.per_video().values()])
    error = f" ± {gains.std(ddof=1) / len(gains) ** 0.5:.2f}" if len(gains) > 1 else ""
    return f"{gains.mean():+.2f}{error}"


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
