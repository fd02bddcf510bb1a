"""An agent walks through a video that is being read: it lands, looks, decides, and the frame goes on to be written."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from av import VideoFrame

from saffa.core.alignment import Alignment, follows
from saffa.core.document import Document
from saffa.core.video import ON_GRID, Cue
from saffa.encoders.base import Answer, Moment, Reading
from saffa.media.decoded_frame import Still
from saffa.media.frame_stream import Picture
from saffa.media.live import LiveMovie
from saffa.media.sound.growing_map import GrowingMap
from saffa.methods.paper.online import OnlineAgent

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
        self.slots: list[int] = []
        """Chosen on the axis of constant rate."""
        self.shown: list[int] = []
        """The frame on screen in each of them."""
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
            self.slots.append(slot)
            self.shown.append(picture.index)
            self._map.add(self._moment(slot, picture))
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
        return self._notes.alignment(document, self.length, self._rate, encoder)

    @property
    def length(self) -> int:
        """Slots of the whole video, in the end: its frames, if their rate is constant."""
        pictures = self._movie.pictures
        return max(round(pictures.end * self._rate), self.slots[-1] + 1) if pictures.uneven else pictures.frames

    def _moment(self, slot: int, picture: Picture) -> Fraction:
        """The source time of a slot: while the rate is constant that of its picture, whose time stamp is rounded."""
        time = slot / self._rate
        own = abs(picture.time - time) <= ON_GRID / self._rate
        return picture.time if own and not self._movie.pictures.uneven else time

    def _land(self, slot: int) -> Picture | None:
        """The picture on screen at a slot, which may be that of the slot before; None behind the end.

        The first one that is not more than a quarter of a frame off is the slot's own, as with a constant rate; if
        there is none, the last one before (`media.even` does the same).
        """
        self._movie.pictures.wanted = slot / self._rate
        if not self._has(0):
            return None
        while self._goes_on(slot, 0):
            self._buffer.popleft()
        return None if self._ended(slot, 0) else self._buffer[0]

    def _ahead(self, slot: int, window: int) -> list[Picture]:
        """The pictures on screen in `window` slots from here on, fewer where the video ends."""
        found: list[Picture] = []
        at = 0
        for later in range(slot, slot + window):
            while self._goes_on(later, at):
                at += 1
            if self._ended(later, at):
                break
            found.append(self._buffer[at])
        return found

    def _goes_on(self, slot: int, at: int) -> bool:
        """Whether a slot shows a later picture than that one of the buffer."""
        early, late = (slot - ON_GRID) / self._rate, (slot + ON_GRID) / self._rate
        return self._buffer[at].time < early and self._has(at + 1) and self._buffer[at + 1].time <= late

    def _ended(self, slot: int, at: int) -> bool:
        """Whether a slot lies behind the last picture; less than half a slot is none, the one before stands for it."""
        if self._buffer[at].time >= (slot - ON_GRID) / self._rate or self._has(at + 1):
            return False
        return slot / self._rate > self._movie.pictures.end - 1 / (2 * self._rate)

    def _has(self, at: int) -> bool:
        return at < len(self._buffer) or self._fetch()

    def _fetch(self) -> bool:
        picture = next(self._coming, None)
        if picture is not None:
            self._buffer.append(picture)
        return picture is not None

    def _look(self, slot: int) -> Answer:
        """Ask the encoder about the pictures from here on."""
        rotation = self._movie.video.rotation
        stills = [Still(p.index, p.frame, rotation) for p in self._ahead(slot, self._reading.window)]
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
