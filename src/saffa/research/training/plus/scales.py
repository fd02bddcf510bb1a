"""How much is a lot: the scale of encoders that `saffa+` has not learned with, from videos of validation pictures.

The network reads relevance in units of its encoder. Knowing the unit is most of what it needs of an encoder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.core.video import Axis, Extent
from saffa.encoders.narrated.encoder import Grid
from saffa.encoders.visual.encoder import VisualEncoder, VisualReading
from saffa.encoders.visual.evidence import VisualEvidence
from saffa.methods.plus.plus import Prior
from saffa.research.datasets.image_text import NAMES, load
from saffa.research.datasets.picture_rows import PictureRow, picture_row

VIDEOS = 50
"""Of each set of pictures."""
WHOLE, LIVE = "visual", "visual-live"
RATE = Fraction(30)


@dataclass(frozen=True, eq=False)
class _Shown(VisualEncoder):
    """Sees what it is given, (T, d), instead of a file."""

    seen: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32), repr=False)

    def images(self, video: Axis, grid: Grid) -> NDArray[np.float32]:  # noqa: ARG002
        return self.seen


def visual_scales(data: Path, videos: int = VIDEOS) -> dict[str, Prior]:
    """Of the visual encoder over whole videos, and while a video is read.

    Then each picture speaks for itself, and the place in the text that it fits jumps too much to be trusted.
    """
    whole: list[NDArray[np.float32]] = []
    live: list[float] = []
    encoder = VisualEncoder()
    for row in rows_of(data, videos):
        images = encoder.model.embed_images(row.features)
        axis = Extent(int(len(images) * RATE), RATE)
        whole.append(_Shown(encoder.model, encoder.backbone, seen=images).encode(axis, row.document, None).relevance)
        reading = VisualReading(VisualEvidence.of(encoder.model, row.document), encoder.backbone)
        live += [reading.look(image).relevance for image in images]
    return {WHOLE: _scale(np.concatenate(whole), place=True), LIVE: _scale(np.array(live), place=False)}


def rows_of(data: Path, videos: int) -> Iterator[PictureRow]:
    """Videos of each set's validation pictures, which the visual model has not learned from."""
    for number, name in enumerate(NAMES):
        pictures, random = load(data, name).part("val"), np.random.default_rng(100 + number)
        yield from (picture_row(pictures, random) for _ in range(videos))


def _scale(relevance: NDArray[np.floating], *, place: bool) -> Prior:
    return Prior(float(relevance.mean()), float(relevance.std()), place)
