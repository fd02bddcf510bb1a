"""A source with parts cut out, and the clock of what is left: "spliced" time runs on where a part is missing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

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
