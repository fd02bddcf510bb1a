"""How much of the planner's gain over uniform the online agent keeps, at several speeds.

    python -m benchmarks.plus_share --data DIR [--speeds 12,2,5,8,16,20]

Validation videos of youcook2-narrated and test videos of msvd-long. p: two-sided unpaired t-test of F1 against uniform.
In brackets: the middle 95 % of the share when the videos are drawn anew with replacement, 10,000 times.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.evaluation.run import run_benchmark
from saffa.evaluation.significance import t_test

Floats = NDArray[np.float64]

BENCHMARKS = {"youcook2-narrated": "validation", "msvd-long": "test"}
METHODS = ("uniform", "saffa+", "plan")
DRAWS = 10_000


def share_of(uniform: Floats, agent: Floats, plan: Floats) -> tuple[float, float, float]:
    """Share of the planner's mean gain in %, and its bootstrap interval; F1 per video, each of shape (n,)."""
    rows = np.random.default_rng(0).integers(len(uniform), size=(DRAWS, len(uniform)))
    drawn = 100 * (agent - uniform)[rows].mean(1) / (plan - uniform)[rows].mean(1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return 100 * float((agent - uniform).mean() / (plan - uniform).mean()), float(low), float(high)


def rows(benchmark: str, data: Path, speed: float) -> list[str]:
    """Markdown rows of one benchmark at one speed."""
    report = run_benchmark(benchmark, data, BENCHMARKS[benchmark], speed, METHODS)
    f1 = {m: np.array([score.f1 for score in report.per_video[m].values()]) for m in METHODS}
    lines = []
    for row in report.rows:
        share = "–"
        if row.method != "uniform":
            share = "{:.1f} % ({:.0f}–{:.0f})".format(*share_of(f1["uniform"], f1[row.method], f1["plan"]))
        p = f"{t_test(f1[row.method], f1['uniform']):.1g}" if row.method != "uniform" else "–"
        lines.append(
            f"| {benchmark} | {speed:g} | {row.method} | {row.precision:.1f} | {row.recall:.2f} | {row.f1:.2f} | "
            f"{row.os:.3f} | {row.op:.2f} | {row.os_abs_error:.3f} | {share} | {p} |"
        )
    return lines


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="saffa+ against the planner.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speeds", default="12,2,5,8,16,20")
    chosen = parser.parse_args()
    print("| benchmark | S* | method | P | R | F1 | OS | OP | mean abs(OS−S*) | share of the planner's gain | p |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for benchmark in BENCHMARKS:
        for speed in map(float, chosen.speeds.split(",")):
            print("\n".join(rows(benchmark, chosen.data, speed)), flush=True)


if __name__ == "__main__":
    main()
