"""Exact source time ↔ output time. The one owner of time: picture, sound, subtitles and exports ask here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Stretch:
    """A piece of the map with one speed: source seconds [start, end) shown in output seconds [start, end)."""

    source_start: Fraction
    source_end: Fraction
    output_start: Fraction
    output_end: Fraction

    @property
    def speed(self) -> Fraction:
        """Source seconds per output second."""
        return (self.source_end - self.source_start) / (self.output_end - self.output_start)


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

    @classmethod
    def identity(cls, duration: Fraction) -> TimeMap:
        """Normal speed throughout."""
        knots = (Fraction(0), Fraction(duration))
        return cls(knots, knots)

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

    def slot(self, time: Fraction | int) -> int:
        """Index of the knot interval that holds the source time (for a selection: the shown frame)."""
        return min(max(bisect_right(self.source, time) - 1, 0), len(self.source) - 2)

    def stretches(self) -> list[Stretch]:
        """The map as pieces of constant speed; neighbours of equal speed are joined."""
        pieces: list[Stretch] = []
        for (s0, s1), (o0, o1) in zip(pairwise(self.source), pairwise(self.output), strict=True):
            piece = Stretch(s0, s1, o0, o1)
            if pieces and pieces[-1].speed == piece.speed:
                piece = Stretch(pieces[-1].source_start, s1, pieces[-1].output_start, o1)
                pieces.pop()
            pieces.append(piece)
        return pieces

    def then(self, after: TimeMap) -> TimeMap:
        """Composition: this map first, `after` applied to its output. Both must meet end to end."""
        if (self.output[0], self.output[-1]) != (after.source[0], after.source[-1]):
            raise ValueError("the second map must cover exactly the output of the first")
        middle = sorted({*self.output, *after.source})
        return TimeMap(tuple(map(self.to_source, middle)), tuple(map(after.to_output, middle)))

    def inverse(self) -> TimeMap:
        """The map that undoes this one."""
        return TimeMap(self.output, self.source)

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
