"""How much longer the planner takes with corrections than without: the same video and length, side by side.

    python -m benchmarks.corrections_speed [--minutes 20] [--rounds 7]

Seconds of CPU, the best of several rounds in turn; the wanted ratio is at most 1.20.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.corrections import Correction, Cut, Keep, Skip, Weight
from saffa.methods.base import Sampler
from saffa.methods.corrected import corrected
from saffa.methods.planner.plan import Plan

SPEED, RATE, STEPS = 10.0, Fraction(30), 8


def made(minutes: int, seed: int = 0) -> Alignment:
    """A video with eight steps of about half a minute, evenly spread, in noise."""
    seconds = 60 * minutes
    times = np.arange(seconds, dtype=np.float32) + 0.5
    near = np.exp(-0.5 * ((times[:, None] - (np.arange(STEPS) + 0.5) * seconds / STEPS) / 12) ** 2) + 1e-6
    unit, noise = np.ones((seconds, 1), np.float32), np.random.default_rng(seed).random(seconds) * 0.3
    return Alignment(
        times=times,
        e_v=unit,
        e_d=unit,
        relevance=(near.sum(1) + noise).astype(np.float32),
        sentence_weights=(near / near.sum(1, keepdims=True)).astype(np.float32),
        document=tuple(f"step {k + 1}" for k in range(STEPS)),
        frames=int(seconds * RATE),
        rate=RATE,
        encoder="made",
    )


def cases(seconds: int) -> dict[str, tuple[Correction, ...]]:
    """Corrections by name; places are shares of the video."""
    keep, skip, cut = Keep("step:3", 1), Skip((0.4 * seconds, 0.5 * seconds)), Cut((0, 0.07 * seconds))
    several = tuple(Keep((share * seconds, share * seconds + 2), 2) for share in (0.2, 0.5, 0.7, 0.8, 0.9))
    return {
        "none": (),
        "--keep step:3": (keep,),
        "--skip": (skip,),
        "--cut": (cut,),
        "--weight": (Weight(5, 2),),
        "all of them and five more": (keep, skip, cut, Weight(5, 2), *several),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Planning with corrections against planning without.")
    parser.add_argument("--minutes", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    video = made(options.minutes)
    asked = cases(60 * options.minutes)
    samplers: dict[str, Sampler] = {name: corrected(Plan(), corrections) for name, corrections in asked.items()}
    taken: dict[str, list[float]] = {name: [] for name in samplers}
    for turn in range(options.rounds + 1):  # the first turn compiles
        for name, sampler in samplers.items():
            began = time.process_time()
            sampler.select(video, SPEED)
            if turn:
                taken[name].append(time.process_time() - began)
    base = min(taken["none"])
    print(f"{options.minutes} minutes at {float(RATE):g} frames a second, {SPEED:g}x, {options.rounds} rounds\n")
    print("| corrections | seconds of CPU | ratio |\n|---|---|---|")
    for name, seconds in taken.items():
        print(f"| {name} | {min(seconds):.2f} | {min(seconds) / base:.2f} |")


if __name__ == "__main__":
    main()
