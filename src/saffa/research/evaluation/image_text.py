"""Does a picture find its sentence? Ranks over a whole set, the AUC of pairs, and the choice among a video's steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Doubles, Floats, Ints, Share
from saffa.encoders.visual.model import VisualModel
from saffa.research.datasets import image_text
from saffa.research.datasets.image_text import COOKING, ImageText
from saffa.research.evaluation.roc import frame_auc

BENCHMARK = "image-text"
AUTOMATIC = "validation"
"""The command's default split: here it means test where there is a test part, else val."""


@dataclass(frozen=True)
class ImageTextRow:
    """One set: shares between 0 and 1. `step_choice` only where pictures are frames of videos."""

    dataset: str
    n: int
    r1: float
    r5: float
    r10: float
    mrr: float
    auc: float
    step_choice: float | None


@dataclass(frozen=True)
class ImageTextReport:
    """All rows, and which split of each set was scored."""

    splits: Mapping[str, str]
    rows: tuple[ImageTextRow, ...]

    def to_json(self) -> dict[str, Any]:
        """The form that `saffa evaluate image-text --json` writes."""
        return {"benchmark": BENCHMARK, "splits": dict(self.splits), "rows": [asdict(row) for row in self.rows]}


def ranks(scores: Floats, owners: Ints) -> Doubles:
    """Rank (n,) of each picture's best own sentence among all others, from scores (n, m); equals share places."""
    own = owners[None] == np.arange(len(scores))[:, None]
    best = np.where(own, scores, -np.inf).max(1, keepdims=True)
    others = ~own
    return np.asarray(1 + ((scores > best) & others).sum(1) + ((scores == best) & others).sum(1) / 2, np.float64)


def step_choice(scores: Floats, owners: Ints, videos: Ints) -> float:
    """How often a frame prefers its own sentence among those of its video; equals share the success."""
    same = videos[:, None] == videos[owners][None]
    within = np.where(same, scores, -np.inf)
    top = within == within.max(1, keepdims=True)
    own = owners[None] == np.arange(len(scores))[:, None]
    return float(((top & own).sum(1) / top.sum(1)).mean())


def score_pairs(name: str, scores: Floats, owners: Ints, videos: Ints | None) -> ImageTextRow:
    """A row from scores (n, m). The AUC is over all pairs of a picture and a sentence: own ones against others."""
    place = ranks(scores, owners)
    own = owners[None] == np.arange(len(scores))[:, None]
    return ImageTextRow(
        dataset=name,
        n=len(scores),
        r1=float((place <= 1).mean()),
        r5=float((place <= 5).mean()),
        r10=float((place <= 10).mean()),
        mrr=float((1 / place).mean()),
        auc=frame_auc(scores.ravel(), own.ravel()),
        step_choice=None if videos is None else step_choice(scores, owners, videos),
    )


def score_model(model: VisualModel, pictures: ImageText) -> ImageTextRow:
    """A model on a set of pictures (the whole picture, crop 0)."""
    scores = model.embed_images(pictures.features()) @ model.embed_sentences(pictures.sentences).T
    videos = pictures.videos if pictures.name == COOKING else None
    return score_pairs(pictures.name, scores, pictures.owners, videos)


def evaluate_image_text(
    data: Path,
    split: str = AUTOMATIC,
    model: VisualModel | None = None,
    progress: Share = lambda _: None,
) -> ImageTextReport:
    """Score the shipped model, or another, on every set in DIR/image_text that has the split."""
    names = image_text.available(data)
    model = model or VisualModel.load()
    splits, rows, lacking = {}, [], []
    for done, name in enumerate(names):
        pictures = image_text.load(data, name)
        wanted = whole_split(pictures) if split == AUTOMATIC else split
        if wanted in pictures.splits:
            splits[name] = wanted
            rows.append(score_model(model, pictures.part(wanted)))
        else:
            lacking.append(f"{name} has {', '.join(sorted(set(pictures.splits)))}")
        progress((done + 1) / len(names))
    if not rows:
        raise InputError(f"No set has the split {split!r}: {'; '.join(lacking)}.")
    return ImageTextReport(splits, tuple(rows))


def whole_split(pictures: ImageText) -> str:
    """`test`, or `val`, or whatever the only kind is called."""
    present = set(pictures.splits)
    return next((name for name in ("test", "val") if name in present), sorted(present)[0])
