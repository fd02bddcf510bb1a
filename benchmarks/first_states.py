"""Is h0 = φ(v) better than zeros or a learned state? VDAN on pictures, several seeds of each, as short as tells.

    python -m benchmarks.first_states RUNS --data DIR [--loss contrastive] [--steps 250] [--seeds 3]
        [--h0 mapped zeros]

Photographs of `image_text` (no cooking frames), the small network of `saffa train vdan --data`. Finished runs in RUNS
are used again. Figures are of the validation pictures, with documents of four sentences.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.picture_runs import HEADING, rows
from saffa.core.strict_json import json_text
from saffa.research.datasets import image_text
from saffa.research.datasets.image_text import COOKING
from saffa.research.evaluation.markdown import sheet
from saffa.research.training.vdan.captioned_sets import CaptionedSet, Sentences
from saffa.research.training.vdan.picture_run import RESULT, set_scores
from saffa.research.training.vdan.picture_training import PictureSettings, PictureTrainer
from saffa.research.training.vdan.space_fit import standardising

FIRST_STATES = ("mapped", "zeros", "learned")


class Photographs:
    """What all runs share: training and validation parts, and the words of their captions."""

    def __init__(self, data: Path) -> None:
        sets = [image_text.load(data, name) for name in image_text.available(data) if name != COOKING]
        training, validation = ([part.part(split) for part in sets] for split in ("train", "val"))
        self.space, self.sentences = standardising(training), Sentences()
        self.learnt, self.tried = (
            [CaptionedSet.of(part, self.space, self.sentences) for part in parts] for parts in (training, validation)
        )
        self.words, self.table = self.sentences.vectors(self.space), self.sentences.table()

    def run(self, folder: Path, settings: PictureSettings) -> None:
        """Train once and leave what `picture_runs` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        trainer = PictureTrainer(folder, settings, self.words, self.table, self.space.width)
        best = trainer.fit(self.learnt, self.tried, data="photographs")  # one validation, so the best are the last
        scores = {part.name: set_scores(trainer, part) for part in self.tried}
        facts = {"step": best["epoch"], "hours": trainer.seconds / 3600, "validation": scores}
        (folder / RESULT).write_text(json_text(facts) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--loss", choices=("cosine", "contrastive"), default="cosine")
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--h0", nargs="+", choices=FIRST_STATES, default=FIRST_STATES)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="bfloat16")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    photographs = Photographs(options.data)
    folders: dict[str, list[Path]] = {first: [] for first in options.h0}
    for seed in range(options.seeds):
        for first, made in folders.items():
            folder = options.runs / f"{options.loss}-{options.steps}-{first}-{seed}"
            chosen: dict[str, Any] = {"h0": first, "seed": seed, "precision": options.precision}
            if not (folder / RESULT).is_file():
                chosen |= {"validate": options.steps, "keep": options.steps}
                photographs.run(folder, PictureSettings(options.loss, options.steps, **chosen))
            made.append(folder)
    table = [row for first, made in folders.items() for row in rows(first, made)]
    print(sheet(HEADING, table).markdown())


if __name__ == "__main__":
    main()
