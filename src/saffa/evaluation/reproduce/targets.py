"""All targets by name, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from saffa.evaluation.bench import MSVD_LONG, NARRATED, Bench
from saffa.evaluation.reproduce.ablation import ablation
from saffa.evaluation.reproduce.asr import asr
from saffa.evaluation.reproduce.context import Context, Section
from saffa.evaluation.reproduce.curves import roc
from saffa.evaluation.reproduce.document_map import tsne
from saffa.evaluation.reproduce.pairs import significance
from saffa.evaluation.reproduce.selections import selections
from saffa.evaluation.reproduce.speedup import speedup_error
from saffa.evaluation.reproduce.tables import table
from saffa.evaluation.reproduce.times import times


@dataclass(frozen=True)
class Target:
    """How a section is made, and which of the benches that can be named it has a use for."""

    run: Callable[[Context], Section]
    uses: tuple[Bench, ...] = (NARRATED, MSVD_LONG)


TARGETS = {
    "table1": Target(partial(table, name="table1"), (NARRATED,)),
    "table2": Target(partial(table, name="table2"), (MSVD_LONG,)),
    "significance": Target(significance),
    "speedup-error": Target(speedup_error),
    "times": Target(times),
    "selections": Target(selections),
    "ablation": Target(ablation),
    "roc": Target(roc),
    "tsne": Target(tsne, (MSVD_LONG,)),
    "asr": Target(asr, (NARRATED,)),
}
