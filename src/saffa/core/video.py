"""A video as it plays: frames and their times, sound, what is said in it, chapters. Time 0 is the first frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from saffa.core.types import Doubles, Floats, Ints
from saffa.core.whole_file import Stamp

ON_GRID = Fraction(1, 4)
"""Constant rate: no frame is further than this share of a frame from its place on the grid."""
NARRATION = "narration"
"""Instead of the name of a text: what is said in the video is the text."""
NO_SUBTITLES = (
    "The video has no subtitles to compare with the text. Give them with --subtitles FILE, "
    "or choose --encoder visual or --method uniform."
)


class Axis(Protocol):
    """The part of a video that places frames in time. A probed `Video` is one, a benchmark entry too."""

    @property
    def frames(self) -> int:
        """Number of frames."""

    @property
    def rate(self) -> Fraction:
        """Frames per second."""


@dataclass(frozen=True)
class Extent:
    """An `Axis` of which nothing else is known: a video that is still to be read."""

    frames: int
    rate: Fraction


@runtime_checkable
class FeatureAxis(Axis, Protocol):
    """A video of which only features are known, no pictures: rows (M, z); frame f shows row `row_of_frame[f]`."""

    @property
    def features(self) -> Floats:
        """Features, (M, z)."""

    @property
    def row_of_frame(self) -> Ints:
        """The row of each frame, (frames,)."""


@dataclass(frozen=True)
class Word:
    """A spoken word and when it is said, seconds from the first frame."""

    start: float
    end: float
    text: str


@dataclass(frozen=True)
class Cue:
    """A line of text shown from `start` to `end`, seconds; markup is stripped.

    `words` has the time of each word if it is known, as from speech that was listened to; subtitles have none. `kind`:
    `said`, or `shown` in the picture itself (slides, labels), where the viewer reads it anyway.
    """

    start: Fraction
    end: Fraction
    text: str
    words: tuple[Word, ...] = ()
    kind: Literal["said", "shown"] = "said"


@dataclass(frozen=True)
class SoundTrack:
    """One sound stream of a file."""

    index: int
    codec: str
    rate: int
    channels: int
    layout: str
    language: str | None
    title: str | None
    default: bool


@dataclass(frozen=True)
class SubtitleTrack:
    """One subtitle stream of a file; pictures of text (`is_text` False) cannot be read."""

    index: int
    codec: str
    language: str | None
    title: str | None
    is_text: bool


@dataclass(frozen=True)
class Chapter:
    """A named stretch; seconds from the first frame."""

    start: Fraction
    end: Fraction
    title: str


@dataclass(frozen=True)
class Colour:
    """Colour tags as numbered by ITU-T H.273 (libav uses the same numbers); 2 is "unspecified"."""

    primaries: int = 2
    transfer: int = 2
    matrix: int = 2
    range: int = 0

    @property
    def is_hdr(self) -> bool:
        """PQ or HLG: needs 10 bits to look right."""
        return self.transfer in (16, 18)


@dataclass(frozen=True, eq=False)
class Video:
    """A video file as it plays. `ticks[i] * time_base` is the time of frame i after the first one."""

    path: Path
    codec: str
    width: int
    height: int
    rotation: int
    pixel_aspect: Fraction
    rate: Fraction
    time_base: Fraction
    origin: int
    ticks: Ints
    duration: Fraction
    variable_rate: bool
    container_start: Fraction
    sounds: tuple[SoundTrack, ...] = ()
    subtitles: tuple[SubtitleTrack, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    colour: Colour = Colour()
    pixel_format: str = "yuv420p"
    title: str | None = None
    counted: bool = False
    warnings: tuple[str, ...] = ()
    sha256: str = ""
    """Hash of the file, if somebody needed it already."""
    missing: int = 0
    """Frames that the file promises and does not give: it is damaged or cut short."""
    stamp: Stamp | None = None
    """The file when it was looked at."""
    axis_rate: Fraction | None = None
    """Rate of the slots in which a video of variable rate is chosen from and written; `rate` is its mean."""

    @property
    def frames(self) -> int:
        """Number of frames that are really shown."""
        return len(self.ticks)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height as displayed, after rotation."""
        return (self.height, self.width) if self.rotation in (90, 270) else (self.width, self.height)

    def frame_time(self, i: int) -> Fraction:
        """Exact time of frame i, seconds after the first frame."""
        return int(self.ticks[i]) * self.time_base

    def times(self) -> Doubles:
        """Times of all frames, seconds."""
        return self.ticks.astype(np.float64) * float(self.time_base)

    def on_screen(self, slots: Ints) -> Ints:
        """The file's frame that each of `frames` shows; they differ in a `ConstantRateVideo`."""
        return slots

    def shown_at(self, moments: Iterable[Fraction], rate: Fraction) -> Ints:
        """The file's frame on screen at each of these times, which are slots of 1 / `rate` seconds."""
        times, spare, base = list(moments), ON_GRID / rate, self.time_base
        earliest = np.array([ceil((time - spare) / base) for time in times], np.int64)
        return self.shown_between(earliest, np.array([(time + spare) // base for time in times], np.int64))

    def shown_between(self, earliest: Ints, latest: Ints) -> Ints:
        """The first frame from `earliest` to `latest` (ticks, shape (slots,)); if there is none, the last before."""
        first = np.searchsorted(self.ticks, earliest)
        own = self.ticks[np.minimum(first, len(self.ticks) - 1)] <= latest
        return np.where(own & (first < len(self.ticks)), first, np.maximum(first - 1, 0))


@dataclass(frozen=True, eq=False)
class ConstantRateVideo(Video):
    """A video of variable rate in slots of constant rate: `frames` and `rate` count slots, `ticks` the file's frames.

    shown  (slots,)  the file's frame that is on screen in each slot
    """

    shown: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    @property
    def frames(self) -> int:
        """Number of slots."""
        return len(self.shown)

    def frame_time(self, i: int) -> Fraction:
        """Exact time of slot i, seconds after the first frame."""
        return i / self.rate

    def times(self) -> Doubles:
        """Times of all slots, seconds."""
        return np.arange(self.frames) / float(self.rate)

    def on_screen(self, slots: Ints) -> Ints:
        """The file's frame that each slot shows."""
        return self.shown[slots]


@dataclass(frozen=True)
class Narration:
    """Timed lines, in seconds from the first frame, in order of their start. `file`: where they came from, if one."""

    cues: tuple[Cue, ...]
    source: str = "given"
    file: Path | None = None

    def __len__(self) -> int:
        return len(self.cues)

    @property
    def spoken(self) -> Narration | None:
        """What is said, without text read off the screen; None if nothing is."""
        said = tuple(cue for cue in self.cues if cue.kind == "said")
        return self if len(said) == len(self.cues) else replace(self, cues=said) if said else None

    @classmethod
    def of_lines(cls, cues: Iterable[Cue], source: str = "given", file: Path | None = None) -> Narration:
        """A narration of these lines in order, without empty ones and those before the first frame."""
        spoken = [c for c in cues if c.text.strip() and c.end > 0 and c.end > c.start]
        return cls(tuple(sorted(spoken, key=lambda c: (c.start, c.end))), source, file)
