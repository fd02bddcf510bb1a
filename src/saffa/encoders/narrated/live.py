"""The `narrated-live` encoder: the text against what is being said, without the rest of the narration.

It hears words up to AHEAD seconds after the moment that is asked about, no more. Beside that it differs from `narrated`
in three ways: "ordinary talk" is what has been heard so far, with a prior for the first words; the chain of steps runs
forwards, and looks back only over those seconds; and relevance is scaled by the largest chance so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Doubles, Floats, Ints
from saffa.core.video import NO_SUBTITLES, Axis, Cue, Narration
from saffa.encoders.base import AlignmentRow, Query
from saffa.encoders.narrated.confidence import nearness, text_fit
from saffa.encoders.narrated.echo import BLUR, MATCH, SHARPNESS, TRUST, word_shares
from saffa.encoders.narrated.encoder import MIDDLE
from saffa.encoders.narrated.grid import Grid, sentence_weights
from saffa.encoders.narrated.lexicon import LAG, Lexicon, SpokenWords, word_counts
from saffa.encoders.step_hmm import StepHmm
from saffa.encoders.words import unit, word_vectors

AHEAD = 5.0
"""Seconds: subtitles are there when their line begins, and people say it before they do it."""
USUAL, USUAL_WORDS = 11.0, 50.0
"""What ordinary talk has in common with a word of a text, exp(SHARPNESS · cosine) on average, and how many words of a
narration weigh as much. Measured on training videos of youcook2-narrated."""
LEAST_TOP = 0.6
"""The chance of a step counts as high from here on, however low all were before."""
MEMORY = 8.0
"""Seconds after which what was said fades from the embedding."""


@dataclass(frozen=True)
class NarratedLiveEncoder:
    """`narrated` for lines that come with the video; also the honest way to measure an online agent."""

    name: str = "narrated-live"
    streaming: bool = True

    def open(self, video: Axis, document: Document, narration: Narration | None) -> LiveReading:
        """Begin to listen. Lines of a subtitle file are heard when their time has come, like those in a pipe."""
        if narration is None:
            raise InputError(NO_SUBTITLES)
        return LiveReading(float(video.frames / video.rate), document, narration.cues)

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Listen to a whole video and answer on the grid of the narrated encoder."""
        if narration is None or not len(narration):
            raise InputError(NO_SUBTITLES)
        reading = self.open(video, document, narration)
        times = Grid.of(float(video.frames / video.rate), len(document)).times()
        answers = [reading.answer(Query(round(t * float(video.rate)), t)) for t in times.tolist()]
        return Alignment.of(
            self.name,
            video,
            document,
            times=times,
            e_v=np.stack([answer.e_v for answer in answers]),
            e_d=np.stack([answer.e_d for answer in answers]),
            relevance=np.array([answer.relevance for answer in answers], np.float32),
            sentence_weights=np.stack([answer.sentence_weights for answer in answers]),
            **reading.certainty(),
        )


class LiveReading:
    """Listens along with one video."""

    window = 0
    encoder = "narrated-live"

    def __init__(self, duration: float, document: Document, cues: Sequence[Cue]) -> None:
        self._duration, self._document, self._text = duration, document, Lexicon.of((), document)
        self._heard: list[str] = []
        self._grid = Grid.of(duration, len(document))
        self._groups = self._grid.groups(len(document))
        self._lengths = word_counts(self._text.sentences)
        self._sentences = self._text.sentence_vectors()
        grouped = np.array([self._lengths[group].sum() for group in self._groups])
        self._filter = _Filter(StepHmm.over(self._grid.cells, grouped))
        self._background = _Background(self._text, self._groups)
        self._coming = SpokenWords.of(cues, duration)
        self._next = 0
        self._evidence: dict[int, Doubles] = {}  # of cells that have not been passed yet
        self._said = np.zeros(self._text.vectors.shape[1])
        self._said_at, self._top = 0.0, LEAST_TOP

    def answer(self, query: Query) -> AlignmentRow:
        """Compare the text with what has been heard up to now, and for AHEAD seconds more."""
        if query.cues:
            fresh = SpokenWords.of(query.cues, self._duration)
            self._hear(fresh.words, fresh.times)
        end = int(np.searchsorted(self._coming.times, query.seconds + AHEAD))
        self._hear(self._coming.words[self._next : end], self._coming.times[self._next : end])
        self._next = max(self._next, end)
        cell = min(int(query.seconds / self._grid.seconds), self._grid.cells - 1)
        shown = self._filter.at(cell, self._evidence, int(AHEAD / self._grid.seconds))
        self._evidence = {c: e for c, e in self._evidence.items() if c > cell}
        chance = float(shown.sum())
        self._top = max(self._top, chance)
        middle = float(np.exp(-0.5 * ((query.seconds / self._duration - 0.5) / 0.3) ** 4))
        weights = sentence_weights(shown[None].astype(np.float32) + 1e-9, self._groups, self._lengths)[0]
        return AlignmentRow(
            (chance / self._top + MIDDLE * middle) / (1 + MIDDLE),
            weights,
            unit(weights @ self._sentences),
            unit((self._said + 1e-6).astype(np.float32)),
        )

    def certainty(self) -> dict[str, Any]:
        """Whether the text fits what was heard so far."""
        heard = Lexicon.of(self._heard, self._document)
        near = nearness(heard.vectors, heard.said, heard.sentences)
        return {"fit": text_fit(near, len(self._heard)) if self._heard else None}

    def _hear(self, said: Sequence[str], times: Floats) -> None:
        """Lay the evidence of each word over the cells around its time; those already passed are lost."""
        self._heard += said
        sigma = BLUR / self._grid.seconds
        for word, time in zip(said, times.tolist(), strict=True):
            evidence, vector = self._background.hear(word)
            fade = np.exp(-max(0.0, time - self._said_at) / MEMORY)
            self._said, self._said_at = fade * self._said + vector, max(time, self._said_at)
            middle = int((time + LAG) / self._grid.seconds)
            cells = np.arange(middle - int(3 * sigma), middle + int(3 * sigma) + 1)
            share = np.exp(-0.5 * ((cells - middle) / max(sigma, 1e-6)) ** 2)
            for cell, part in zip(cells.tolist(), (share / share.sum()).tolist(), strict=True):
                if cell > self._filter.cell:
                    self._evidence[cell] = self._evidence.get(cell, 0.0) + TRUST * part * evidence


