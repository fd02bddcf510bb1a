"""The first plan of a new installation: numba has nothing compiled yet. Beside it, the second.

    python -m benchmarks.first_run [--rounds N]

`saffa accelerate --dry-run` on the sample with the narrated encoder, with an empty folder for compiled code and then
with the folder that this left; and the planner alone, its compiler loaded.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from benchmarks.render_speed import Cost, measured
from saffa.sample import RECIPE, VIDEO

PLAN = """
import time, numpy as np, numba, saffa
from saffa.core.alignment import Alignment
frames, random = 4800, np.random.default_rng(0)
times = (np.arange(frames // 15) / 2).astype(np.float32)
row = np.zeros((len(times), 1), np.float32)
relevance = random.random(len(times)).astype(np.float32)
alignment = Alignment(times, row, row, relevance, row + 1, ("one",), frames, 30, "made")
began = time.process_time()
saffa.select(alignment, speed=8)
print(time.process_time() - began)
"""


def plan_alone(environment: dict[str, str]) -> float:
    """CPU seconds of a plan in a process of its own."""
    told = subprocess.run([sys.executable, "-c", PLAN], env=environment, capture_output=True, text=True, check=True)
    return float(told.stdout)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured, in turns")
    chosen = parser.parse_args(arguments)
    command = [sys.executable, "-m", "saffa", "accelerate", str(VIDEO), "--text", str(RECIPE), "--dry-run", "--json"]
    costs: dict[str, list[Cost]] = {"first": [], "second": []}
    plans: dict[str, list[float]] = {"first": [], "second": []}
    for _ in range(chosen.rounds):
        with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as alone:
            for which, own in costs.items():
                os.environ["NUMBA_CACHE_DIR"] = whole
                own.append(measured([*command, "--encoder", "narrated"]))
                plans[which].append(plan_alone(os.environ | {"NUMBA_CACHE_DIR": alone}))
    print("| | whole command, s | CPU s | the plan alone, CPU s |\n|---|---|---|---|")
    for which, own in costs.items():
        wall, work = (statistics.median(getattr(cost, name) for cost in own) for name in ("seconds", "processor"))
        print(f"| {which} | {wall:.2f} | {work:.2f} | {statistics.median(plans[which]):.2f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
