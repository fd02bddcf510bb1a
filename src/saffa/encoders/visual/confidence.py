"""How sure pictures alone let one be that a text belongs to a video; the moments of sentences as for narrations.

What tells own texts from others is how high each sentence stands above generic ones: its agreement with the pictures
at its best moment, in standard deviations above the best moments of the bank's sentences in the same video. A long or
varied video comes near any sentence, and so near those of the bank too. Words that the model has never read say
nothing, so a sentence counts as far as its words are known. Every sentence is a vote: a single one leaves one unsure.

The weights were fitted on assembled validation videos and on videos made of photographs, each with its own and with
other texts, whole, halved and of one sentence, with 24 videos of photographs a set. `python -m benchmarks.picture_fit
--data DIR` fits them again on 40, which gives nearly the same numbers (docs/results/confidence.md).
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

WEIGHTS = ((1.84, -1.34), (0.18, -0.48))
"""Weight of a sentence's standing, and the constant, for each sentence: in any video, and where all is cooking.

In a kitchen the text of another dish stands nearly as high, so that a high standing proves little.
"""
SHARPNESS = 1 / 3
"""Power of a sentence's chance in its best moment: with it claims are calibrated."""
READABLE = 0.5
"""Where less than this share of a text can be read, the chance that it fits shrinks with it, to 0 for made-up words."""
BLOCK = 512
"""Sentences looked at together, which bounds the memory."""
VOTES = 12
"""More sentences than this make nobody surer: those of one text resemble each other."""


@dataclass(frozen=True, eq=False)
class BestMoments:
    """The best agreement of pictures with each sentence (N,) and each generic one (B,), and the share of cooking."""

    own: Floats
    generic: Floats
    cooking: float
    pictures: int

    @classmethod
    def of(cls, sight: VisualEvidence, model: VisualModel, images: Floats, seconds: float = np.inf) -> BestMoments:
        """Over a grid of pictures (T, d) whose cells are `seconds` long; each picture by itself if that is infinite."""
        parts = [sight.sentences[a : a + BLOCK] for a in range(0, len(sight.sentences), BLOCK)]
        best = [moments(images @ side.T, seconds).max(0).astype(np.float32) for side in (*parts, sight.bank)]
        return cls(np.concatenate(best[:-1]), best[-1], model.cooking_share(images), len(images))

    def together(self, other: BestMoments) -> BestMoments:
        """Joins the best moments of two parts of a video."""
        pictures = self.pictures + other.pictures
        cooking = (self.pictures * self.cooking + other.pictures * other.cooking) / pictures
        return BestMoments(np.maximum(self.own, other.own), np.maximum(self.generic, other.generic), cooking, pictures)

    def standing(self, known: Floats) -> float:
        """Mean over the sentences; `known` (N,) is the share of each that the model can read, -1 without words."""
        height = (self.own - self.generic.mean()) / max(float(self.generic.std()), 1e-6)
        return float((known * height)[known >= 0].mean())

    def fit(self, known: Floats) -> float:
        """The chance that text and video belong together."""
        anywhere, kitchen = np.array(WEIGHTS) @ (self.standing(known), 1.0)
        vote = (1 - self.cooking) * anywhere + self.cooking * kitchen
        chance = 1 / (1 + np.exp(-min(int((known >= 0).sum()), VOTES) * vote))
        return float(chance * min(1.0, float(known[known >= 0].mean()) / READABLE))


class Visited:
    """What the visited pictures of a video that is read once tell of a text; nothing with a model not measured."""

    def __init__(self, sight: VisualEvidence) -> None:
        self._sight = sight
        self._best: BestMoments | None = None

    def add(self, image: Floats) -> None:
        """The embedding (d,) of one more."""
        if isinstance(self._sight.model, VisualModel):
            best = BestMoments.of(self._sight, self._sight.model, image[None])
            self._best = self._best.together(best) if self._best else best

    def certainty(self) -> dict[str, Any]:
        """Whether the text fits; whether the moments of its sentences are right, only a whole video tells."""
        if self._best is None or not isinstance(self._sight.model, VisualModel):
            return {}
        return {"fit": self._best.fit(self._sight.model.known(self._sight.document)), "by_pictures": True}


def certainty(
    sight: VisualEvidence, images: Floats, shown: Floats, seconds: float, groups: Sequence[Ints]
) -> dict[str, Any]:
    """Fit and confidence for an `Alignment`: an encoder sees `images` (T, d) and takes `shown` (T, G) for the steps."""
    model = sight.model
    if not isinstance(model, VisualModel):
        return {}
    fit = BestMoments.of(sight, model, images, seconds).fit(model.known(sight.document))
    return {"fit": fit, "confidence": fit * moment_chance(shown, seconds, groups), "by_pictures": True}


def moment_chance(shown: Floats, seconds: float, groups: Sequence[Ints]) -> Floats:
    """Chance (N,) that each sentence's best moment is right if the text fits, from `shown` (T, G)."""
    return np.asarray(sentence_confidence(shown, seconds, groups, 1.0) ** SHARPNESS, np.float32)
