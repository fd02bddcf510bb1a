"""The embedded visual model: pictures and sentences as points of one space, in NumPy.

Two spaces side by side. The general one was learnt from many photographs with captions; the cooking one is a strongly
regularised linear map, centred on frames of cooking videos, where the general one is too coarse. A gate on each side
says from the picture alone, or the sentence alone, how much the cooking space counts: with λ of it an embedding is
[√(1−λ)·general ; √λ·cooking], of unit length, so that a product of two embeddings weighs both cosines. As far as the
gate is open, the general space too is centred on cooking: all kitchens look alike to it, and what differs is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.encoders.visual.sentences import KitchenWords, SentenceMeans
from saffa.encoders.words import unit
from saffa.storage.models import ModelFolder, shipped

KIND = "visual"


@dataclass(frozen=True, eq=False)
class Side:
    """Pictures or sentences: features (n, i) to embeddings (n, d). `arrays` are the weights, by name."""

    arrays: Mapping[str, Floats] = field(repr=False)

    def __call__(self, features: Floats, kitchen: Floats | None = None) -> Floats:
        """Unit-norm embeddings (n, d); `kitchen` (n, k) are further features for the cooking space alone."""
        surely = self.gate(features)[:, None]
        least, most = self.arrays["gate.range"]
        share = least + (most - least) * surely
        general = unit(self.general(features) - surely * self.arrays["general.centre"], even=True)
        cooking = self.cooking(features if kitchen is None else np.concatenate([features, kitchen], axis=1))
        return np.concatenate([np.sqrt(1 - share) * general, np.sqrt(share) * cooking], axis=1)

    def uncentred(self) -> Side:
        """Leave out the centring of the general space."""
        return Side({**self.arrays, "general.centre": np.zeros_like(self.arrays["general.centre"])})

    def general(self, features: Floats) -> Floats:
        """Mean of K two-layer networks as one embedding: unit outputs side by side, (n, K·g), unit norm."""
        a = self.arrays
        x = (features - a["general.mean"]) / a["general.scale"]
        outputs = [
            unit(_gelu(x @ first.T + first_bias) @ second.T + second_bias, even=True)
            for first, first_bias, second, second_bias in zip(
                a["general.first"], a["general.first_bias"], a["general.second"], a["general.second_bias"], strict=True
            )
        ]
        return np.concatenate(outputs, axis=1) / np.float32(np.sqrt(len(outputs)))

    def cooking(self, features: Floats) -> Floats:
        """Linear, centred on cooking frames and their sentences, (n, c), unit norm."""
        a = self.arrays
        centred: Floats = (features - a["cooking.mean"]) / a["cooking.scale"]
        return unit(centred @ a["cooking.map"], even=True)

    def gate(self, features: Floats) -> Floats:
        """Chance (n,) that this is a cooking scene; with it λ goes from one end of `gate.range` to the other."""
        a = self.arrays
        score = (features - a["general.mean"]) / a["general.scale"] @ a["gate.weight"] + a["gate.bias"]
        return np.asarray(1 / (1 + np.exp(-np.clip(score, -30, 30))), np.float32)


@dataclass(frozen=True, eq=False)
class VisualModel:
    """Image features of EfficientNet-Lite0 and plain sentences, embedded in one space."""

    images: Side
    sentences: Side
    means: SentenceMeans
    kitchen: KitchenWords
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    sharpness: float = 20.0

    @classmethod
    def load(cls, folder: Path | None = None) -> VisualModel:
        """The shipped model, or one that `saffa train visual` wrote."""
        model = ModelFolder.open(shipped(KIND) if folder is None else folder)
        if model.kind != KIND:
            raise InputError(f"{model.path} holds a {model.kind} model, not a visual one.")

        def built(stored: Mapping[str, NDArray[Any]]) -> VisualModel:
            arrays = {name: array.astype(np.float32) for name, array in stored.items()}
            return cls.of_arrays(arrays, model.words(), model.facts)

        return model.read(built)

    @classmethod
    def load_for_videos(cls, folder: Path | None = None) -> VisualModel:
        """Load a model without its centring on cooking, which `VisualEvidence` does anyway within one video.

        A kitchen must still look like one beside the other scenes of the video (docs/method/visual.md).
        """
        return cls.load(folder).uncentred()

    def uncentred(self) -> VisualModel:
        """Without the centring of the general space."""
        return replace(self, images=self.images.uncentred(), sentences=self.sentences.uncentred())

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, Floats], lists: Mapping[str, Sequence[str]], facts: Mapping[str, Any]
    ) -> VisualModel:
        """Build from weights by name and the words that belong to the rows of three of them."""
        means = SentenceMeans.of_arrays(arrays, lists)
        images, sentences = (
            Side({name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{side}.")})
            for side in ("image", "text")
        )
        kitchen = KitchenWords({word: row for row, word in enumerate(lists["kitchen"])}, arrays["kitchen"])
        return cls(images, sentences, means, kitchen, facts)

    @property
    def dimensions(self) -> int:
        """Width d of the embeddings."""
        networks, width, _ = self.images.arrays["general.second"].shape
        return int(networks * width + self.images.arrays["cooking.map"].shape[1])

    def embed_images(self, features: Floats) -> Floats:
        """(n, 1280) → (n, d), unit norm."""
        expected = self.images.arrays["general.mean"].shape[-1]
        if features.ndim != 2 or features.shape[1] != expected:
            raise InputError(f"Image features must have the shape (n, {expected}), not {features.shape}.")
        return self.images(np.asarray(features, np.float32))

    def embed_sentences(self, sentences: Sequence[str]) -> Floats:
        """m sentences → (m, d), unit norm."""
        if not sentences:
            return np.zeros((0, self.dimensions), np.float32)
        return self.sentences(self.means(sentences), self.kitchen(sentences, self.means))

    def cooking_share(self, images: Floats) -> float:
        """How much of a video (T, d) are cooking scenes, 0..1: the mean of the gates, read from the embeddings."""
        least, most = self.images.arrays["gate.range"].tolist()
        cooking = images[:, -self.images.arrays["cooking.map"].shape[1] :]
        return float(np.clip(((cooking**2).sum(1).mean() - least) / (most - least), 0, 1))

    def known(self, sentences: Sequence[str]) -> Floats:
        """Share of each sentence's words, by their weight, that the model has read in training; -1 without words."""
        return np.array([self.means.known(sentence) for sentence in sentences], np.float32)


def _gelu(x: Floats) -> Floats:
    """In the tanh form, as it was trained."""
    return np.asarray(0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x**3))), np.float32)
