"""`ablation`: the agent's state with and without its average skip (SA) and its position (NRPE), the paper's Table 2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from saffa.research.evaluation.kept_runs import Run
from saffa.research.evaluation.markdown import number, sheet, spread
from saffa.research.evaluation.paper import ABLATION, YOUCOOK2, PaperRow
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.variants import (
    Facts,
    all_facts,
    duration,
    facts_of,
    seeds,
    variants,
    videos,
)
from saffa.research.reproduce.context import Context, Measured, label
from saffa.research.reproduce.section import Draft, ReportSection
from saffa.research.reproduce.this_copy import command
from saffa.research.reproduce.training import runs_of, train, trained
from saffa.storage.models import shipped_models

STATES = ((False, False), (False, True), (True, False), (True, True))
"""SA, NRPE; the order of the paper's rows."""
FIGURES = ("precision", "recall", "f1", "os", "op", "os_abs_error")
OTHERS = ("sff-rl", "non-rl", "uniform")
PAPER = ("paper: SE", "paper: P", "paper: R", "paper: F1", "paper: OS", "paper: OP")
UNTRAINED, FOREIGN = "not trained", "trained with another encoder"
STATE_BUDGET = 4
"""The column of what an agent had."""
PAPERS_BUDGET = "the paper: 100 epochs, all 1,333 training videos with `--training-videos 1333`"
OLDER = {"vdan": "VDAN"}
"""Encoders of YouCook2's files that are the paper's older one."""
METHOD = "saffa-published"
TITLE = "Ablation (the paper's Table 2)"
VARIANTS = "ablation"
"""Folder of the agents that are trained for this table alone."""
ENCODERS = {"sff-rl": "VDAN", "non-rl": "VDAN+"}
"""Which encoder the paper's rows of other samplers had."""


def ablation(context: Context) -> ReportSection:
    """A table per bench: trained variants, then the methods that share the encoder but not the agent."""
    draft = Draft("ablation", TITLE, INTRODUCTION)
    for bench in draft.benches(context, (*context.all_benches, *context.youcook2_files)):
        rows = [_state_row(context, bench, skip=skip, position=position) for skip, position in STATES]
        others = [method for method in OTHERS if method in context.methods_of(bench)]
        rows += [_other_row(context, bench, one) for one in context.measure(bench, bench.speed, others) if one.runs]
        heading = ["SE", "SA", "NRPE", "FS", "seeds × epochs, videos", "P", "R", "F1", "OS", "OP", "|OS−S*|"]
        heading += PAPER if _beside(bench) else ()
        draft.add_table(f"ablation-{bench.key}", sheet(heading, rows), f"## {bench.label}")
        lacking = [row[STATE_BUDGET] for row in rows if row[STATE_BUDGET] in (UNTRAINED, FOREIGN)]
        if lacking:
            draft.texts.append(_how_to_train(context, bench, lacking))
    return draft.section()


def _how_to_train(context: Context, bench: Bench, lacking: Sequence[str]) -> str:
    """What to type for the states that have no agent; said on the terminal too where a dataset's files have none."""
    encoder, trained = context.material(bench).encoder.name, len(STATES) - len(lacking)
    told = f"{trained or 'None'} of the {len(STATES)} states is trained with the encoder {encoder}. "
    if FOREIGN in lacking:
        told += f"{context.agents} holds agents of another encoder: give `-o` another folder, and `--epochs N`."
    else:
        told += f"`{command(context, 'ablation')} --epochs N` trains what is missing"
        told += f" ({PAPERS_BUDGET})." if bench.from_files else "."
    if bench.from_files and not trained:
        context.note(f"ablation, {bench.label}: {told}")
    return told


def _beside(bench: Bench) -> str:
    """The encoder of the paper that a bench's rows stand beside: its own, or VDAN+ where YouCook2 is seen otherwise."""
    return bench.eyes or (OLDER.get(bench.encoder, "VDAN+") if bench.compares else "")


def _state_row(context: Context, bench: Bench, *, skip: bool, position: bool) -> list[str]:
    runs, had = _runs(context, bench, skip=skip, position=position)
    state = [context.material(bench).encoder.name, _mark(skip), _mark(position), "SAFFA"]
    published = ABLATION.get((_beside(bench), skip, position))
    return [*state, had, *cells(runs), *_paper(bench, _beside(bench), published)]


def _other_row(context: Context, bench: Bench, one: Measured) -> list[str]:
    state = [context.material(bench).encoder.name, "–", "–", label(one.method, bench)]
    published = _paper(bench, ENCODERS.get(one.method, ""), YOUCOOK2.get(one.method))
    return [*state, own_budget(context, bench, one.method), *cells(one.runs), *published]


