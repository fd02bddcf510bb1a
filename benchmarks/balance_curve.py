"""The trade-off of --balance: overall performance against the share of steps that can be watched.

python -m benchmarks.balance_curve --data ../shared/data [--split validation] [--plot docs/guide/balance.png]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from saffa.encoders.registry import load_encoder
from saffa.methods.base import Sampler
from saffa.methods.planner.plan import Plan
from saffa.methods.uniform import Uniform
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.narrated import load
from saffa.research.evaluation.metrics import score
from saffa.research.evaluation.score import Row, summarise

BALANCES = (0.0, 0.25, 0.5, 1.0)
SPEEDS = (4.0, 8.0, 12.0)


def curve(videos: Sequence[BenchmarkVideo], speed: float) -> list[Row]:
    encoder = load_encoder("narrated")
    seen = [(video, encoder.encode(video, video.document, video.narration)) for video in videos]
    samplers: dict[str, Sampler] = {"uniform": Uniform()}
    samplers |= {f"balance {balance:g}": Plan(balance) for balance in BALANCES}
    rows = []
    for name, sampler in samplers.items():
        scores = [score(sampler.select(alignment, speed).frames, video) for video, alignment in seen]
        rows.append(summarise(name, scores, speed, 0.0))
    return rows


def draw(rows: dict[float, list[Row]], path: Path) -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for speed, points in rows.items():
        line = points[1:]
        axes.plot([r.watchable_steps for r in line], [r.f1 - points[0].f1 for r in line], "o-", label=f"{speed:g}×")
        for row, balance in zip(line, BALANCES, strict=True):
            if balance in (0.0, 0.5, 1.0):
                axes.text(row.watchable_steps, row.f1 - points[0].f1, f"  {balance:g}", fontsize=8, va="bottom")
    axes.set_xlabel("share of the recipe's steps with a second or more at ≤ 2×")
    axes.set_ylabel("F1 above uniform (percent points)")
    axes.set_ylim(bottom=0)
    axes.legend(title="speed", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="validation")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args(arguments)
    videos = load(options.data, options.split)
    rows = {speed: curve(videos, speed) for speed in SPEEDS}
    print("| speed | setting | F1 | OP | mean abs(OS−S*) | watchable |")
    print("|---|---|---|---|---|---|")
    for speed, points in rows.items():
        for r in points:
            figures = f"{r.f1:.2f} | {r.op:.2f} | {r.os_abs_error:.3f} | {r.watchable_steps:.2f}"
            print(f"| {speed:g}× | {r.method} | {figures} |")
    if options.plot:
        draw(rows, options.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
