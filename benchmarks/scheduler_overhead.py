"""10,000 jobs that do nothing through the real schedulers: what a job costs beside its work, and what memory grows.

    python -m benchmarks.scheduler_overhead [--jobs N] [--workers N] [--ray]

The jobs go the way of `saffa batch`: orders, processes (or stations of a Ray cluster), answers, a line each in
results.jsonl, settled folders. Only the work itself is left out.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from saffa.pipeline.engine import Engine
from saffa.scale.batch import Batch
from saffa.scale.jobs import BatchJob
from saffa.scale.making import Made, Order
from saffa.scale.pool import ProcessPool
from saffa.scale.ray_cluster import RayCluster
from saffa.scale.results import ResultsFile
from saffa.scale.station import TaskLimits


def nothing(order: Order) -> Made:
    """The answer of a job whose video was made in no time."""
    return Made(order.job.video.stem, 1000, 8.0, 0.9, 240.0)


def peak() -> float:
    """Megabytes that this process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def overhead(name: str, engine: Engine, jobs: int) -> str:
    before = peak()
    findable = import_module("benchmarks.scheduler_overhead").nothing  # by a name by which other processes find it
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        listed = [
            BatchJob(Path(f"videos/{number}.mp4"), "text.txt", out / f"{number}-short.mp4") for number in range(jobs)
        ]
        began, busy = time.perf_counter(), time.process_time()
        first, done = 0.0, 0
        for outcome in Batch(engine, ResultsFile(out / "results.jsonl"), work=findable).run(listed):
            first = first or time.perf_counter() - began
            done += outcome.status == "done"
        seconds, busy = time.perf_counter() - began - first, time.process_time() - busy
    if done != jobs:
        raise SystemExit(f"{name} did {done} of {jobs} jobs")
    cells = [name, f"{jobs:,}", f"{first:.1f}", f"{1000 * seconds / jobs:.2f}", f"{1000 * busy / jobs:.2f}"]
    return f"| {' | '.join(cells)} | {before:.0f} | {peak():.0f} |"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000, help="how many jobs")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time")
    parser.add_argument("--ray", action="store_true", help="also a local Ray cluster")
    chosen = parser.parse_args(arguments)
    engines: dict[str, Engine] = {"processes": ProcessPool(chosen.workers)}
    if chosen.ray:
        engines["Ray, local"] = RayCluster("local", chosen.workers, TaskLimits())
    print(f"{chosen.workers} workers, {os.cpu_count()} cores\n")
    print("| | jobs | first after s | ms a job | of it CPU of the scheduler | peak MB before | after |")
    print("|---|---|---|---|---|---|---|")
    for name, engine in engines.items():
        for jobs in (chosen.jobs // 10, chosen.jobs):
            print(overhead(name, engine, jobs), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
