"""How sure pictures alone let one be that a text belongs to a video; the moments of sentences as for narrations.

What tells own texts from others is how high each sentence stands above generic ones: its agreement with the pictures
at its best moment, in standard deviations above the best moments of the bank's sentences in the same video. A long or
varied video comes near any sentence, and so near those of the bank too. Words that the model has never read say
nothing, so a sentence counts as far as its words are known. Every sentence is a vote: a single one leaves one unsure.

The two weights were fitted on assembled validation videos and on videos made of photographs, each with its own and
with other texts, whole, halved and of one sentence: `python -m benchmarks.fit_calibration --data DIR` does it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from saffa.core.types import Floats, Ints
from saffa.encoders.narrated.confidence import moments, sentence_confidence
from saffa.encoders.visual.evidence import VisualEvidence
from saffa.encoders.visual.model import VisualModel

STANDING, OFFSET = 1.59, -1.27
"""Weight of a sentence's standing, and the constant, for each sentence."""
BLOCK = 512
"""Sentences looked at together, which bounds the memory."""
VOTES = 12
"""More sentences than this make nobody surer: those of one text resemble each other."""


@dataclass(frozen=True, eq=False)
class BestMoments:
    """The best agreement of pictures with each sentence (N,) and with each generic sentence (B,)."""

    own: Floats
    generic: Floats

    @classmethod
    def of(cls, sight: VisualEvidence, images: Floats, seconds: float = np.inf) -> BestMoments:
        """Over a grid of pictures (T, d) whose cells are `seconds` long; each picture by itself if that is infinite."""
        parts = [sight.sentences[a : a + BLOCK] for a in range(0, len(sight.sentences), BLOCK)]
        best = [moments(images @ side.T, seconds).max(0).astype(np.float32) for side in (*parts, sight.bank)]
        return cls(np.concatenate(best[:-1]), best[-1])

    def better(self, other: BestMoments) -> BestMoments:
        """The better of two each time."""
        return BestMoments(np.maximum(self.own, other.own), np.maximum(self.generic, other.generic))


def standing(best: BestMoments, known: Floats) -> float:
    """Mean over the sentences; `known` (N,) is the share of each that the model can read, negative without words."""
    height = (best.own - best.generic.mean()) / max(float(best.generic.std()), 1e-6)
    return float((known * height)[known >= 0].mean())


def picture_fit(standing: float, sentences: int) -> float:
    """The chance that text and video belong together."""
    return float(1 / (1 + np.exp(-min(sentences, VOTES) * (STANDING * standing + OFFSET))))


def fit_of(sight: VisualEvidence, best: BestMoments) -> float | None:
    """The same from what the pictures show; None for a model with which it was not measured."""
    if not isinstance(sight.model, VisualModel):
        return None
    known = sight.model.known(sight.document)
    return picture_fit(standing(best, known), int((known >= 0).sum()))


class Visited:
    """What the visited pictures of a video that is read once tell of a text."""

    def __init__(self, sight: VisualEvidence) -> None:
        self._sight = sight
        self._best: BestMoments | None = None

    def add(self, image: Floats) -> None:
        """The embedding (d,) of one more."""
        best = BestMoments.of(self._sight, image[None])
        self._best = self._best.better(best) if self._best else best

    def certainty(self) -> dict[str, Any]:
        """Whether the text fits; whether the moments of its sentences are right, only a whole video tells."""
        fit = None if self._best is None else fit_of(self._sight, self._best)
        return {"fit": fit, "by_pictures": fit is not None}


def certainty(
    sight: VisualEvidence, images: Floats, shown: Floats, seconds: float, groups: Sequence[Ints]
) -> dict[str, Any]:
    """As `Alignment` takes it, of an encoder that sees `images` (T, d) and takes `shown` (T, G) for the steps."""
    fit = fit_of(sight, BestMoments.of(sight, images, seconds))
    sure = None if fit is None else sentence_confidence(shown, seconds, groups, fit)
    return {"fit": fit, "confidence": sure, "by_pictures": fit is not None}
