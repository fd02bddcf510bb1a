"""A run in numbers: before and after, the speed along the video, and when each sentence is shown."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import FOUND
from saffa.core.result import Result
from saffa.core.selection import WATCHABLE_SECONDS, WATCHABLE_SKIP


@dataclass(frozen=True)
class SentenceTime:
    """When and how slowly a sentence is shown: output seconds, None if it never comes to the fore."""

    sentence: str
    shown_at: float | None
    shown_for: float
    near_normal: float
    """Output seconds at no more than twice the normal speed."""
    confidence: float | None = None
    """Chance that the moment claimed for it is right; None if the encoder cannot tell."""

    @property
    def found(self) -> bool:
        """Whether a moment may be claimed for it."""
        return self.confidence is None or self.confidence >= FOUND

    @property
    def watchable(self) -> bool:
        """Found, and at least a second near normal speed."""
        return self.found and self.near_normal >= WATCHABLE_SECONDS


@dataclass(frozen=True)
class Summary:
    """What is printed before and after a run."""

    source_frames: int
    source_seconds: float
    frames: int
    seconds: float
    target_speed: float
    speed: float
    slowest: float
    fastest: float
    sentences: tuple[SentenceTime, ...]
    fit: float | None = None
    """Chance that text and video belong together."""
    fit_by: str | None = None
    """Who tells the fit: narration or pictures."""

    @classmethod
    def of(cls, result: Result) -> Summary:
        """Gather the figures of a planned or finished run."""
        skips, fit = result.selection.skips(), result.alignment.fit
        return cls(
            source_frames=result.timeline.source.frames,
            source_seconds=float(result.timeline.source.duration),
            frames=len(result.selection.frames),
            seconds=float(result.timemap.duration),
            target_speed=result.selection.target_speed,
            speed=result.selection.speed,
            slowest=float(skips.min()),
            fastest=float(skips.max()),
            sentences=tuple(_sentence_times(result)),
            fit=fit,
            fit_by=None if fit is None else "pictures" if result.alignment.by_pictures else "narration",
        )

    @property
    def watchable(self) -> int:
        """Number of sentences that can be watched."""
        return sum(s.watchable for s in self.sentences)

    def to_json(self) -> dict[str, Any]:
        """The summary as plain values, for machines."""
        return {
            "source": {"frames": self.source_frames, "seconds": self.source_seconds},
            "output": {"frames": self.frames, "seconds": self.seconds},
            "target_speed": self.target_speed,
            "speed": self.speed,
            "slowest": self.slowest,
            "fastest": self.fastest,
            "fit": self.fit,
            "fit_by": self.fit_by,
            "watchable_sentences": self.watchable,
            "sentences": [
                {
                    "text": s.sentence,
                    "shown_at": s.shown_at,
                    "shown_for": s.shown_for,
                    "near_normal": s.near_normal,
                    "confidence": s.confidence,
                    "found": s.found,
                }
                for s in self.sentences
            ],
        }


def speed_curve(result: Result, columns: int) -> NDArray[np.float64]:
    """Mean speed in `columns` equal parts of the source: source time over output time, shape (columns,).

    NaN where all of a part is cut out.
    """
    edges = np.linspace(0, float(result.timeline.source.duration), columns + 1)
    splice, heard = result.timeline.splice, result.timeline.spliced(result.timemap)
    left = np.array([float(splice.to_spliced(Fraction(edge))) for edge in edges])
    output = np.interp(left, heard.source_seconds, heard.output_seconds)
    shown, source = np.diff(output), np.diff(left)
    return np.where(shown > 1e-9, source / np.maximum(shown, 1e-9), np.nan)


def _sentence_times(result: Result) -> list[SentenceTime]:
    rate = result.timeline.source.rate
    skips = result.selection.skips()
    owner = np.full(len(skips), -1)
    starts = result.timemap.source_seconds[:-1]
    for segment in result.timeline.segments():
        if segment.sentence is not None:
            first, end = np.searchsorted(starts, [float(segment.source_start), float(segment.source_end)])
            owner[first:end] = segment.sentence
    sure = result.alignment.confidence
    found = []
    for index, sentence in enumerate(result.timeline.document):
        mine = np.flatnonzero(owner == index)
        slow = mine[skips[mine] <= WATCHABLE_SKIP] if len(mine) else mine
        shown_at = float(int(mine[0]) / rate) if len(mine) else None
        chance = None if sure is None else round(float(sure[index]), 4)
        found.append(SentenceTime(sentence, shown_at, float(len(mine) / rate), float(len(slow) / rate), chance))
    return found
