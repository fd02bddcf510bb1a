"""What becomes of the alignment and of its claims when the narration is heard badly.

python -m benchmarks.replaced_words --data DIR [--speed 12] [--shares 0,0.1,0.2,0.3] [--every 1]

A share of the spoken words of youcook2-narrated validation videos is replaced by words of other videos' narrations,
drawn as often as they are said (seeded). Printed for each share: step_hit and F1 of plan-balanced with own texts, F1
with those of another video, and of `fit` and `confidence` (whole texts) what `benchmarks.fit_calibration` prints.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.fit_calibration import cases, row
from saffa.core.video import Narration
from saffa.encoders.registry import load_encoder
from saffa.research.datasets import narrated
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.score import Row, evaluate
from saffa.research.evaluation.texts import with_texts

METHOD = "plan-balanced"
SEED = 17


def misheard(videos: Sequence[BenchmarkVideo], share: float) -> list[BenchmarkVideo]:
    """The videos with that share of their spoken words replaced; a larger share replaces the same words and more."""
    corpus = [word for video in videos if video.narration for cue in video.narration.cues for word in cue.text.split()]
    found = []
    for place, video in enumerate(videos):
        random = np.random.default_rng([SEED, place])
        cues = []
        for cue in video.narration.cues if video.narration else ():
            said = cue.text.split()
            falls, others = random.random(len(said)), random.integers(len(corpus), size=len(said))
            text = " ".join(corpus[o] if f < share else w for w, f, o in zip(said, falls, others, strict=True))
            cues.append(replace(cue, text=text))
        found.append(replace(video, narration=Narration(tuple(cues))))
    return found


def planned(videos: Sequence[BenchmarkVideo], speed: float) -> Row:
    (result,), _ = evaluate(videos, load_encoder("narrated"), (METHOD,), speed)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speed", type=float, default=12.0)
    parser.add_argument("--shares", default="0,0.1,0.2,0.3")
    parser.add_argument("--every", type=int, default=1, help="only every so-many-th video")
    chosen = parser.parse_args()
    videos = narrated.load(chosen.data, "validation")[:: chosen.every]
    print(
        "| replaced | step_hit | F1 | F1, wrong texts | AUC of fit | own doubted | wrong told | … at 5 % doubted |",
        end="",
    )
    print(" ECE of fit | ECE of confidence |\n" + "|---" * 10 + "|", flush=True)
    for share in map(float, chosen.shares.split(",")):
        heard = misheard(videos, share)
        own, wrong = planned(heard, chosen.speed), planned(with_texts(heard, wrong=True), chosen.speed)
        figures, _ = row(*cases(heard, ("whole",)))
        plans = f"{own.step_hit:.3f} | {own.f1:.2f} | {wrong.f1:.2f}"
        print(f"| {share:.0%} | {plans} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
