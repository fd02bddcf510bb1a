"""The `narrated` encoder: relevance from the timed words of a narration alone.

Weakly supervised: no step boundary is used and nothing is trained.

1. Every spoken word gets a time inside its line (`SpokenWords`).
2. While step k is shown, a word is drawn with probability MATCH near one of the words of sentence k (chance
   rising with exp(SHARPNESS · cosine) in WordLlama space), else it is ordinary talk. Ordinary talk is this very
   narration, so a word that is said all the time is no evidence, in any domain, and no word table is needed.
   That gives a log-likelihood ratio for each word and sentence.
3. The chain of steps (`step_hmm`) adds order and duration and bridges silence. It gives P(step k is shown
   at t); their sum, with a mild preference for the middle of the video, is the relevance.

The constants were chosen on the training videos of youcook2-narrated (docs/method/narrated.md).
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import NO_SUBTITLES, Narration
from saffa.core.types import Doubles, Floats, Ints
from saffa.core.video import Axis, Cue
from saffa.encoders.narrated.confidence import nearness, sentence_confidence, text_fit
from saffa.encoders.replay import Replay
from saffa.encoders.step_hmm import STEP_SHARE, StepHmm
from saffa.encoders.words import unit, word_vectors, words

MATCH = 0.3
"""Share of the words in a step that echo its sentence."""
SHARPNESS = 8.0
"""How quickly that echo fades with the angle between words."""
TRUST, TRUSTED_WORDS = 0.4, 55.0
"""Neighbouring words are not independent: temper their evidence, and let a step gather no more than so many
words' worth of it, or the talk of six hours would drown the order of the steps."""
LAG = 1.5
"""Seconds: people say it, then do it."""
BLUR = 2.0
"""Seconds: word times inside a line are guesses."""
AROUND = 5.0
"""Seconds: what is being said around a time."""
MIDDLE = 0.3
"""Weight of the preference for the middle: intros and outros are talk."""
MAX_CELLS, MAX_GROUPS = 3600, 1000
"""Bounds of the grid and of the chain; they keep six hours and 10,000 sentences quick."""
MOST_WEIGHTS = 12_000_000
"""Cells times sentences: beyond 3,333 sentences of a long video cells are longer, or memory would grow."""


