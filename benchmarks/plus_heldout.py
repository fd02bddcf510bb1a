"""What `saffa+` keeps of the planner's gain on narrated videos that it has not learned from.

    python -m benchmarks.plus_heldout WORK --data DIR [--folds 3] [--seeds 0,1,2] [--speeds 12,2,5,8,16,20]

The training videos of youcook2-narrated are dealt into folds. The network for narrated videos goes through its
whole course (`plus_training.OWN`) without a fold and then walks through that fold's videos: each of the 217 is scored
by a network that has not seen it. Those are five times the videos of validation. WORK keeps what was learned: a second
call goes on after the networks that are finished.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.plus_share import COLUMNS, METHODS, Outcome, lines, outcomes
from saffa.core.alignment import Alignment
from saffa.encoders.registry import load_encoder
from saffa.methods.plus.plus import PlusAgent
from saffa.methods.plus.saffa_plus import SaffaPlus
from saffa.research.datasets import narrated as youcook2_narrated
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.plus.curves import narrated_school
from saffa.research.training.plus.training import OWN, teach_all

DEAL = 3
"""Seed of the dealing."""


def dealt(videos: Sequence[BenchmarkVideo], folds: int) -> list[list[BenchmarkVideo]]:
    """The videos in folds of nearly the same number."""
    order = np.random.default_rng(DEAL).permutation(len(videos))
    return [[videos[i] for i in order[fold::folds]] for fold in range(folds)]


def agent_without(
    fold: Sequence[BenchmarkVideo], videos: Sequence[BenchmarkVideo], seeds: list[int], work: Path
) -> SaffaPlus:
    """Taught by all other videos."""
    unseen = {video.id for video in fold}
    school = narrated_school([video for video in videos if video.id not in unseen])
    network = teach_all([school], OWN, seeds, work)
    return SaffaPlus(PlusAgent(network, {school.encoder: school.prior}))


def joined(parts: Sequence[dict[str, Outcome]]) -> dict[str, Outcome]:
    """The folds as one benchmark."""
    return {
        method: Outcome(
            [score for part in parts for score in part[method].scores],
            np.concatenate([part[method].relevance for part in parts]),
        )
        for method in METHODS
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="saffa+ on narrated videos that it has not learned from.")
    parser.add_argument("work", type=Path, help="folder for the networks")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--speeds", default="12,2,5,8,16,20")
    chosen = parser.parse_args()
    speeds, seeds = [float(s) for s in chosen.speeds.split(",")], [int(s) for s in chosen.seeds.split(",")]
    encoder, videos = load_encoder("narrated"), youcook2_narrated.load(chosen.data, "training")
    made: dict[float, list[dict[str, Outcome]]] = {speed: [] for speed in speeds}
    for number, fold in enumerate(dealt(videos, chosen.folds)):
        agent = agent_without(fold, videos, seeds, chosen.work / f"{chosen.folds}-folds" / f"without-{number}")
        seen: list[tuple[BenchmarkVideo, Alignment]] = [
            (video, encoder.encode(video, video.document, video.narration)) for video in fold
        ]
        for speed in speeds:
            made[speed].append(outcomes(seen, speed, agent))
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for speed in speeds:
        print("\n".join(lines("held-out training", speed, joined(made[speed]))), flush=True)


if __name__ == "__main__":
    main()
