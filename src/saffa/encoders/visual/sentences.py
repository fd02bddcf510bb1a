"""Sentences as vectors: means of their words' vectors, rare words weighing more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.types import Floats
from saffa.encoders.words import unit, word_vectors, words

LEAST = 0.1  # rarity of a word in nearly every sentence


@dataclass(frozen=True, eq=False)
class SentenceMeans:
    """`rarity` is log(sentences / sentences with the word) in the training text; `glove` holds vectors (V, g)."""

    rarity: Mapping[str, float] = field(repr=False)
    unseen: float
    glove: Mapping[str, int] = field(repr=False)
    glove_vectors: Floats = field(repr=False)

    def __call__(self, sentences: Sequence[str]) -> Floats:
        """(N, 256 + g), both parts of unit length; a sentence without words is zeros."""
        listed = [words(sentence) for sentence in sentences]
        vocabulary = sorted({word for own in listed for word in own})
        place = {word: i for i, word in enumerate(vocabulary)}
        llama = word_vectors(vocabulary)
        glove = np.zeros((len(vocabulary), self.glove_vectors.shape[1]), np.float32)
        for word, i in place.items():
            if word in self.glove:
                glove[i] = self.glove_vectors[self.glove[word]]
        weights = np.zeros((len(listed), len(vocabulary)), np.float32)
        for n, own in enumerate(listed):
            for word in own:
                weights[n, place[word]] += self.weight(word)
        return np.concatenate([unit(weights @ llama), unit(weights @ glove)], axis=1)

    def weight(self, word: str) -> float:
        """Weight of a word in its sentence."""
        return float(max(self.rarity.get(word, self.unseen), LEAST) ** 0.5)

    def known(self, sentence: str) -> float:
        """Share of a sentence's words, by their weight, that the training text had; -1 for a sentence without words."""
        own = words(sentence)
        read = sum(self.weight(word) for word in own if word in self.rarity)
        return read / sum(map(self.weight, own)) if own else -1.0

    def arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, list[str]]]:
        """Arrays by name, and the words that belong to their rows: what a model folder keeps."""
        rows = sorted(self.glove, key=self.glove.__getitem__)
        kept: dict[str, NDArray[Any]] = {
            "glove": self.glove_vectors[[self.glove[word] for word in rows]].astype(np.float16),
            "rarity": np.array(list(self.rarity.values()), np.float32),
            "unseen": np.array([self.unseen], np.float32),
        }
        return kept, {"glove": rows, "rarity": list(self.rarity)}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]], lists: Mapping[str, Sequence[str]]) -> SentenceMeans:
        """Restore what `arrays` gave."""
        return cls(
            rarity=dict(zip(lists["rarity"], arrays["rarity"].tolist(), strict=True)),
            unseen=float(arrays["unseen"][0]),
            glove={word: row for row, word in enumerate(lists["glove"])},
            glove_vectors=arrays["glove"].astype(np.float32),
        )

    @classmethod
    def of_text(cls, sentences: Iterable[str], glove: Mapping[str, int], vectors: Floats) -> SentenceMeans:
        """Learn how rare words are."""
        count, seen = 0, Counter[str]()
        for sentence in sentences:
            count += 1
            seen.update(set(words(sentence)))
        rarity = {word: float(np.log(count / (1 + n))) for word, n in sorted(seen.items())}
        return cls(rarity, float(np.log(count)), glove, vectors)


@dataclass(frozen=True, eq=False)
class KitchenWords:
    """`rows` of `vectors` (V, k), by word."""

    rows: Mapping[str, int] = field(repr=False)
    vectors: Floats = field(repr=False)

    def __call__(self, sentences: Sequence[str], means: SentenceMeans) -> Floats:
        """(m, k), unit norm: the mean of a sentence's words, weighed as in `means`; zeros without a known word."""
        sums = np.zeros((len(sentences), self.vectors.shape[1]), np.float32)
        for place, sentence in enumerate(sentences):
            own = [word for word in words(sentence) if word in self.rows]
            if own:
                weights = np.array([means.weight(word) for word in own], np.float32)
                sums[place] = weights @ self.vectors[[self.rows[word] for word in own]]
        return unit(sums)