@dataclass(frozen=True)
class NarratedEncoder:
    """Aligns a video with a text by what is said in it."""

    name: str = "narrated"
    streaming: bool = True

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Align the whole narration; refuses a video without one."""
        heard = Heard.of(video, document, narration)
        shown = StepHmm.over(heard.grid.cells, heard.group_lengths).posterior(heard.evidence)
        weights = sentence_weights(shown, heard.groups, heard.lengths)
        return Alignment.of(
            self.name,
            video,
            document,
            times=heard.grid.times(),
            e_v=heard.grid.spoken_vectors(heard.lexicon, heard.times),
            e_d=unit(weights @ heard.lexicon.sentence_vectors()),
            relevance=relevance_of(shown, heard.grid.times() / float(video.frames / video.rate)),
            sentence_weights=weights,
            **heard.certainty(shown),
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Replay:
        """For a video that is read once. A subtitle file is known as a whole before the first picture, and so used."""
        if narration is not None and not len(narration):
            raise InputError("The subtitles of a pipe come along with its pictures: use --encoder narrated-live.")
        return Replay(self.encode(video, document, narration))


@dataclass(frozen=True, eq=False)
class Heard:
    """Evidence of a narration about the steps, before their order is considered.

    `evidence` (T, G) holds log-likelihood ratios of each group of sentences in each cell of the grid; `times` (W,) are
    those of the spoken words.
    """

    grid: Grid
    groups: list[Ints]
    lexicon: Lexicon
    times: Floats
    evidence: Floats

    @classmethod
    def of(cls, video: Axis, document: Document, narration: Narration | None) -> Heard:
        """Weigh every spoken word; InputError for a video without narration."""
        if narration is None or not len(narration):
            raise InputError(NO_SUBTITLES)
        duration = float(video.frames / video.rate)
        spoken = SpokenWords.of(narration.cues, duration)
        lexicon = Lexicon.of(spoken.words, document)
        grid = Grid.of(duration, len(document))
        groups = grid.groups(len(document))
        grouped = [np.concatenate([lexicon.sentences[k] for k in group]) for group in groups]
        evidence = grid.gather(word_evidence(lexicon, grouped), lexicon.said, spoken.times)
        return cls(grid, groups, lexicon, spoken.times, evidence)

    def certainty(self, shown: Floats) -> dict[str, Any]:
        """Whether the text fits at all, and whether each sentence's best moment is right, as `Alignment` takes them."""
        near = nearness(self.lexicon.vectors, self.lexicon.said, self.lexicon.sentences)
        fit = text_fit(near, len(self.times))
        return {"fit": fit, "confidence": sentence_confidence(shown, self.grid.seconds, self.groups, fit)}

    @property
    def lengths(self) -> Doubles:
        """Words of each sentence, at least 1, shape (N,)."""
        return word_counts(self.lexicon.sentences)

    @property
    def group_lengths(self) -> Doubles:
        """Words of each group, at least 1, shape (G,)."""
        return word_counts([np.concatenate([self.lexicon.sentences[k] for k in group]) for group in self.groups])


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All words as numbers: those said, those of each sentence, and a vector each, shape (V, d)."""

    vectors: Floats
    said: Ints
    sentences: tuple[Ints, ...]

    @classmethod
    def of(cls, spoken: Sequence[str], document: Document) -> Lexicon:
        """Number the words of a narration and a text."""
        written = [words(s) for s in document.sentences]
        numbers = {w: i for i, w in enumerate(dict.fromkeys([*spoken, *(w for s in written for w in s)]))}
        said = np.array([numbers[w] for w in spoken], np.int64)
        sentences = tuple(np.array([numbers[w] for w in s], np.int64) for s in written)
        return cls(word_vectors(tuple(numbers)), said, sentences)

    def sentence_vectors(self) -> Floats:
        """Unit vector of each sentence, shape (N, d); a sentence without words gets a neutral one."""
        neutral = np.ones(self.vectors.shape[1], np.float32)
        return unit(np.stack([self.vectors[s].sum(0) if len(s) else neutral for s in self.sentences]))


@dataclass(frozen=True)
class Grid:
    """Cells of equal length over the video: a second each, finer for dense texts, coarser beyond an hour."""

    cells: int
    seconds: float

    @classmethod
    def of(cls, duration: float, sentences: int) -> Grid:
        """Grid for a video of that many seconds."""
        most = min(MAX_CELLS, MOST_WEIGHTS // sentences)
        cell = max(duration / most, min(1.0, duration / (8 * min(sentences, MAX_GROUPS))))
        return cls(max(8, int(np.ceil(duration / cell))), cell)

    def groups(self, sentences: int) -> list[Ints]:
        """Neighbouring sentences that share a place in the chain: one each, unless there are too many of them."""
        return np.array_split(np.arange(sentences), min(sentences, MAX_GROUPS, self.cells // 4))

    def times(self) -> Floats:
        """Centres of the cells, shape (T,)."""
        return ((np.arange(self.cells) + 0.5) * self.seconds).astype(np.float32)

    def gather(self, evidence: Floats, said: Ints, times: Floats) -> Floats:
        """Evidence of the words in each cell, late by LAG, tempered and blurred, shape (T, N)."""
        words_per_step = STEP_SHARE * len(said) / evidence.shape[1]
        trust = TRUST * min(1.0, TRUSTED_WORDS / max(words_per_step, 1.0))
        grid = np.zeros((self.cells, evidence.shape[1]), np.float32)
        place = self.places(times + LAG)
        for a in range(0, len(said), 4096):  # in parts: words × sentences would be large
            np.add.at(grid, place[a : a + 4096], trust * evidence[said[a : a + 4096]])
        return smooth(grid, BLUR / self.seconds)

    def spoken_vectors(self, lexicon: Lexicon, times: Floats) -> Floats:
        """Unit vector of what is said around each time, shape (T, d); in long silence, of the whole narration."""
        if not len(lexicon.said):
            return unit(np.ones((self.cells, lexicon.vectors.shape[1]), np.float32))
        grid = np.zeros((self.cells, lexicon.vectors.shape[1]), np.float32)
        np.add.at(grid, self.places(times), lexicon.vectors[lexicon.said])
        return unit(smooth(grid, AROUND / self.seconds) + 1e-3 * lexicon.vectors[lexicon.said].mean(0))

    def places(self, times: Floats) -> Ints:
        """The cell of each time."""
        return np.clip((times / self.seconds).astype(np.int64), 0, self.cells - 1)


def word_evidence(lexicon: Lexicon, sentences: list[Ints], block: int = 1024) -> Floats:
    """Log-likelihood ratio of each word under each sentence against the narration as a whole, shape (V, N).

    `near[w, j] = exp(S cos(w, j))`, divided by its mean over the narration, tells how much likelier w is near
    document word j than anywhere. Words never said keep 0. Blocks of document words bound the memory.
    """
    evidence = np.zeros((len(lexicon.vectors), len(sentences)), np.float32)
    uttered, counts = np.unique(lexicon.said, return_counts=True)
    if not len(uttered):
        return evidence
    frequency = (counts / counts.sum()).astype(np.float32)
    directions = unit(lexicon.vectors)
    written = np.unique(np.concatenate(sentences))
    shares = word_shares(sentences, written, np.linalg.norm(lexicon.vectors, axis=1))
    echo = np.zeros((len(uttered), len(sentences)), np.float32)
    for a in range(0, len(written), block):
        near = np.exp(SHARPNESS * (directions[uttered] @ directions[written[a : a + block]].T))
        echo += (near / (frequency @ near)) @ shares[a : a + block]
    echo[:, shares.sum(0) == 0] = 1.0  # a sentence without words says nothing
    evidence[uttered] = np.log(1 - MATCH + MATCH * echo)
    return evidence


def word_shares(sentences: list[Ints], written: Ints, importance: Floats) -> Floats:
    """Weight of each distinct document word in each sentence, shape (J, N); columns sum to 1, or 0 if empty."""
    shares = np.zeros((len(written), len(sentences)), np.float32)
    for k, sentence in enumerate(sentences):
        distinct = np.unique(sentence)
        shares[np.searchsorted(written, distinct), k] = importance[distinct]
    return np.asarray(shares / np.maximum(shares.sum(0), 1e-9), np.float32)


def sentence_weights(shown: Floats, groups: list[Ints], lengths: Doubles) -> Floats:
    """Rows that sum to 1, shape (T, N). Sentences that had to share a group split it by their length."""
    share = shown / np.maximum(shown.sum(1, keepdims=True), 1e-30)
    inside = np.concatenate([lengths[group] / lengths[group].sum() for group in groups]).astype(np.float32)
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    weights: Floats = share[:, owner]  # large with 10,000 sentences, so it is worked on in place
    weights *= inside
    weights /= weights.sum(1, keepdims=True)
    return weights


def relevance_of(shown: Floats, progress: Floats) -> Floats:
    """Chance that any step is shown, with the preference for the middle; `progress` runs from 0 to 1, shape (T,).

    The chance is scaled to a top of 1: where steps are rare in a long video the middle would outweigh them.
    """
    chance = shown.sum(1)
    likely = chance / max(float(chance.max()), 1e-9)
    return np.asarray((likely + MIDDLE * middle_preference(progress)) / (1 + MIDDLE), np.float32)


def middle_preference(progress: Floats) -> Floats:
    """1 in the middle of a video, near 0 at its ends; `progress` runs from 0 to 1, shape (T,)."""
    return np.asarray(np.exp(-0.5 * ((progress - 0.5) / 0.3) ** 4), np.float32)


def smooth(x: Floats, sigma: float) -> Floats:
    """Gaussian along axis 0, zeros outside."""
    reach = min(int(4 * sigma + 0.5), len(x) - 1)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / max(sigma, 1e-6)) ** 2)
    out = np.zeros_like(x)
    for offset, weight in zip(offsets.tolist(), (kernel / kernel.sum()).astype(np.float32), strict=True):
        first, end = max(0, offset), len(x) + min(0, offset)
        out[first:end] += weight * x[first - offset : end - offset]
    return out


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
