"""The words of a narration and of a text: when each is said, its number, its vector, its stem."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saffa.core.document import Document
from saffa.core.types import Doubles, Floats, Ints
from saffa.core.video import Cue
from saffa.encoders.words import unit, word_vectors, words

LEADERS = frozenset({"and", "then", "or"})
"""Words after which a step's next action is named."""
SUFFIXES = ("ing", "ies", "es", "ed", "s", "e", "y")
LAG = 1.5
"""Seconds: people say it, then do it."""
LONG_LINE = 10
"""Seconds: a limit on the length of lines is at least that long."""
HOLE = Fraction(1, 20)
"""Seconds without a line that are a hole."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All words as numbers: those said, those of each sentence, and a vector each, shape (V, d).

    `leading` marks, for each word of each sentence, whether it begins an action: the first, or one after "and".
    """

    vectors: Floats
    said: Ints
    sentences: tuple[Ints, ...]
    vocabulary: tuple[str, ...] = ()
    leading: tuple[NDArray[np.bool_], ...] = ()

    @classmethod
    def of(cls, spoken: Sequence[str], document: Document) -> Lexicon:
        """Number the words of a narration and a text."""
        written = [words(s) for s in document.sentences]
        numbers = {w: i for i, w in enumerate(dict.fromkeys([*spoken, *(w for s in written for w in s)]))}
        said = np.array([numbers[w] for w in spoken], np.int64)
        sentences = tuple(np.array([numbers[w] for w in s], np.int64) for s in written)
        leading = tuple(np.array([w in LEADERS for w in ["and", *s[:-1]]][: len(s)], bool) for s in written)
        return cls(word_vectors(tuple(numbers)), said, sentences, tuple(numbers), leading)

    @cached_property
    def stems(self) -> Ints:
        """Number of the stem of each word, shape (V,)."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(stem(w), len(numbers)) for w in self.vocabulary], np.int64)

    def sentence_vectors(self) -> Floats:
        """Unit vector of each sentence, shape (N, d); a sentence without words gets a neutral one."""
        neutral = np.ones(self.vectors.shape[1], np.float32)
        return unit(np.stack([self.vectors[s].sum(0) if len(s) else neutral for s in self.sentences]))


def stem(word: str) -> str:
    """The word without the endings of English grammar: "chopping", "chops" and "chopped" are "chop"."""
    word = word.replace("'s", "").replace("’s", "")
    ending = next((s for s in SUFFIXES if word.endswith(s) and len(word) - len(s) >= 3), "")
    word = word.removesuffix(ending)
    if ending in ("ing", "ed") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if word.endswith(("e", "y")) and len(word) > 3 else word


def word_counts(sentences: Sequence[Sized]) -> Doubles:
    """Words of each sentence, at least 1, shape (N,)."""
    return np.array([max(1, len(s)) for s in sentences], np.float64)


@dataclass(frozen=True, eq=False)
class SpokenWords:
    """Words in the order they are said, and when: `times` in seconds, shape (W,)."""

    words: tuple[str, ...]
    times: Floats

    @classmethod
    def of(cls, cues: Sequence[Cue], duration: float) -> SpokenWords:
        """Words at their own times where a cue has them, else spread over it by their length.

        Words that a rolling caption repeats count once. Words on the screen are there while they are shown, not before.
        """
        spoken: list[str] = []
        times: list[float] = []
        previous: list[str] = []
        for cue in sorted(cues, key=lambda c: (c.kind, c.start, c.end)):
            early = LAG if cue.kind == "shown" else 0.0
            if cue.words:
                timed = [(token, (word.start + word.end) / 2) for word in cue.words for token in words(word.text)]
                spoken.extend(token for token, _ in timed)
                times.extend(time for _, time in timed)
                previous = [token for token, _ in timed]
                continue
            current = words(cue.text)
            fresh = current[repeated(previous, current) :]
            previous = current
            if fresh:
                length = np.array([len(w) + 1 for w in fresh], np.float64)
                centre = (np.cumsum(length) - length / 2) / length.sum()
                spoken.extend(fresh)
                times.extend(float(cue.start) - early + max(0.0, float(cue.end - cue.start)) * centre)
        return cls(tuple(spoken), np.clip(np.array(times, np.float32), 0, max(0.0, duration)))


def repeated(previous: list[str], current: list[str]) -> int:
    """Number of first words of a cue that only repeat the end of the last one: three or more, or all of the last."""
    for n in range(min(len(previous), len(current)), 0, -1):
        if previous[-n:] == current[:n] and (n >= 3 or n == len(previous)):
            return n
    return 0


def run_on(cues: Sequence[Cue], duration: float) -> list[Cue]:
    """Lines in order; those that were cut at a limit go on until the next one starts.

    Some sources publish only when a line starts, and whoever wrote the file ended each at the next one's start, but
    after so many seconds at the latest. That shows: several lines have exactly the greatest length, and silence
    follows no others. Everything else stays as it is, and so do words on the screen, which come last.
    """
    shown = [c for c in cues if c.kind == "shown"]
    ordered = sorted((c for c in cues if c.kind != "shown"), key=lambda c: (c.start, c.end))
    if not ordered:
        return shown
    limit = max(c.end - c.start for c in ordered)
    cut = [not c.words and c.end - c.start >= limit - HOLE for c in ordered]
    starts = [*(c.start for c in ordered[1:]), Fraction(duration).limit_denominator(1000)]
    holes = [start - c.end > HOLE for c, start in zip(ordered, starts, strict=True)]
    if limit < LONG_LINE or sum(cut) < 2 or any(h and not c for h, c in zip(holes[:-1], cut, strict=False)):
        return ordered + shown
    return [
        replace(cue, end=start) if hole and short else cue
        for cue, start, hole, short in zip(ordered, starts, holes, cut, strict=True)
    ] + shown
