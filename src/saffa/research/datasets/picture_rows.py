"""Videos made of pictures: each is shown for a while, with some noise; the text has captions of about half."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from saffa.core.document import Document
from saffa.core.types import Floats, Ints
from saffa.research.datasets.image_text import COOKING, ImageText

NOISE = 0.15
"""Noise in a picture's features from one second to the next, as a share of them."""
SECONDS = (5, 20)
STEPS = (3, 7)


@dataclass(frozen=True, eq=False)
class PictureRow:
    """features (T, z) of each second, `shown` (T,): its sentence, or -1."""

    features: Floats = field(repr=False)
    shown: Ints = field(repr=False)
    document: Document


def picture_row(pictures: ImageText, random: np.random.Generator, *, shuffled: bool = False) -> PictureRow:
    """One video; `shuffled`: its sentences stand in another order than the pictures. Cooking: the steps of a video."""
    if pictures.name == COOKING:
        own = np.flatnonzero(pictures.videos == random.choice(pictures.videos))
        count = STEPS[0]
    else:
        count = int(random.integers(STEPS[0], STEPS[1] + 1))
        own = random.choice(len(pictures), count, replace=False)
    others = random.choice(np.setdiff1d(np.arange(len(pictures)), own), count, replace=False)
    order = random.permutation([True] * len(own) + [False] * len(others))
    steps, fillers = iter(own.tolist()), iter(others.tolist())
    rows: list[Floats] = []
    shown: list[int] = []
    text: list[str] = []
    for is_step in order.tolist():
        row = next(steps) if is_step else next(fillers)
        seconds = int(random.integers(SECONDS[0], SECONDS[1] + 1))
        feature = pictures.features(0, [row])[0]
        noise = NOISE * random.standard_normal((seconds, len(feature)))
        rows.append(np.maximum(0, feature * (1 + noise)).astype(np.float32))
        shown.extend([len(text) if is_step else -1] * seconds)
        if is_step:
            text.append(str(random.choice(pictures.captions[row])))
    places = random.permutation(len(text)) if shuffled else np.arange(len(text))
    moved = np.append(np.argsort(places), -1)[np.array(shown)]
    return PictureRow(np.concatenate(rows), moved, Document(tuple(text[k] for k in places)))