def cells(runs: Sequence[Run]) -> list[str]:
    """Mean ± deviation over the seeds; dashes where there is no agent."""
    rows = [run.row for run in runs]
    return [spread([getattr(row, figure) for row in rows]) if rows else "–" for figure in FIGURES]


def variant_name(skip: bool, position: bool) -> str:
    """The name of a state; with a seed behind it, that of an agent's folder, trained here or shipped."""
    return f"sa{int(skip)}-nrpe{int(position)}"


def agents_of(context: Context, bench: Bench, skip: bool, position: bool) -> dict[int, Path]:
    """Model folders by seed: those trained here; if there is none, those that come with saffa."""
    seeds = range(context.seeds)
    names = {seed: f"{VARIANTS}/{bench.short}/{variant_name(skip, position)}-{seed}" for seed in seeds}
    there = trained({seed: context.agents / name for seed, name in names.items()})
    return there or {seed: model.path for seed, name in names.items() for model in shipped_models(name)}


def _runs(context: Context, bench: Bench, *, skip: bool, position: bool) -> tuple[list[Run], str]:
    """A run of every seed that is there, and what they had. The full state may be the method's own agents."""
    name = variant_name(skip, position)
    for seed in range(context.seeds if context.epochs else 0):
        folder = context.agents / VARIANTS / bench.short / f"{name}-{seed}"
        train(context, bench, METHOD, folder, seed, partial(replace, position=position, skip=skip))
    there = agents_of(context, bench, skip, position)
    fitting = {seed: folder for seed, folder in there.items() if _fits(context, bench, folder)}
    none = FOREIGN if there else UNTRAINED
    if skip and position and not fitting:
        (own,) = context.measure(bench, bench.speed, (METHOD,))
        return list(own.runs), own_budget(context, bench, METHOD) if own.runs else none
    runs = runs_of(context, bench, METHOD, fitting, f"ablation-{name}")
    return runs, budget(context, list(fitting.values())) if runs else none


def _fits(context: Context, bench: Bench, agent: Path) -> bool:
    """Whether it learned from the bench's encoder, which for video files is the user's choice; `auto` is any."""
    learned = facts_of(agent).get("traits", {}).get("encoder", "")
    return not bench.from_files or bench.encoder == "auto" or learned in ("", context.material(bench).encoder.name)


def budget(context: Context, folders: Sequence[Path]) -> str:
    """Seeds × epochs and training videos of these agents by log or manifest: each video has one episode in an epoch."""
    facts = [facts_of(folder) for folder in folders]
    logs = [folder.parent / "log.jsonl" for folder in folders]
    lines = [log.read_text("utf-8").splitlines() for log in logs if log.is_file()]
    counts = {videos(one) for one in facts} | {json.loads(line[-1])["episodes"] for line in lines if line}
    shipped = "" if all(context.agents in folder.parents for folder in folders) else " (shipped)"
    return f"{len(folders)} × {_listed({len(line) for line in lines}) or _lengths(facts)}{_on(counts)}{shipped}"


def _lengths(facts: Sequence[Facts]) -> str:
    return "/".join(dict.fromkeys(duration(one).removesuffix(" epochs") for one in facts))


def own_budget(context: Context, bench: Bench, method: str) -> str:
    """Training of a method's own agents, from their manifests; a dash for one that learns nothing."""
    found = variants(method, bench, context.agents)
    facts = all_facts(found)
    if not facts:
        return "–"
    trained_here = any(one.folder is not None and context.agents in one.folder.parents for one in found)
    return (
        f"{seeds(found)} × {_lengths(facts)}{_on({videos(one) for one in facts})}{'' if trained_here else ' (shipped)'}"
    )


def _on(counts: set[int | None]) -> str:
    known = {count for count in counts if count is not None}
    return f", {_listed(known)} videos" if known else ""


def _listed(counts: set[int]) -> str:
    return "/".join(map(str, sorted(counts)))


def _paper(bench: Bench, encoder: str, row: PaperRow | None) -> list[str]:
    if not _beside(bench):
        return []
    if row is None:
        return ["–"] * len(PAPER)
    return [encoder, *(number(value) for value in (row.precision, row.recall, row.f1, row.os, row.op))]


def _mark(used: bool) -> str:
    return "✓" if used else "✗"


INTRODUCTION = (
    "SE: encoder, SA: the state has the average skip, NRPE: it has the position, FS: frame sampler. The paper "
    "trains 100 epochs on all YouCook2 training videos with VDAN+ and VDAN; here the agents had the budget that "
    "stands in the table, with the encoder of the bench. The paper's columns are all of YouCook2, with the encoder "
    "named there: only the direction of differences may be compared."
)
