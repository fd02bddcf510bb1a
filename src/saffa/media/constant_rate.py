"""A video of variable rate on an axis of constant rate: every slot shows the picture that is on screen then.

Samplers and encoders count slots, so a moment that is played at a speed is played at that speed, however close its
frames lie. Where frames are further apart than slots, one is shown in several.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import groupby
from math import ceil

import numpy as np
from numpy.typing import NDArray

from saffa.media.probe import EVEN, Video

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EvenVideo(Video):
    """`frames` are slots here, `rate` is theirs; `ticks` are still those of the file's frames.

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

    def times(self) -> NDArray[np.float64]:
        """Times of all slots, seconds."""
        return np.arange(self.frames) / float(self.rate)

    def on_screen(self, slots: Ints) -> Ints:
        """The file's frame that each slot shows."""
        return self.shown[slots]


def even(video: Video) -> Video:
    """The video as samplers and encoders count it: itself if its rate is constant."""
    if not video.variable_rate:
        return video
    rate = video.axis_rate or video.rate
    # A slot of which less than half is left at the end is none.
    slots = np.arange(max(1, round(video.duration * rate)))
    step = 1 / (rate * video.time_base)  # a slot in ticks; in whole numbers below, since both ends are exact
    top, bottom = step.numerator, EVEN.denominator * step.denominator
    earliest = -((EVEN.numerator - EVEN.denominator * slots) * top // bottom)
    latest = (EVEN.numerator + EVEN.denominator * slots) * top // bottom
    known = {f.name: getattr(video, f.name) for f in fields(Video)}
    return replace(EvenVideo(**known), rate=rate, shown=_shown(video.ticks, earliest, latest))


def shown_at(video: Video, moments: Iterable[Fraction], rate: Fraction) -> Ints:
    """The file's frames on screen at these times, by the same rule (`_shown`)."""
    times, spare, base = list(moments), EVEN / rate, video.time_base
    earliest = np.array([ceil((time - spare) / base) for time in times], np.int64)
    return _shown(video.ticks, earliest, np.array([(time + spare) // base for time in times], np.int64))


def held(shown: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The different frames among those shown in slots that follow each other, and for how many slots each is held.

    Without holds (an empty tuple) each is shown once.
    """
    runs = [(frame, sum(1 for _ in run)) for frame, run in groupby(shown)]
    holds = tuple(count for _, count in runs)
    return tuple(frame for frame, _ in runs), holds if any(count > 1 for count in holds) else ()


def _shown(ticks: Ints, earliest: Ints, latest: Ints) -> Ints:
    """The first frame from a quarter of a slot before to a quarter after; if there is none, the last one before."""
    first = np.searchsorted(ticks, earliest)
    own = ticks[np.minimum(first, len(ticks) - 1)] <= latest
    return np.where(own & (first < len(ticks)), first, np.maximum(first - 1, 0))
