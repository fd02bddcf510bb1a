"""What methods are called in tables: also what stands in for parts of them that are not at hand."""

from __future__ import annotations

from collections.abc import Sequence

from saffa.methods.base import methods as known_methods
from saffa.research.evaluation.protocol import Bench
from saffa.research.reproduce.context import SLOW, Measured

OWN = {"plan": "Planner (balance 0)", "plan-balanced": "Planner (default)", "oracle": "Oracle (true steps)"}
WATCHING = {"sas": "SAS (image classifier for YOLO)", "sasv2": "SASv2 (image classifier for YOLO)"}
"""On video files the descriptor is that of the pictures; the registry's names are for features (docs/baselines.md)."""


def label(method: str, bench: Bench | None = None, *, ran: bool = True) -> str:
    """As in a table of this bench; a baseline that did not run stands for the paper's own, without stand-ins."""
    known = known_methods()
    name = OWN.get(method) or (known[method].label if method in known else method)
    if bench is not None and bench.from_files:
        name = WATCHING.get(method, name)
    return name if ran or method not in SLOW else name.partition(" (")[0]


def absences(measured: Sequence[Measured]) -> str:
    """A line for each method that could not run."""
    return "\n".join(f"- {label(one.method)}: not run, {one.absent.rstrip('.')}." for one in measured if one.absent)
