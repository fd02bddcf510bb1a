"""Which engine does the work: this process, several of this machine, or a cluster."""

from __future__ import annotations

import os

from saffa.core.errors import InputError
from saffa.pipeline.engine import Engine, InThisProcess
from saffa.scale.pool import ProcessPool
from saffa.scale.ray_cluster import RayCluster
from saffa.scale.station import TaskLimits

MOST_JOBS = 256


def engine_for(jobs: int | None, ray: str | None, limits: TaskLimits) -> Engine:
    """A cluster if one is named, else a pool of `jobs` processes; without either, half of the processors."""
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"--jobs must be between 1 and {MOST_JOBS}, not {jobs}.")
    if ray is not None:
        return RayCluster(ray, jobs, limits)
    return ProcessPool(max(1, (os.cpu_count() or 2) // 2) if jobs is None else jobs, limits)


def research_engine(jobs: int | None, ray: str | None) -> Engine:
    """For work that is measured as well as done: in this process unless more is asked for. It may take its time."""
    unlimited = TaskLimits(None, None if ray is None else TaskLimits().memory)
    return InThisProcess() if jobs in (None, 1) and ray is None else engine_for(jobs, ray, unlimited)


def limits_of(minutes: float | None, gigabytes: float | None) -> TaskLimits:
    """Limits as people give them; None is the default, 0 no limit."""
    for name, value in (("--job-minutes", minutes), ("--job-memory", gigabytes)):
        if value is not None and not 0 <= value < 10**6:
            raise InputError(f"{name} must be a number from 0 (no limit) up, not {value:g}.")
    usual = TaskLimits()
    return TaskLimits(
        usual.seconds if minutes is None else minutes * 60 or None,
        usual.memory if gigabytes is None else int(gigabytes * 1e9) or None,
    )
