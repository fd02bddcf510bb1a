"""Evidence of pictures about the steps: similarity made comparable, then a log-likelihood ratio.

1. A picture fits a sentence as far as their embeddings agree, counted in standard deviations above its agreement with
   a bank of generic sentences (models/visual/bank.txt). A picture that agrees with everything is little evidence.
2. Within a video each sentence is measured against its own mean: where everything looks like food, a sentence about
   food says little, and what stands out still does.
3. What lies above the usual is a log-likelihood ratio, cut off, since a network that is sure can be wrong.

The constants were chosen on videos made of pictures of the validation parts of image_text (docs/method/visual.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.encoders.visual.shared_space import SharedSpace
from saffa.encoders.words import words
from saffa.storage.models import shipped

LEVEL = 0.8
"""Share of a sentence's mean fit within the video that is taken away."""

MOST = 8.0
"""More standard deviations than this, either way, mean no more."""


@dataclass(frozen=True)
class Weighing:
    """Turns fit into a log-likelihood ratio: none at `usual` standard deviations, at most `limit` either way.

    Neighbouring seconds look alike, so each is worth only `trust` of a picture.
    """

    usual: float
    limit: float
    trust: float

    def __call__(self, fit: Floats) -> Floats:
        """Any shape."""
        return np.asarray(self.trust * np.clip(fit - self.usual, -self.limit, self.limit), np.float32)


ALONE = Weighing(usual=2.0, limit=4.0, trust=0.5)
"""Where pictures are all there is."""


@dataclass(frozen=True, eq=False)
class VisualEvidence:
    """A text as the visual model reads it: sentences (N, d) and generic sentences (B, d), unit norm."""

    model: SharedSpace
    document: tuple[str, ...]
    bank: Floats = field(repr=False)

    @classmethod
    def of(cls, model: SharedSpace, document: Document) -> VisualEvidence:
        """Read a text; InputError if there are no words in it."""
        if not any(words(sentence) for sentence in document.sentences):
            raise InputError("The text has no words.")
        bank = (shipped("visual") / "bank.txt").read_text("utf-8").splitlines()
        return cls(model, document.sentences, model.embed_sentences(bank))

    @cached_property
    def sentences(self) -> Floats:
        """(N, d)."""
        return self.model.embed_sentences(self.document)

    def fit(self, images: Floats, some: slice | Ints = slice(None)) -> Floats:
        """Standard deviations by which each picture (T, d) fits better than it fits generic sentences; (T, N).

        Mean and variance are half the picture's own and half those of all pictures given: alone it would be too noisy a
        measure. A single picture is measured by itself.
        """
        generic = images @ self.bank.T
        mean, variance = generic.mean(1, keepdims=True), generic.var(1, keepdims=True)
        usual, spread = (mean + mean.mean()) / 2, np.sqrt((variance + variance.mean()) / 2)
        fit = (images @ self.sentences[some].T - usual) / np.maximum(spread, 1e-3)
        return np.asarray(np.clip(fit, -MOST, MOST), np.float32)

    def evidence(self, images: Floats, groups: list[Ints], weighing: Weighing = ALONE) -> Floats:
        """Log-likelihood ratios (T, G) for groups of sentences in each second.

        A group is as likely as its likeliest sentence. In groups, so that 10,000 sentences need no large table.
        """
        columns = []
        for group in groups:
            fit = self.fit(images, group)
            columns.append(weighing(fit - LEVEL * fit.mean(0)).max(1))
        return np.stack(columns, axis=1)


def chance(evidence: Floats) -> Floats:
    """Chance (T,) that the likeliest step is shown, by the evidence (T, G) of that moment alone, at even odds."""
    return np.asarray(1 / (1 + np.exp(-evidence.max(1))), np.float32)
