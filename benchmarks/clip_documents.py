"""Is it the loss or the features? What the trainer of pictures makes of clips that are given by features.

    python -m benchmarks.clip_documents RUN --data DIR [--loss cosine] [--h0 zeros] [--each] [--seed 1]

MSVD's captioned training clips, each shown as the mean of its features or as one of them; the validation clips as
their mean. Documents of four sentences of four clips.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from saffa.encoders.vdan.picture_space import PictureSpace
from saffa.research.datasets.base import load_clips
from saffa.research.datasets.image_text import ImageText
from saffa.research.training.run import check_run_folder, read_state
from saffa.research.training.vdan.captioned_sets import CaptionedSet, Sentences
from saffa.research.training.vdan.picture_run import set_scores
from saffa.research.training.vdan.picture_training import BEST, PictureSettings, PictureTrainer
from saffa.research.training.vdan.space_fit import standardising


def clips_as_pictures(data: Path, split: str) -> ImageText:
    """Clips as pictures of many crops: their mean is the whole picture, their features are the crops."""
    folder = data / "msvd"
    clips = load_clips(folder / "msvd_features.npz", folder / "msvd_captions.json", split)
    views = np.concatenate([clips.features.mean(1, keepdims=True), clips.features], axis=1)
    width = views.shape[2]
    return ImageText("msvd", views, np.ones(width, np.float32), clips.ids, (split,) * len(clips), tuple(clips.captions))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--loss", choices=("contrastive", "cosine"), default="contrastive")
    parser.add_argument("--h0", choices=("mapped", "zeros", "learned"), default="mapped")
    parser.add_argument("--each", action="store_true", help="standardise each number, not all by one")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    check_run_folder(options.run, resume=False)
    options.run.mkdir(parents=True, exist_ok=True)
    training, validation = (clips_as_pictures(options.data, split) for split in ("train", "val"))
    space = standardising([training])
    if not options.each:  # principal axes: standardised one by one, the last count as much as the first
        space = PictureSpace(space.mean, np.full_like(space.scale, np.sqrt(np.square(space.scale).mean())))
    sentences = Sentences()
    learnt, tried = (CaptionedSet.of(part, space, sentences) for part in (training, validation))
    chosen = {"h0": options.h0, "seed": options.seed, "precision": options.precision}
    settings = PictureSettings(options.loss, options.steps, validate=100, **chosen)
    trainer = PictureTrainer(options.run, settings, sentences.vectors(space), sentences.table(), space.width)
    best = trainer.fit([learnt], [tried], data="msvd")
    trainer.encoder.load_state_dict(read_state(options.run / BEST)["encoder"])
    found, seen = set_scores(trainer, tried), trainer.scores(learnt)
    print(
        f"{options.loss}, h0 {options.h0}: attention on the own sentence {found['attention']:.3f} (chance .25), AUC "
        f"{found['auc']:.3f}, with other texts {found['wrong_auc']:.3f}, honest MRR {found['mrr']:.3f}; clips "
        f"it has learned from: attention {seen.attention:.3f}, AUC {seen.auc:.3f}; step {best['epoch']}, "
        f"{trainer.seconds / 60:.1f} minutes"
    )


if __name__ == "__main__":
    main()
