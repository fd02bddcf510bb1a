"""Vectors of kitchen words, learnt from recipes alone: words that share a step, or are in neighbouring ones, are near.

Positive pointwise mutual information of the words' company, cut to its first singular vectors (Levy, Goldberg, Dagan
2015). Recipes without pictures are many, frames with sentences few: what text alone can tell need not be learnt there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saffa.core.types import Doubles, Floats
from saffa.encoders.visual.sentences import KitchenWords
from saffa.encoders.words import words


@dataclass(frozen=True)
class WordSettings:
    """Compared on folds by video."""

    width: int = 100
    neighbour: float = 0.3
    """Weight of a word of the step before or after, beside 1 for one of the same step."""
    least_seen: int = 2


def learn_words(recipes: Sequence[Sequence[str]], settings: WordSettings) -> KitchenWords:
    """Learn from the sentences of recipes, in order."""
    listed = [[words(sentence) for sentence in recipe] for recipe in recipes]
    seen = Counter(word for recipe in listed for sentence in recipe for word in sentence)
    rows = {word: row for row, word in enumerate(sorted(w for w in seen if seen[w] >= settings.least_seen))}
    information = _information(_company(listed, rows, settings.neighbour))
    u, s, _ = np.linalg.svd(information)
    return KitchenWords(rows, np.asarray((u * np.sqrt(s))[:, : settings.width], np.float32))


def _company(recipes: Sequence[Sequence[Sequence[str]]], rows: Mapping[str, int], neighbour: float) -> Floats:
    """(V, V): how often two words meet; a word does not meet itself."""
    sentences = [sentence for recipe in recipes for sentence in recipe]
    recipe_of = np.repeat(np.arange(len(recipes)), [len(recipe) for recipe in recipes])
    table = np.zeros((len(sentences), len(rows)), np.float32)
    for place, sentence in enumerate(sentences):
        for word in sentence:
            if word in rows:
                table[place, rows[word]] += 1
    followed = np.flatnonzero(recipe_of[1:] == recipe_of[:-1])
    after = table[followed].T @ table[followed + 1]
    company = np.asarray(table.T @ table + np.float32(neighbour) * (after + after.T), np.float32)
    np.fill_diagonal(company, 0)
    return company


def _information(company: Floats) -> Doubles:
    """max(0, log p(a, b) / p(a) p(b)); 0 where two words never meet."""
    joint = company.astype(np.float64) / max(float(company.sum()), 1.0)
    alone = joint.sum(1)
    expected = np.outer(alone, alone)
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    return np.asarray(np.maximum(np.log(ratio), 0), np.float64)
