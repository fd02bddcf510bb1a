"""An agent walks through a video that is being read: it lands, looks, decides, and the frame goes on to be written."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from av import VideoFrame

from saffa.agent.online import OnlineAgent
from saffa.alignment import Alignment, follows
from saffa.document import Document
from saffa.encoders.base import Answer, Moment, Reading
from saffa.growing_map import GrowingMap
from saffa.media.live import LiveMovie
from saffa.media.pictures import Picture
from saffa.media.probe import EVEN
from saffa.media.still import Still
from saffa.media.subtitles import Cue

MOST_ROWS = 4096  # answers that are kept whole; beyond, every other one is dropped


class Walk:
    """One pass. `frames` does the work; the rest tells what came of it."""

    def __init__(
        self,
        movie: LiveMovie,
        agent: OnlineAgent,
        reading: Reading,
        speed: float,
        growing: GrowingMap,
        progress: Callable[[float], None],
    ) -> None:
        self._movie, self._agent, self._reading = movie, agent, reading
        self._speed, self._map, self._progress = speed, growing, progress
        self._rate = movie.video.rate
        self._coming = iter(movie)
        self._buffer: deque[Picture] = deque()
        self.selected: list[int] = []
        self.cues: list[Cue] = []
        self._waiting: list[Cue] = []  # lines whose time has not come
        self._notes = Notes()

    def frames(self) -> Iterator[VideoFrame]:
        """The frames to keep, in order; at the end of the video the map is finished."""
        slot: int | None = 0
        extra = 0
        while True:
            if slot is None:  # the walk is over: if the video is not, it goes on at the target speed
                extra += 1
                slot = self._movie.frames - 1 + round(extra * self._speed)
            picture = self._land(slot)
            if picture is None:
                break
            answer = self._look(slot)
            self.selected.append(picture.index)
            self._map.add(picture.time)
            self._notes.add(slot, answer)
            self._progress(min(1.0, slot / self._movie.frames))
            slot = None if extra else self._agent.step(slot, answer)
            yield picture.frame
        self.cues += self._movie.cues()
        self._map.finish(max(self._movie.pictures.end, self._map.last + Fraction(1, 10**6)))

    def sentences(self) -> list[int | None]:
        """The sentence that each selected frame follows, if any."""
        return self._notes.sentences()

    def alignment(self, document: Document, encoder: str) -> Alignment:
        """What was answered on the way, on a grid of visited times."""
        return self._notes.alignment(document, self._movie.pictures.frames, self._rate, encoder)

    def _land(self, slot: int) -> Picture | None:
        """The picture on screen at a slot, or, if that is taken, the next one; None behind the end.

        A picture that is not more than a quarter of a frame off is the slot's own, as in a video of constant rate.
        """
        time, spare = slot / self._rate, EVEN / self._rate
        self._movie.pictures.wanted = time
        if self.selected:
            self._buffer.popleft()  # taken
        while True:
            while len(self._buffer) > 1 and self._buffer[1].time <= time + spare:
                self._buffer.popleft()
            sure = len(self._buffer) > 1 or bool(self._buffer and self._buffer[0].time >= time - spare)
            if sure or not self._fetch():
                break
        # Behind the end there is nothing to show: the last picture stands for what is left.
        if not self._buffer or (time >= self._movie.pictures.end and len(self._buffer) == 1 and not sure):
            return None
        return self._buffer[0]

    def _fetch(self) -> bool:
        picture = next(self._coming, None)
        if picture is not None:
            self._buffer.append(picture)
        return picture is not None

    def _look(self, slot: int) -> Answer:
        """Ask the encoder about the pictures from here on."""
        window = self._reading.window
        while len(self._buffer) < window and self._fetch():
            pass
        rotation = self._movie.video.rotation
        stills = [Still(p.index, p.frame, rotation) for _, p in zip(range(window), self._buffer, strict=False)]
        return self._reading.answer(Moment(slot, slot / float(self._rate), stills, self._due(slot / self._rate)))

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
        self._rows: list[tuple[int, Answer]] = []
        self._every = 1

    def add(self, slot: int, answer: Answer) -> None:
        """One more."""
        if len(self._relevance) % self._every == 0:
            self._rows.append((slot, answer))
            if len(self._rows) >= MOST_ROWS:
                self._rows = self._rows[::2]
                self._every *= 2
        self._relevance.append(answer.relevance)
        self._best.append(int(answer.sentence_weights.argmax()))

    def sentences(self) -> list[int | None]:
        """By the rule of `Alignment.sentence_at`."""
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