class _Background:
    """Tells how much likelier a word is near each group of sentences than in the talk so far."""

    def __init__(self, text: Lexicon, groups: Sequence[Ints]) -> None:
        grouped = [np.concatenate([text.sentences[k] for k in group]) for group in groups]
        self._directions = unit(text.vectors)
        everything = np.arange(len(text.vectors))
        self._shares = word_shares(grouped, everything, np.linalg.norm(text.vectors, axis=1)).astype(np.float64)
        self._mute = self._shares.sum(0) == 0  # a sentence without words says nothing
        self._sum = np.full(len(text.vectors), USUAL * USUAL_WORDS)
        self._count = USUAL_WORDS
        self._near = lru_cache(maxsize=20_000)(self._near_words)

    def hear(self, word: str) -> tuple[Doubles, Doubles]:
        """Log-likelihood ratio of a word under each group, (G,), and its vector; the word joins the talk."""
        near, vector = self._near(word)
        self._sum += near
        self._count += 1
        echo = (near / (self._sum / self._count)) @ self._shares
        echo[self._mute] = 1.0
        return np.log(1 - MATCH + MATCH * echo), vector

    def _near_words(self, word: str) -> tuple[Doubles, Doubles]:
        vector = word_vectors((word,))
        near = np.exp(SHARPNESS * (self._directions @ unit(vector)[0]).astype(np.float64))
        return near, vector[0].astype(np.float64)


class _Filter:
    """The chain of steps, cell by cell: forwards for good, and back over the few cells that are known ahead."""

    def __init__(self, chain: StepHmm) -> None:
        self._chain = chain
        self._now = np.full(len(chain.shows), 1e-9)
        self._now[0] = 1.0
        self.cell = -1

    def at(self, cell: int, evidence: dict[int, Doubles], ahead: int) -> Doubles:
        """Chance of each group at a cell, (G,); cells must not go back."""
        while self.cell < cell:
            if self.cell >= 0:
                self._now = self._moved(self._now)
            self.cell += 1
            self._now = self._now * self._likely(evidence.get(self.cell))
            self._now = np.maximum(self._now / self._now.sum(), 1e-30)
        back = np.ones(len(self._now))
        for later in range(cell + ahead, cell, -1):
            back = self._moved_back(back * self._likely(evidence.get(later)))
            back /= back.sum()
        both = self._now * back
        shows = self._chain.shows
        chances = np.bincount(shows[shows >= 0], (both / both.sum())[shows >= 0], minlength=int(shows.max()) + 1)
        return chances.astype(np.float64)

    def _moved(self, now: Doubles) -> Doubles:
        stay, jump = self._chain.stay, self._chain.jump
        then, leave = now * stay, now * (1 - stay)
        then[1:] += (leave * (1 - jump))[:-1]
        then[2:] += (leave * jump)[:-2]
        return then

    def _moved_back(self, then: Doubles) -> Doubles:
        stay, jump = self._chain.stay, self._chain.jump
        now = stay * then
        now[:-1] += ((1 - stay) * (1 - jump))[:-1] * then[1:]
        now[:-2] += ((1 - stay) * jump)[:-2] * then[2:]
        return now

    def _likely(self, evidence: Doubles | None) -> Doubles | float:
        if evidence is None:
            return 1.0
        shows = self._chain.shows
        return np.exp(np.where(shows >= 0, evidence[shows], 0.0) - max(0.0, float(evidence.max())))
