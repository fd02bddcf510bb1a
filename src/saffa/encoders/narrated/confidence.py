"""How sure one may be: whether a text belongs to a narration at all, and whether the moment of a sentence is right.

`fit` is the chance that text and video belong together. What tells them apart best, in every domain tried, is how near
the words of the text come to being said at all: for each word of the text the nearest spoken word (cosine of word
vectors), averaged by the words' weight. A long narration comes near any text, so its length counts against it.

`confidence` is the chance that the moment claimed for a sentence is right: `fit` times how likely the steps' hidden
Markov model holds the sentence in its best three seconds.

The logistic model was fitted on the 217 training videos of youcook2-narrated, each with its own and with another's
recipe, whole and halved, and on talks of twenty minutes (four narrations one after the other):
`python -m benchmarks.fit_calibration --data DIR` fits and scores it again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saffa.core.types import Doubles, Floats, Ints
from saffa.encoders.words import unit

NEARNESS, LENGTH, OFFSET = 20.4, -1.94, -2.02
"""Weights of the mean nearness and of the logarithm of the number of spoken words, and the constant."""
MOMENT = 3.0
"""Seconds of a sentence's best moment."""
BLOCK = 512
"""Words of the text compared at a time, which bounds the memory."""


def text_fit(nearness: float, spoken: int) -> float:
    """The chance that text and narration belong together, from their nearness and the number of spoken words."""
    return float(1 / (1 + np.exp(-(NEARNESS * nearness + LENGTH * np.log1p(spoken) + OFFSET))))


def nearness(vectors: Floats, said: Ints, sentences: Sequence[Ints]) -> float:
    """How near the words of the text come to being said: 1 if all are, mean over the sentences.

    vectors (V, d) of all words; `said` and each of `sentences` number words. Longer vectors are of weightier words.
    """
    written = np.unique(np.concatenate([*sentences, np.zeros(0, np.int64)]))
    if not len(said) or not len(written):
        return 0.0
    directions, weight = unit(vectors), np.linalg.norm(vectors, axis=1)
    spoken = directions[np.unique(said)].T
    best = np.zeros(len(vectors), np.float32)
    for a in range(0, len(written), BLOCK):
        part = written[a : a + BLOCK]
        best[part] = (directions[part] @ spoken).max(1)
    distinct = [np.unique(sentence) for sentence in sentences if len(sentence)]
    return float(np.mean([(weight[s] * best[s]).sum() / max(float(weight[s].sum()), 1e-9) for s in distinct]))


def sentence_confidence(shown: Floats, seconds: float, groups: Sequence[Ints], fit: float) -> Floats:
    """Chance that each sentence's best moment is right, (N,), from P(group of sentences is shown), (T, G)."""
    peaks = moments(shown, seconds).max(0)
    return np.clip(fit * np.repeat(peaks, [len(group) for group in groups]), 0, 1).astype(np.float32)


def moments(values: Floats, seconds: float) -> Doubles:
    """Means over each MOMENT of a grid whose cells are that many seconds long, (T, N) → (about T, N)."""
    width = min(len(values), max(1, round(MOMENT / seconds)))
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0, dtype=np.float64)])
    return np.asarray((sums[width:] - sums[:-width]) / width, np.float64)
