"""How much of the planner's gain over uniform the online agent keeps, at several speeds.

    python -m benchmarks.plus_share --data DIR [--speeds 12,2,5,8,16,20]

Validation videos of youcook2-narrated and test videos of msvd-long. p: two-sided unpaired t-test of F1 against uniform.
The share in relevance is the same figure with the mean relevance of the selected frames in place of F1: it knows
nothing of the steps, but is far less a matter of chance. In brackets: the middle 95 % of the share when the videos are
drawn anew with replacement, 10,000 times.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.methods.base import Sampler
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.registry import Wanted, encoder_for, load_videos
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.metrics import Scores, score
from saffa.research.evaluation.score import sampler_for, summarise
from saffa.research.evaluation.significance import t_test

Floats = NDArray[np.float64]

BENCHMARKS = {"youcook2-narrated": "validation", "msvd-long": "test"}
METHODS = ("uniform", "saffa+", "plan")
DRAWS = 10_000
COLUMNS = (
    *("benchmark", "S*", "method", "P", "R", "F1", "OS", "OP", "mean abs(OS−S*)"),
    *("share of the planner's gain", "share in relevance", "p"),
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One method at one speed: the scores of each video, and the mean relevance of the frames it selected, (n,)."""

    scores: list[Scores]
    relevance: Floats

    @property
    def f1(self) -> Floats:
        """Of each video, (n,)."""
        return np.array([score.f1 for score in self.scores])


def outcomes(
    seen: Sequence[tuple[BenchmarkVideo, Alignment]], speed: float, agent: Sampler | None = None
) -> dict[str, Outcome]:
    """All methods at one speed. `agent` walks instead of the shipped one."""
    made = {}
    for method in METHODS:
        sampler = agent if agent and agent.name == method else sampler_for(method)
        chosen = [(video, alignment, sampler.select(alignment, speed).frames) for video, alignment in seen]
        made[method] = Outcome(
            [score(frames, video) for video, _, frames in chosen],
            np.array([alignment.relevance_per_frame()[frames].mean() for _, alignment, frames in chosen]),
        )
    return made


def share_of(uniform: Floats, agent: Floats, plan: Floats) -> str:
    """Share of the planner's mean gain in %, and its bootstrap interval; a figure per video each, of shape (n,)."""
    rows = np.random.default_rng(0).integers(len(uniform), size=(DRAWS, len(uniform)))
    drawn = 100 * (agent - uniform)[rows].mean(1) / (plan - uniform)[rows].mean(1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    share = 100 * float((agent - uniform).mean() / (plan - uniform).mean())
    return f"{share:.1f} % ({low:.0f}–{high:.0f})"


def lines(benchmark: str, speed: float, made: dict[str, Outcome]) -> Iterator[str]:
    """Markdown rows of one benchmark at one speed."""
    uniform, plan = made["uniform"], made["plan"]
    for method, outcome in made.items():
        row = summarise(method, outcome.scores, speed, 0.0)
        told = ["–", "–", "–"]
        if method != "uniform":
            shares = [
                share_of(uniform.f1, outcome.f1, plan.f1),
                share_of(uniform.relevance, outcome.relevance, plan.relevance),
            ]
            told = [*(shares if method != "plan" else ["100 %", "100 %"]), f"{t_test(outcome.f1, uniform.f1):.1g}"]
        yield (
            f"| {benchmark} | {speed:g} | {method} | {row.precision:.1f} | {row.recall:.2f} | {row.f1:.2f} | "
            f"{row.os:.3f} | {row.op:.2f} | {row.os_abs_error:.3f} | {' | '.join(told)} |"
        )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="saffa+ against the planner.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speeds", default="12,2,5,8,16,20")
    chosen = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for benchmark, split in BENCHMARKS.items():
        encoder = encoder_for(benchmark, "auto")
        videos = load_videos(benchmark, Wanted(chosen.data, split)).videos
        seen = [(video, encoder.encode(axis_of(video), video.document, video.narration)) for video in videos]
        for speed in map(float, chosen.speeds.split(",")):
            print("\n".join(lines(benchmark, speed, outcomes(seen, speed))), flush=True)


if __name__ == "__main__":
    main()
