"""Contract of the visual encoder's models: a network for pictures, and one space for pictures and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from saffa.core.types import Floats, Rgb
from saffa.encoders.words import softmax, unit


class Attended(NamedTuple):
    """Documents as n pictures see them: e_d (n, d), unit norm, and the weights of the m sentences (n, m)."""

    documents: Floats
    weights: Floats


class Backbone(Protocol):
    """Pictures to features."""

    @property
    def size(self) -> int:
        """Side of the square it looks at, pixels."""

    @property
    def sha256(self) -> str:
        """Hash of all that decides the features."""

    def features(self, pictures: Rgb) -> Floats:
        """(n, size, size, 3) RGB bytes → (n, z)."""


class SharedSpace(Protocol):
    """Features and sentences to embeddings whose product tells how well they agree."""

    @property
    def sharpness(self) -> float:
        """Factor of the similarities in a picture's attention: how much it prefers the nearest sentences."""

    def embed_images(self, features: Floats) -> Floats:
        """(n, z) → (n, d), unit norm."""

    def embed_sentences(self, sentences: Sequence[str]) -> Floats:
        """m sentences → (m, d), unit norm."""


def attend(images: Floats, sentences: Floats, sharpness: float) -> Attended:
    """The document as each picture sees it: embeddings (n, d) and (m, d) → e_d (n, d) and weights (n, m).

    VDAN lets the picture steer the attention over a document's sentences (method.md A3: it is the first state of the
    document level). Here the steering is the shared space itself: a softmax over the similarities.
    """
    weights = softmax(sharpness * (images @ sentences.T))
    return Attended(unit(weights @ sentences, even=True), weights)
