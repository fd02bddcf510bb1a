"""BoT's text-side score: what is told of a frame and what the user wrote, as bags of topics (method_bot.md §1).

Established: topics live in a word-vector space, user text and frame text become histograms over the same topics, and a
frame is as interesting as the two are alike. Not established, so ours: WordLlama vectors, TOPICS clusters by k-means,
words weighted by the length of their vectors, cosine. The frame's text is what is said around it, where BoT reads dense
captions; there is no saliency to weight them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from saffa.core.document import Document
from saffa.core.types import Doubles, Floats, Ints
from saffa.core.video import Narration
from saffa.encoders.narrated.lexicon import SpokenWords
from saffa.encoders.words import unit, word_vectors, words

TOPICS = 200
"""Chosen on 40 training videos of youcook2-narrated: frame AUC .595, .615, .638, .651 with 20, 50, 100, 200."""
ROUNDS = 25
AROUND = 5.0
"""Seconds: deviation of the Gaussian window of what is said around a frame."""


@dataclass(frozen=True, eq=False)
class FrameWords:
    """What is said in a video, word by word."""

    spoken: SpokenWords = field(repr=False)

    @classmethod
    def of(cls, narration: Narration, duration: float) -> FrameWords:
        """Take the words of timed lines."""
        return cls(SpokenWords.of(narration.cues, duration))

    def scores(self, document: tuple[str, ...], seconds: Doubles) -> Doubles:
        """How alike frame and document are, in [0, 1], at n times, (n,); 0 where nothing is said around."""
        written = [word for sentence in Document(document).sentences for word in words(sentence)]
        number = {word: i for i, word in enumerate(dict.fromkeys([*self.spoken.words, *written]))}
        if not written or not self.spoken.words:
            return np.zeros(len(seconds))
        vectors = word_vectors(tuple(number))
        topic = clusters(unit(vectors), TOPICS)
        weight = np.linalg.norm(vectors, axis=1)
        asked = _histogram([number[word] for word in written], topic, weight)
        cell = np.arange(0.0, float(seconds[-1]) + 1.0)
        near = np.exp(-0.5 * ((cell[:, None] - self.spoken.times) / AROUND) ** 2)
        said = np.array([number[word] for word in self.spoken.words])
        bags = np.zeros((len(cell), TOPICS))
        np.add.at(bags.T, topic[said], (near * weight[said]).T)
        loud = np.linalg.norm(bags, axis=1)
        alike = bags @ asked / np.maximum(loud * np.linalg.norm(asked), 1e-9)
        alike[near.max(1) < np.exp(-0.5 * 9)] = 0.0  # nobody spoke within three deviations
        scores: Doubles = alike[np.clip(seconds.astype(np.int64), 0, len(cell) - 1)]
        return scores


def clusters(points: Floats, count: int, seed: int = 0) -> Ints:
    """k-means by cosine over unit rows (n, d): the cluster of each, (n,); fewer points than clusters stay alone."""
    if len(points) <= count:
        return np.arange(len(points))
    random = np.random.default_rng(seed)
    centres = points[[random.integers(len(points))]]
    while len(centres) < count:  # k-means++: far points are likelier to begin a cluster
        away = np.maximum(1 - (points @ centres.T).max(1), 0.0) ** 2
        centres = np.concatenate([centres, points[[random.choice(len(points), p=away / away.sum())]]])
    for _ in range(ROUNDS):
        nearest = (points @ centres.T).argmax(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, points)
        alone = np.bincount(nearest, minlength=count) == 0
        centres = unit(np.where(alone[:, None], centres, sums))
    return np.asarray((points @ centres.T).argmax(1), np.int64)


def _histogram(found: list[int], topic: Ints, weight: Floats) -> Doubles:
    return np.bincount(topic[found], weights=weight[found], minlength=TOPICS).astype(np.float64)
