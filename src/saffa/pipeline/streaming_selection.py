"""An agent walks through a video that is being read: it lands, looks, decides, and the frame goes on to be written."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from av import VideoFrame

from saffa.core.alignment import Alignment, follows
from saffa.core.document import Document
from saffa.core.timeline import TimeMap
from saffa.core.types import Share
from saffa.core.video import Cue
from saffa.encoders.base import AlignmentRow, Query, Reading
from saffa.media.live import LiveMovie, LiveSlots
from saffa.methods.paper.online import OnlineAgent

MOST_ROWS = 4096  # answers that are kept whole; beyond, every other one is dropped


class Walk:
    """An agent's walk through one video. `frames` does the work; the rest tells what came of it."""

    def __init__(self, movie: LiveMovie, agent: OnlineAgent, reading: Reading, speed: float, progress: Share) -> None:
        self._movie, self._agent, self._reading = movie, agent, reading
        self._speed, self._progress = speed, progress
        self._rate = movie.video.rate
        self._coming = LiveSlots(movie.pictures, iter(movie), self._rate)
        self.slots: list[int] = []
        """Chosen slots of constant rate."""
        self.shown: list[int] = []
        """The frame on screen in each of them."""
        self.cues: list[Cue] = []
        """Lines that came with the video."""
        self._starts: list[Fraction] = []
        self._waiting: list[Cue] = []  # lines whose time has not come
        self._notes = Notes()

    def frames(self) -> Iterator[VideoFrame]:
        """The frames to keep, in order, to the end of the video."""
        slot: int | None = 0
        extra = 0
        while True:
            if slot is None:  # the walk is over: if the video is not, it goes on at the target speed
                extra += 1
                slot = self._movie.frames - 1 + round(extra * self._speed)
            picture = self._coming.shown(slot)
            if picture is None:
                break
            answer = self._look(slot)
            self.slots.append(slot)
            self.shown.append(picture.index)
            self._starts.append(self._coming.moment(slot, picture))
            self._notes.add(slot, answer)
            self._progress(min(1.0, slot / self._movie.frames))
            slot = None if extra else self._agent.step(slot, answer)
            yield picture.frame
        self.cues += self._movie.cues()

    def timemap(self) -> TimeMap:
        """Source time ↔ output time of what was chosen."""
        end = max(self._movie.pictures.end, self._starts[-1] + Fraction(1, 10**6))
        return TimeMap.from_frames(self._starts, end, self._rate)

    def sentences(self) -> list[int | None]:
        """The sentence that each selected frame follows, if any."""
        return self._notes.sentences()

    def alignment(self, document: Document, encoder: str) -> Alignment:
        """What was answered on the way, on a grid of visited times."""
        return self._notes.alignment(document, self.length, self._rate, encoder)

    @property
    def length(self) -> int:
        """Slots of the whole video, in the end: its frames, if their rate is constant."""
        pictures = self._movie.pictures
        return max(round(pictures.end * self._rate), self.slots[-1] + 1) if pictures.uneven else pictures.frames

    def _look(self, slot: int) -> AlignmentRow:
        """Ask the encoder about the pictures from here on."""
        stills = self._coming.ahead(slot, self._reading.window)
        return self._reading.answer(Query(slot, slot / float(self._rate), stills, self._due(slot / self._rate)))

    def _due(self, time: Fraction) -> list[Cue]:
        """Lines that begin by now. How far the reader is ahead is chance; what is chosen must not depend on it."""
        fresh = self._movie.cues()
        self.cues += fresh
        coming = self._waiting + fresh
        self._waiting = [cue for cue in coming if cue.start > time]
        return [cue for cue in coming if cue.start <= time]


class Notes:
    """The answers: relevance and sentence of each, and whole rows at a growing distance, so that memory stays small."""

    def __init__(self) -> None:
        self._relevance: list[float] = []
        self._best: list[int] = []
        self._rows: list[tuple[int, AlignmentRow]] = []
        self._every = 1

    def add(self, slot: int, answer: AlignmentRow) -> None:
        """Note the answer at a slot."""
        if len(self._relevance) % self._every == 0:
            self._rows.append((slot, answer))
            if len(self._rows) >= MOST_ROWS:
                self._rows = self._rows[::2]
                self._every *= 2
        self._relevance.append(answer.relevance)
        self._best.append(int(answer.sentence_weights.argmax()))

    def sentences(self) -> list[int | None]:
        """The sentence that each slot follows, or None, by the rule of `Alignment.sentence_at`."""
        relevance = np.array(self._relevance, np.float32)
        return [best if fits else None for best, fits in zip(self._best, follows(relevance), strict=True)]

    def alignment(self, document: Document, frames: int, rate: Fraction, encoder: str) -> Alignment:
        """The rows that were kept."""
        answers = [answer for _, answer in self._rows]
        return Alignment(
            times=np.array([float(slot / rate) for slot, _ in self._rows], np.float32),
            e_v=np.stack([answer.e_v for answer in answers]),
            e_d=np.stack([answer.e_d for answer in answers]),
            relevance=np.array([answer.relevance for answer in answers], np.float32),
            sentence_weights=np.stack([answer.sentence_weights for answer in answers]),
            document=document.sentences,
            frames=frames,
            rate=rate,
            encoder=encoder,
        )
