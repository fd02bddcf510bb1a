"""Does the picture-guided attention help at document level? Pictures against whole documents, validation parts.

    python -m benchmarks.visual_documents --data DIR

A document is one caption each of some pictures (cooking: the steps of one video, in order); its own pictures belong to
it, those of all other documents do not. Cells: AUC over all pairs of a picture and a document. `mean` weighs sentences
evenly, as if no picture guided; `guided` is `VisualModel.attend`; `best` takes the nearest sentence for the document.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from saffa.core.types import Floats, Ints
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.shared_space import attend
from saffa.encoders.words import unit
from saffa.research.datasets.image_text import COOKING, NAMES, ImageText, load
from saffa.research.evaluation.roc import frame_auc

SHARPNESS = (5.0, 10.0, 20.0, 40.0)
PICTURES = 500
"""Of each set, at most."""


def documents(pictures: ImageText, length: int, random: np.random.Generator) -> list[Ints]:
    """Rows of the pictures of each document."""
    if pictures.name == COOKING:
        return [np.flatnonzero(pictures.videos == video) for video in range(int(pictures.videos.max()) + 1)]
    rows = random.permutation(len(pictures))
    return [rows[start : start + length] for start in range(0, len(rows) - length + 1, length)]


def areas(model: VisualModel, pictures: ImageText, length: int) -> list[float]:
    """AUC of: the mean, the guided attention of several sharpnesses, the best sentence."""
    random = np.random.default_rng(0)
    groups = documents(pictures, length, random)
    used = np.concatenate(groups)
    images = model.embed_images(pictures.features(0, used))
    belongs = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    ways: list[list[Floats]] = [[] for _ in range(len(SHARPNESS) + 2)]
    for group in groups:
        text = model.embed_sentences([str(random.choice(pictures.captions[row])) for row in group])
        ways[0].append(images @ unit(text.mean(0)))
        for way, sharpness in zip(ways[1:-1], SHARPNESS, strict=True):
            way.append((images * attend(images, text, sharpness).documents).sum(1))
        ways[-1].append((images @ text.T).max(1))
    own = (belongs[:, None] == np.arange(len(groups))).ravel()
    return [frame_auc(np.stack(way, axis=1).ravel(), own) for way in ways]


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--length", type=int, default=5, help="sentences of a document")
    chosen = parser.parse_args(arguments)
    model = VisualModel.load()
    titles = ["mean", *(f"guided, {sharpness:g}" for sharpness in SHARPNESS), "best"]
    print(f"| | {' | '.join(titles)} |\n|---{'|---' * len(titles)}|")
    for name in NAMES:
        pictures = load(chosen.data, name).part("val")
        found = areas(model, pictures.take(range(min(PICTURES, len(pictures)))), chosen.length)
        print(f"| {name} | {' | '.join(f'{area:.3f}' for area in found)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
