"""What the visual encoder needs of a model: a network for pictures, and one space for pictures and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saffa.encoders.visual.model import Attended

Floats = NDArray[np.float32]


class Backbone(Protocol):
    """Pictures to features."""

    @property
    def size(self) -> int:
        """Side of the square it looks at, pixels."""

    @property
    def sha256(self) -> str:
        """Of all that decides the features."""

    def features(self, pictures: NDArray[np.uint8]) -> Floats:
        """(n, size, size, 3) RGB bytes → (n, z)."""


class SharedSpace(Protocol):
    """Features and sentences to embeddings whose product tells how well they agree."""

    def embed_images(self, features: Floats) -> Floats:
        """(n, z) → (n, d), unit norm."""

    def embed_sentences(self, sentences: Sequence[str]) -> Floats:
        """m sentences → (m, d), unit norm."""

    def attend(self, images: Floats, sentences: Floats) -> Attended:
        """The document as each picture sees it: e_d (n, d) and weights (n, m)."""
