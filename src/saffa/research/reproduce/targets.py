"""All targets by name, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED, Bench
from saffa.research.reproduce.ablation import ablation
from saffa.research.reproduce.asr import asr
from saffa.research.reproduce.context import Context, Section
from saffa.research.reproduce.curves import roc
from saffa.research.reproduce.document_map import tsne
from saffa.research.reproduce.pairs import significance
from saffa.research.reproduce.selections import selections
from saffa.research.reproduce.speedup import speedup_error
from saffa.research.reproduce.tables import table
from saffa.research.reproduce.times import times


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
