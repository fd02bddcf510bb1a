"""Videos of variable rate in slots of constant rate: every slot shows the picture that is on screen then.

Samplers and encoders count slots, so a moment that is played at a speed is played at that speed, however close its
frames lie. Where frames are further apart than slots, one is shown in several.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np

from saffa.core.types import Ints
from saffa.core.video import ON_GRID, ConstantRateVideo, Video
from saffa.media.frame_stream import DecodedFrame, FrameStream

WINDOW = 16
"""Gaps between frames that are taken together: jitter cancels out, a change of pace does not."""
SHARE = 0.1
"""Share of the frames that must come so fast, or faster."""
MILD = 1.1
"""Up to this much faster than the mean is jitter, or a lost frame now and then: the mean rate is kept."""
FASTEST = Fraction(60)
NEAR = 0.05
"""Share by which a rate that the container tells, or a usual one, may differ from what was measured."""
USUAL = tuple(Fraction(*pair) for pair in ((24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60, 1)))
_MICROSECOND = Fraction(1, 10**6)


def constant_rate_axis(video: Video) -> Video:
    """The video as samplers and encoders count it: itself if its rate is constant."""
    if not video.variable_rate:
        return video
    rate = video.axis_rate or video.rate
    # A slot of which less than half is left at the end is none.
    slots = np.arange(max(1, round(video.duration * rate)))
    step = 1 / (rate * video.time_base)  # a slot in ticks; in whole numbers below, since both ends are exact
    top, bottom = step.numerator, ON_GRID.denominator * step.denominator
    earliest = -((ON_GRID.numerator - ON_GRID.denominator * slots) * top // bottom)
    latest = (ON_GRID.numerator + ON_GRID.denominator * slots) * top // bottom
    known = {f.name: getattr(video, f.name) for f in fields(Video)}
    shown = video.shown_between(earliest, latest)
    return replace(ConstantRateVideo(**known), rate=rate, shown=shown)


def is_even(ticks: Ints, base: Fraction, rate: Fraction) -> bool:
    """Whether frames at these ticks lie on the grid of that rate."""
    grid = np.arange(len(ticks)) * float(1 / (rate * base))
    return bool(np.abs(ticks - grid).max() <= max(float(ON_GRID / (rate * base)), 1.0))


def fine_rate(ticks: Ints, base: Fraction, told: Sequence[Fraction], mean: Fraction) -> Fraction:
    """The rate at which frames come where they come fastest for a while, within reason; never below the mean."""
    span = min(WINDOW, len(ticks) - 1)
    around = span / ((ticks[span:] - ticks[:-span]) * float(base))
    fast = float(np.quantile(around, 1 - SHARE))
    if fast <= MILD * mean:
        return mean
    fast = min(fast, float(FASTEST), 2 * float(max(*told, mean)))
    return max(mean, named_rate(fast, told))


def starting_rate(told: Sequence[Fraction], times: Sequence[Fraction]) -> Fraction:
    """The rate of a video of which only the first pictures are known, by their times and what the container tells.

    The first told rate that the pictures keep; if none, one near their usual distance, or the mean one. If their usual
    distance is not the mean one, the rate is variable: then the finest of all these, within reason.
    """
    micros = np.array([round(time / _MICROSECOND) for time in times], np.int64)
    for rate in told:
        if is_even(micros, _MICROSECOND, rate):
            return rate
    mean = told[min(1, len(told) - 1)]  # told_rates: guessed, average, …
    usual = 10**6 / float(np.median(np.diff(micros)))
    if abs(usual / mean - 1) > MILD - 1:
        return max(r for r in (*told, named_rate(usual, told), mean) if r <= max(mean, min(FASTEST, 2 * mean)))
    near = (r for r in told if abs(r / usual - 1) < 0.02 and abs(r / mean - 1) < 0.1)
    return next(near, mean)


def named_rate(measured: float, told: Sequence[Fraction]) -> Fraction:
    """The rate that was meant: one that was told, else a usual one, else the number itself."""
    for rates in (told, sorted(USUAL, key=lambda rate: abs(rate - measured))):
        for rate in rates:
            if abs(rate / measured - 1) < NEAR:
                return rate
    return Fraction(measured).limit_denominator(1001)


class LiveSlots:
    """Slots of constant rate of a video that is being read: which picture is on screen in each, in order.

    The first picture that is not more than a quarter of a slot off is the slot's own; if there is none, the last one
    before. `Video.shown_between` has the same rule for a video whose times are all known.
    """

    def __init__(self, pictures: FrameStream, coming: Iterator[DecodedFrame], rate: Fraction) -> None:
        self._pictures, self._coming, self._rate = pictures, coming, rate
        self._buffer: deque[DecodedFrame] = deque()

    def shown(self, slot: int) -> DecodedFrame | None:
        """The picture on screen in a slot, which may be that of the slot before; None behind the end."""
        self._pictures.wanted = slot / self._rate
        if not self._has(0):
            return None
        while self._goes_on(slot, 0):
            self._buffer.popleft()
        return None if self._ended(slot, 0) else self._buffer[0]

    def ahead(self, slot: int, window: int) -> list[DecodedFrame]:
        """The pictures in `window` slots from the one shown last, fewer where the video ends."""
        found: list[DecodedFrame] = []
        at = 0
        for later in range(slot, slot + window):
            while self._goes_on(later, at):
                at += 1
            if self._ended(later, at):
                break
            found.append(self._buffer[at])
        return found

    def moment(self, slot: int, picture: DecodedFrame) -> Fraction:
        """The source time of a slot: while the rate is constant that of its picture, whose time stamp is rounded."""
        time = slot / self._rate
        own = abs(picture.time - time) <= ON_GRID / self._rate
        return picture.time if own and not self._pictures.uneven else time

    def _goes_on(self, slot: int, at: int) -> bool:
        """Whether a slot shows a later picture than that one of the buffer."""
        early, late = (slot - ON_GRID) / self._rate, (slot + ON_GRID) / self._rate
        return self._buffer[at].time < early and self._has(at + 1) and self._buffer[at + 1].time <= late

    def _ended(self, slot: int, at: int) -> bool:
        """Whether a slot lies behind the last picture; less than half a slot is none, the one before stands for it."""
        if self._buffer[at].time >= (slot - ON_GRID) / self._rate or self._has(at + 1):
            return False
        return slot / self._rate > self._pictures.end - 1 / (2 * self._rate)

    def _has(self, at: int) -> bool:
        while at >= len(self._buffer):
            picture = next(self._coming, None)
            if picture is None:
                return False
            self._buffer.append(picture)
        return True
