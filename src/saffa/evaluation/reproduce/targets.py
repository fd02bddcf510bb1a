"""All targets by name, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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

TARGETS: dict[str, Callable[[Context], Section]] = {
    "table1": partial(table, name="table1"),
    "table2": partial(table, name="table2"),
    "significance": significance,
    "speedup-error": speedup_error,
    "times": times,
    "selections": selections,
    "ablation": ablation,
    "roc": roc,
    "tsne": tsne,
    "asr": asr,
}
