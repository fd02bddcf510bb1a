"""What each part of the visual encoder's calibration brings, on videos made of pictures that no model was trained on.

    python -m benchmarks.visual_calibration --data DIR [--videos N]

A video is a row of pictures of the validation part of one set (`DIR/image_text`), 5 to 20 seconds each, with some
noise; the text has a caption for about half of them. Cells: frame AUC of the relevance / share of step frames whose
sentence is the right one. `shuffled order`: the same texts with their sentences in another order than the pictures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from saffa.core.types import Floats, Ints
from saffa.encoders.narrated.lexicon import word_counts
from saffa.encoders.step_hmm import StepHmm
from saffa.encoders.visual.encoder import WANDER
from saffa.encoders.visual.evidence import ALONE, LEVEL, VisualEvidence, chance
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.words import words
from saffa.research.datasets.image_text import NAMES, ImageText, load
from saffa.research.datasets.picture_rows import picture_row
from saffa.research.evaluation.roc import frame_auc

Judge = Callable[["Case"], tuple[Floats, Floats]]
"""Relevance (T,) and score of each sentence (T, N)."""


@dataclass(frozen=True, eq=False)
class Case:
    images: Floats
    shown: Ints
    sight: VisualEvidence


def make_case(pictures: ImageText, model: VisualModel, random: np.random.Generator, shuffled: bool) -> Case:
    row = picture_row(pictures, random, shuffled=shuffled)
    return Case(model.embed_images(row.features), row.shown, VisualEvidence.of(model, row.document))


def similarity(case: Case) -> tuple[Floats, Floats]:
    agreement = case.images @ case.sight.sentences.T
    return agreement.max(1), agreement


def with_bank(case: Case) -> tuple[Floats, Floats]:
    fit = case.sight.fit(case.images)
    return fit.max(1), fit


def with_own_bank(case: Case) -> tuple[Floats, Floats]:
    generic = case.images @ case.sight.bank.T
    fit = (case.images @ case.sight.sentences.T - generic.mean(1, keepdims=True)) / generic.std(1, keepdims=True)
    return fit.max(1), fit


def within_video(case: Case) -> tuple[Floats, Floats]:
    fit = case.sight.fit(case.images)
    fit = fit - LEVEL * fit.mean(0)
    return fit.max(1), fit


def _chained(case: Case) -> tuple[Floats, Floats]:
    fit = case.sight.fit(case.images)
    evidence = ALONE(fit - LEVEL * fit.mean(0))
    lengths = word_counts([words(sentence) for sentence in case.sight.document])
    return evidence, StepHmm.over(len(evidence), lengths, WANDER).posterior(evidence)


def chained(case: Case) -> tuple[Floats, Floats]:
    _, posterior = _chained(case)
    return posterior.sum(1), posterior


def shipped(case: Case) -> tuple[Floats, Floats]:
    evidence, posterior = _chained(case)
    return (posterior.sum(1) + chance(evidence)) / 2, posterior


ROWS: dict[str, Judge] = {
    "similarity": similarity,
    "against the bank, each picture by itself": with_own_bank,
    "against the bank, half by itself": with_bank,
    "and within the video": within_video,
    "and the chain alone": chained,
    "shipped (half chain, half moment)": shipped,
}


def score(judge: Judge, cases: Sequence[Case]) -> str:
    areas, right = [], []
    for case in cases:
        relevance, scores = judge(case)
        step = case.shown >= 0
        areas.append(frame_auc(relevance, step))
        right.append(np.mean(scores.argmax(1)[step] == case.shown[step]))
    return f"{np.mean(areas):.3f} / {np.mean(right):.2f}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--videos", type=int, default=40)
    chosen = parser.parse_args(arguments)
    model = VisualModel.load_for_videos()
    cases = {}
    for number, name in enumerate(NAMES):
        pictures = load(chosen.data, name).part("val")
        for order in (False, True):
            random = np.random.default_rng(number)
            title = f"{name}, shuffled order" if order else name
            cases[title] = [make_case(pictures, model, random, order) for _ in range(chosen.videos)]
    print(f"{chosen.videos} videos each\n\n| | {' | '.join(cases)} |\n|---{'|---' * len(cases)}|")
    for name, judge in ROWS.items():
        print(f"| {name} | {' | '.join(score(judge, some) for some in cases.values())} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
