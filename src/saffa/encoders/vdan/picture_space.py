"""What VDAN is told about a picture and about a word: features of the shipped backbone and word vectors, prepared.

A picture's φ(v) is its backbone features, standardised. A domain where few pairs are known (cooking) may add its own:
a gate says from the picture alone how surely it belongs there; as far as it does, the features are centred on the
domain, where all pictures look alike to general statistics, and a strongly regularised linear map of them stands
beside them. Words carry the other side of that map.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.encoders.words import word_vectors, words

MAX_WORDS = 20
"""Words of a sentence that are read; the rest is not (method: the authors' limit)."""
WORD_SCALE = 0.83
"""Times this, WordLlama's numbers of caption words have a root mean square of about 0.5."""


@dataclass(frozen=True, eq=False)
class Domain:
    """Cooking, or another domain with its own centre.

    gate_weight (z,), gate_bias (1,)   chance that a standardised picture belongs here
    centre (z,)                        its mean picture, standardised
    image_mean, image_scale (z,), image_map (z, k)
    word_map (256 + c, k)              of WordLlama's vector beside the domain's own
    word_vectors (V, c)                of the domain's own words, in the order of `vocabulary`
    """

    arrays: Mapping[str, Floats] = field(repr=False)
    vocabulary: Mapping[str, int] = field(repr=False)

    @property
    def width(self) -> int:
        """k, of what stands beside the features and beside the word vectors."""
        return int(self.arrays["image_map"].shape[1])

    def surely(self, standard: Floats) -> Floats:
        """Chance (n, 1) that standardised pictures (n, z) belong here."""
        score = standard @ self.arrays["gate_weight"] + self.arrays["gate_bias"]
        return np.asarray(1 / (1 + np.exp(-np.clip(score, -30, 30))), np.float32)[:, None]

    def picture(self, features: Floats) -> Floats:
        """The linear map of raw features (n, z) → (n, k)."""
        a = self.arrays
        return np.asarray((features - a["image_mean"]) / a["image_scale"] @ a["image_map"], np.float32)

    def word(self, vocabulary: Sequence[str], general: Floats) -> Floats:
        """Vectors of words as VDAN takes them, from their general vectors: (n, 256) → (n, k)."""
        own = np.zeros((len(vocabulary), self.arrays["word_vectors"].shape[1]), np.float32)
        for place, word in enumerate(vocabulary):
            if word in self.vocabulary:
                own[place] = self.arrays["word_vectors"][self.vocabulary[word]]
        return np.asarray(np.concatenate([general, own], axis=1) @ self.arrays["word_map"], np.float32)


@dataclass(frozen=True, eq=False)
class PictureSpace:
    """Raw backbone features to φ(v), and words to vectors; `mean` and `scale` (z,) standardise the features."""

    mean: Floats = field(repr=False)
    scale: Floats = field(repr=False)
    domain: Domain | None = None

    @property
    def width(self) -> int:
        """Width of φ(v)."""
        return len(self.mean) + (0 if self.domain is None else self.domain.width + 1)

    def __call__(self, features: Floats) -> Floats:
        """Features (n, z) of pictures → φ(v) (n, width)."""
        if features.ndim != 2 or features.shape[1] != len(self.mean):
            raise InputError(f"Picture features must have the shape (n, {len(self.mean)}), not {features.shape}.")
        standard = np.asarray((features - self.mean) / self.scale, np.float32)
        if self.domain is None:
            return standard
        surely = self.domain.surely(standard)
        centred = standard - surely * self.domain.arrays["centre"]
        return np.concatenate([centred, surely * self.domain.picture(features), surely], axis=1)

    def word_vectors(self, vocabulary: Sequence[str]) -> Floats:
        """(n, w): WordLlama's vector, and the domain's side of its map."""
        general = word_vectors(vocabulary)
        parts = [WORD_SCALE * general]
        if self.domain is not None:
            parts.append(self.domain.word(vocabulary, general))
        return np.concatenate(parts, axis=1)


def sentence_words(sentence: str) -> list[str]:
    """The words of a sentence that are read."""
    return words(sentence)[:MAX_WORDS]
