"""Exact source time ↔ output time. The one owner of time: picture, sound, subtitles and exports ask here.

A `Splice` is the source with parts cut out; its "spliced" time is the clock of what is left. A `TimeMap` leads from
there to the output.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Splice:
    """Source seconds [start, end) that are left out; in order, none touching another."""

    cuts: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        if any(start >= end for start, end in self.cuts):
            raise ValueError("a cut must have a length")
        if any(a[1] >= b[0] for a, b in pairwise(self.cuts)):
            raise ValueError("cuts must be in order and must not touch")

    def __bool__(self) -> bool:
        return bool(self.cuts)

    def to_spliced(self, time: Fraction) -> Fraction:
        """Spliced time of a source time; inside a cut it is that of the cut."""
        at = bisect_right([start for start, _ in self.cuts], time)
        gone = sum((min(end, time) - start for start, end in self.cuts[:at]), Fraction(0))
        return time - gone

    def to_source(self, time: Fraction) -> Fraction:
        """Source time of a spliced time; at a cut it is that of its end."""
        for start, end in self.cuts:
            if time < start:
                return time
            time += end - start
        return time

    def is_cut(self, start: Fraction, end: Fraction) -> bool:
        """Whether all of a source interval is left out."""
        return any(a <= start and end <= b for a, b in self.cuts)


def united(intervals: Sequence[Interval]) -> tuple[Interval, ...]:
    """The same source time as intervals in order that neither overlap nor touch."""
    ordered = sorted(intervals)
    if not ordered:
        return ()
    ends = list(accumulate((end for _, end in ordered), max))
    starts = [i for i in range(1, len(ordered)) if ordered[i][0] > ends[i - 1]]
    return tuple((ordered[a][0], ends[b - 1]) for a, b in pairwise([0, *starts, len(ordered)]))


@dataclass(frozen=True)
class TimeMap:
    """A strictly increasing piecewise-linear map given by its knots, all exact rationals in seconds.

    Source time 0 is the first frame of the picture. Times outside the map are clamped to its ends.
    """

    source: tuple[Fraction, ...]
    output: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.source) != len(self.output) or len(self.source) < 2:
            raise ValueError("a TimeMap needs at least two knots, as many in the source as in the output")
        for knots in (self.source, self.output):
            if any(a >= b for a, b in pairwise(knots)):
                raise ValueError("the knots of a TimeMap must be strictly increasing")

    @classmethod
    def from_frames(cls, starts: Sequence[Fraction], end: Fraction, rate: Fraction) -> TimeMap:
        """Map of a selection: the frame that starts at `starts[i]` fills output slot i of `1/rate` seconds.

        The last selected frame stands for everything up to `end`, the end of the source.
        """
        slot = 1 / Fraction(rate)
        source = (*(Fraction(t) for t in starts), Fraction(end))
        return cls(source, tuple(i * slot for i in range(len(source))))

    @property
    def source_duration(self) -> Fraction:
        """Length of the source that the map covers, seconds."""
        return self.source[-1] - self.source[0]

    @property
    def duration(self) -> Fraction:
        """Length of the output, seconds."""
        return self.output[-1] - self.output[0]

    @property
    def speed(self) -> Fraction:
        """Average speed over the whole map."""
        return self.source_duration / self.duration

    def to_output(self, time: Fraction | int) -> Fraction:
        """Output time at which the source time is shown."""
        return _interpolate(Fraction(time), self.source, self.output)

    def to_source(self, time: Fraction | int) -> Fraction:
        """Source time that is shown at the output time."""
        return _interpolate(Fraction(time), self.output, self.source)

    @cached_property
    def source_seconds(self) -> NDArray[np.float64]:
        """Source knots as floats, for vectorised use (sound, plots)."""
        return np.array([float(t) for t in self.source])

    @cached_property
    def output_seconds(self) -> NDArray[np.float64]:
        """Output knots as floats."""
        return np.array([float(t) for t in self.output])


def _interpolate(time: Fraction, xs: tuple[Fraction, ...], ys: tuple[Fraction, ...]) -> Fraction:
    if time <= xs[0]:
        return ys[0]
    if time >= xs[-1]:
        return ys[-1]
    i = bisect_right(xs, time) - 1
    return ys[i] + (time - xs[i]) * (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i])
