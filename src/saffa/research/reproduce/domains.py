"""COIN as in the paper (§4.3): domain by domain, each at FFNet's own speed there, then the videos of all as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saffa.research.evaluation.kept_runs import JoinedRun
from saffa.research.evaluation.protocol import Bench
from saffa.research.reproduce.context import Context, Measured

GUIDE = "ffnet"


@dataclass(frozen=True)
class Domains:
    """Each domain at its target speed with its methods, and all of them as one bench."""

    parts: tuple[tuple[Bench, list[Measured]], ...]
    whole: Bench
    joined: tuple[Measured, ...]


def by_domain(context: Context, benches: Sequence[Bench], measure: Callable[[Bench], list[Measured]]) -> Domains:
    """At least one domain. The target of the whole is the mean over the videos of theirs."""
    parts = []
    together: dict[str, list[Measured]] = {}
    speeds: list[float] = []
    for bench in benches:
        own = guided(context, bench)
        measured = measure(own)
        parts.append((own, measured))
        speeds += [own.speed] * len(context.material(own).videos)
        for one in measured:
            together.setdefault(one.method, []).append(one)
    whole = replace(benches[0], speed=float(np.mean(speeds)), domain=None, short=benches[0].name)
    joined = tuple(_joined(method, found, whole.speed) for method, found in together.items())
    return Domains(tuple(parts), whole, joined)


def guided(context: Context, bench: Bench) -> Bench:
    """The bench at FFNet's mean output speed, rounded, whether or not FFNet has a row; as it is where none is trained.

    The target must not depend on which methods somebody wants to see.
    """
    (guide,) = context.measure(bench, bench.speed, (GUIDE,))
    if not guide.runs:
        return bench
    return replace(bench, speed=max(1, round(float(np.mean([run.row.os for run in guide.runs])))))


def _joined(method: str, parts: Sequence[Measured], speed: float) -> Measured:
    """One run over the videos of all domains, with as many seeds as every domain has; absent if a domain lacks it."""
    lacking = [part.absent for part in parts if part.absent]
    if lacking:
        return Measured(method, absent=lacking[0])
    least = min(parts, key=lambda part: len(part.runs))
    runs = [JoinedRun.of([part.runs[seed] for part in parts], speed) for seed in range(len(least.runs))]
    return Measured(method, tuple(runs), seeds=least.seeds)
