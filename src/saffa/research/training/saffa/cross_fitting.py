"""Training clips of msvd judged by encoders that have not seen them (cross-fitting).

On clips that it was fitted to, an encoder's relevance is nearly binary, and an agent that learned from it would trust
relevance too much. So the training clips are dealt into folds by their YouTube video; an encoder is fitted to all
folds but one, and long videos are assembled from the clips of the one left out. No step boundaries are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from saffa.research.datasets import msvd_long
from saffa.research.datasets.base import FeatureClips, FeatureVideo, load_clips
from saffa.research.training.contrastive.encoder import ContrastiveEncoder, open_contrastive
from saffa.research.training.contrastive.training import ContrastiveSettings, train_contrastive
from saffa.storage.models import ModelFolder

FOLDS = 6
SPLIT = "train"


def dealt(clips: Sequence[str], folds: int, seed: int) -> list[int]:
    """The fold of each clip; clips of one YouTube video share it."""
    sources = sorted(set(map(msvd_long.source_of, clips)))
    order = np.random.default_rng(seed).permutation(len(sources))
    fold_of = {sources[i]: place % folds for place, i in enumerate(order)}
    return [fold_of[msvd_long.source_of(clip)] for clip in clips]


def crossed(
    data: Path, kept: Path, videos: int, seed: int, folds: int = FOLDS, settings: ContrastiveSettings | None = None
) -> Iterator[tuple[ContrastiveEncoder, list[FeatureVideo]]]:
    """Each fold's encoder, kept in a folder, and as many videos of the fold's clips."""
    clips = load_clips(data / "msvd" / "msvd_features.npz", data / "msvd" / "msvd_captions.json", SPLIT)
    fold_of = dealt(clips.ids, folds, seed)
    for fold in range(folds):
        inside = [i for i, own in enumerate(fold_of) if own == fold]
        outside = [i for i, own in enumerate(fold_of) if own != fold]
        trained = train_contrastive(
            _chosen(clips, outside),
            _chosen(clips, inside),
            data / "glove" / "glove_100d_subset.npz",
            kept / f"fold-{fold}",
            settings=settings,
        )
        encoder = open_contrastive(ModelFolder.open(Path(trained["model"])))
        own = {clips.ids[i] for i in inside}
        yield encoder, msvd_long.assemble(data, SPLIT, videos, seed + fold, among=own)


def _chosen(clips: FeatureClips, rows: Sequence[int]) -> FeatureClips:
    return replace(
        clips,
        ids=tuple(clips.ids[i] for i in rows),
        features=clips.features[rows],
        captions=[clips.captions[i] for i in rows],
    )
