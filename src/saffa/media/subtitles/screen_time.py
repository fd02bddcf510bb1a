"""Screen time between subtitle lines that keep their places: who gets it, when, and for how long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from saffa.core.video import Cue

LEAST, ABOUT_A_SECOND = Fraction(1, 2), Fraction(3, 4)
"""Seconds: nothing is shown for less than the first; fast lines get the second before more of them get less."""
READ = 17
"""Characters a second that are read at ease."""
FASTEST = 25
"""Characters a second that can be read at all."""
_SECOND = 10**6  # lines are placed in whole microseconds
# How far a line may move so that it is shown at all, and so that another one is shown longer.
_EARLY, _LATE, _COMFORT = 2 * _SECOND, 3 * _SECOND, _SECOND
_GOALS = tuple(round(seconds * _SECOND) for seconds in (0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3, 4, 6))


@dataclass(frozen=True)
class Rule:
    """How long a line must be shown: seconds at least, seconds that fast lines should get, characters a second."""

    least: Fraction = LEAST
    about: Fraction = ABOUT_A_SECOND
    fastest: int | None = None

    def needed(self, text: str) -> Fraction:
        """Seconds that a text must be shown; files round times to milliseconds, which must not make it less."""
        if self.fastest is None:
            return self.least
        return max(self.least, Fraction(len(text), self.fastest)) + Fraction(2, 1000)


ANY_LINE = Rule()
READABLE_LINE = Rule(Fraction(4, 5), Fraction(4, 5), FASTEST)


@dataclass(frozen=True)
class JoinedLines:
    """Lines that are shown together: their own moment in the output, and their length in the source."""

    start: Fraction
    end: Fraction
    seconds: Fraction
    text: str
    slow: bool
    lines: int = 1
    rule: Rule = ANY_LINE

    @property
    def needed(self) -> Fraction:
        """Seconds that it must be shown."""
        return self.rule.needed(self.text)

    @property
    def own(self) -> Fraction:
        """Its time on the screen if nothing is done about it."""
        return self.end - self.start

    @property
    def stays(self) -> bool:
        """Slow lines keep their times, but for those that nobody can read."""
        return self.slow and self.own >= self.needed

    @property
    def wish(self) -> Fraction:
        """Time to read it, but no more than it had; a second at least where it was fast-forwarded."""
        least = min(Fraction(1), self.seconds) if self.stays else Fraction(1)
        return max(self.own, least, self.needed, min(self.seconds, Fraction(len(self.text), READ)))


@dataclass(frozen=True)
class _Windows:
    """When lines may start: `first` to `last`, all in one room that ends at `end`; microseconds, shape (lines,)."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    end: int

    def hold(self, chosen: NDArray[np.int64], lengths: NDArray[np.int64]) -> bool:
        """Whether the chosen lines can follow each other: each begins as early as it may, and none too late."""
        wanted = lengths[chosen]
        before = np.cumsum(wanted) - wanted
        starts = np.maximum.accumulate(self.first[chosen] - before) + before
        return bool((starts <= np.minimum(self.last[chosen], self.end - wanted)).all())


class ScreenTime:
    """The free time between two lines that stay, and the lines that want a place in it, in order."""

    def __init__(self, lines: Sequence[JoinedLines], start: Fraction, end: Fraction) -> None:
        self._lines = lines
        self._start, self._end = int(-(-start * _SECOND // 1)), int(end * _SECOND // 1)
        self._moments = _whole(line.start for line in lines)
        self._wishes = _whole(line.wish for line in lines)

    def cues(self) -> list[Cue | None]:
        """For every line its cue, or None if there is no room for it."""
        chosen, lengths = self._choice()
        times: dict[int, Cue] = {}
        if len(chosen):
            starts = self._starts(chosen, lengths, self._moments + _LATE)
            windows = self._comfort(chosen, starts)
            lengths = self._grown(chosen, lengths, windows)
            starts = self._starts(chosen, lengths, windows.last)
            for k in chosen:
                start = Fraction(int(starts[k]), _SECOND)
                times[int(k)] = Cue(start, start + Fraction(int(lengths[k]), _SECOND), self._lines[k].text)
        return [times.get(k) for k in range(len(self._lines))]

    def _choice(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Whom there is room for: slow lines first, then those with the most time of their own."""
        windows = _Windows(np.maximum(self._moments - _EARLY, self._start), self._moments + _LATE, self._end)
        ranked = sorted(range(len(self._lines)), key=lambda k: (not self._lines[k].slow, -self._lines[k].own, k))
        lengths = np.zeros(len(ranked), np.int64)
        chosen = np.zeros(0, np.int64)
        for generous in (True, False):
            for k in ranked:
                if lengths[k]:
                    continue
                line = self._lines[k]
                about = line.rule.about if generous and not line.slow else line.rule.least
                lengths[k] = ceil(max(line.needed, about) * _SECOND)
                more = np.insert(chosen, np.searchsorted(chosen, k), k)
                if windows.hold(more, lengths):
                    chosen = more
                else:
                    lengths[k] = 0
        return chosen, lengths

    def _comfort(self, chosen: NDArray[np.int64], starts: NDArray[np.int64]) -> _Windows:
        """How far lines may still move so that others are shown longer; those with time of their own do not."""
        first, last = starts.copy(), starts.copy()
        for k in chosen:
            if self._lines[k].own < max(ABOUT_A_SECOND, self._lines[k].needed):
                first[k] = max(self._start, min(starts[k], self._moments[k] - _COMFORT))
                last[k] = max(starts[k], self._moments[k] + _COMFORT)
        return _Windows(first, last, self._end)

    def _grown(self, chosen: NDArray[np.int64], lengths: NDArray[np.int64], windows: _Windows) -> NDArray[np.int64]:
        """Longer times towards what is wished for, the shortest first."""
        for goal in (*_GOALS, None):
            for k in chosen:
                longer = int(self._wishes[k]) if goal is None else min(int(self._wishes[k]), goal)
                if longer > lengths[k]:
                    trial = lengths.copy()
                    trial[k] = longer
                    lengths = trial if windows.hold(chosen, trial) else lengths
        return lengths

    def _starts(
        self, chosen: NDArray[np.int64], lengths: NDArray[np.int64], last: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Starts as near to the lines' own moments as the others allow."""
        latest, limit = np.zeros(len(lengths), np.int64), self._end
        for k in chosen[::-1]:
            limit = latest[k] = min(last[k], limit - lengths[k])
        starts, free = np.zeros(len(lengths), np.int64), self._start
        for k in chosen:
            starts[k] = max(free, min(self._moments[k], latest[k]))
            free = starts[k] + lengths[k]
        return starts


def _whole(times: Iterable[Fraction]) -> NDArray[np.int64]:
    return np.array([int(t * _SECOND // 1) for t in times], np.int64)
