"""Subtitle lines on the output's clock: lines of slow stretches as they stand, the others where there is room.

`ScreenTime` is the free time between two lines that keep their places: who gets it, when, and for how long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

import numpy as np

from saffa.core.timeline import TimeMap
from saffa.core.types import Ints
from saffa.core.video import Cue
from saffa.media.subtitles.lines import READABLE, joined, ordered
from saffa.media.writer import LineMode

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

    first: Ints
    last: Ints
    end: int

    def hold(self, chosen: Ints, lengths: Ints) -> bool:
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

    def _choice(self) -> tuple[Ints, Ints]:
        """The lines there is room for, and their lengths: slow ones first, then those with the most own time."""
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

    def _comfort(self, chosen: Ints, starts: Ints) -> _Windows:
        """How far lines may still move so that others are shown longer; those with time of their own do not."""
        first, last = starts.copy(), starts.copy()
        for k in chosen:
            if self._lines[k].own < max(ABOUT_A_SECOND, self._lines[k].needed):
                first[k] = max(self._start, min(starts[k], self._moments[k] - _COMFORT))
                last[k] = max(starts[k], self._moments[k] + _COMFORT)
        return _Windows(first, last, self._end)

    def _grown(self, chosen: Ints, lengths: Ints, windows: _Windows) -> Ints:
        """Longer times towards what is wished for, the shortest first."""
        for goal in (*_GOALS, None):
            for k in chosen:
                longer = int(self._wishes[k]) if goal is None else min(int(self._wishes[k]), goal)
                if longer > lengths[k]:
                    trial = lengths.copy()
                    trial[k] = longer
                    lengths = trial if windows.hold(chosen, trial) else lengths
        return lengths

    def _starts(self, chosen: Ints, lengths: Ints, last: Ints) -> Ints:
        """Starts as near to the lines' own moments as the others allow."""
        latest, limit = np.zeros(len(lengths), np.int64), self._end
        for k in chosen[::-1]:
            limit = latest[k] = min(last[k], limit - lengths[k])
        starts, free = np.zeros(len(lengths), np.int64), self._start
        for k in chosen:
            starts[k] = max(free, min(self._moments[k], latest[k]))
            free = starts[k] + lengths[k]
        return starts


def _whole(times: Iterable[Fraction]) -> Ints:
    return np.array([int(t * _SECOND // 1) for t in times], np.int64)


SLOW = 2
"""Up to this speed a stretch counts as slow; a line is slow if half of its screen time is."""
NEAR = 3
"""Output seconds from its own moment at which a line may share the screen with another one."""
SKIM = 40
"""Characters a second that can be taken in when two lines share the screen."""
Placed = tuple[JoinedLines, Cue | None]


@dataclass(frozen=True)
class Retimed:
    """The lines that are shown, and how many of the `said` ones are not among them."""

    cues: tuple[Cue, ...]
    said: int = 0
    left_out: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """One plain sentence if lines are left out."""
        if not self.left_out:
            return ()
        verb = "are" if self.left_out > 1 else "is"
        return (
            f"{self.left_out} of {self.said} subtitle lines {verb} left out: the fast parts leave no time for more.",
        )


def retime(cues: Sequence[Cue], timemap: TimeMap, lines: LineMode = "all") -> Retimed:
    """The cues on the output's clock: in order, never overlapping, none shorter than half a second.

    Lines of slow stretches keep their times. The others get about a second or more from the free time around
    their moment; short neighbours share the screen. Where there is no room those with the least time of their own
    are left out. `lines` "readable" leaves out what is shown for less than 0.8 s or faster than 25 characters a
    second, and "slow" also the lines of fast stretches.
    """
    rule = ANY_LINE if lines == "all" else READABLE_LINE
    inside = [replace(c, start=max(c.start, Fraction(0))) for c in ordered(cues) if c.end > 0]
    inside = [c for c in inside if c.start < timemap.source[-1]]
    mapped = [replace(line, rule=rule) for line in _mapped(inside, timemap)]
    wanted = [line for line in mapped if line.slow or lines != "slow"]
    fixed = [line for line in wanted if line.stays]
    first, end = timemap.output[0], timemap.output[-1]
    bounds = [first, *(t for line in fixed for t in (line.start, line.end)), end]
    placed: list[Placed] = []
    for at, room in enumerate(_between(wanted)):
        waiting = _shared(room)
        placed += zip(waiting, ScreenTime(waiting, bounds[2 * at], bounds[2 * at + 1]).cues(), strict=True)
        placed += [(line, Cue(line.start, line.end, line.text)) for line in fixed[at : at + 1]]
    shown, lost = _squeezed_in(_lingering(placed, end))
    unwanted = sum(line.lines for line in mapped) - sum(line.lines for line in wanted)
    return Retimed(tuple(shown), len(inside), lost + unwanted)


def _apart(cues: Iterable[Cue]) -> list[tuple[Cue, int]]:
    """No overlaps: a line gives way when the next begins; lines that begin together are one (and how many)."""
    out: list[tuple[Cue, int]] = []
    for cue in cues:
        if out and cue.start <= out[-1][0].start:
            before, many = out.pop()
            text = joined(before.text, cue.text)
            out.append((Cue(before.start, max(before.end, cue.end), text), many + 1))
            continue
        if out and cue.start < out[-1][0].end:
            before, many = out.pop()
            out.append((replace(before, end=cue.start), many))
        out.append((cue, 1))
    return out


def _mapped(cues: Sequence[Cue], timemap: TimeMap) -> list[JoinedLines]:
    """Lines with their own moments in the output."""
    output = timemap.output_seconds
    slow = np.diff(timemap.source_seconds) <= (SLOW + 1e-6) * np.diff(output)
    slowly = np.concatenate([[0.0], np.cumsum(np.where(slow, np.diff(output), 0.0))])
    lines = []
    for cue, many in _apart(cues):
        start, end = timemap.to_output(cue.start), timemap.to_output(cue.end)
        share = float(np.diff(np.interp([float(start), float(end)], output, slowly))[0])
        is_slow = end > start and 2 * share >= float(end - start)
        lines.append(JoinedLines(start, end, cue.end - cue.start, cue.text, is_slow, many))
    return lines


def _between(lines: Sequence[JoinedLines]) -> list[list[JoinedLines]]:
    """The lines before, between and after those that stay."""
    rooms: list[list[JoinedLines]] = [[]]
    for line in lines:
        if line.stays:
            rooms.append([])
        else:
            rooms[-1].append(line)
    return rooms


def _shared(lines: Sequence[JoinedLines]) -> list[JoinedLines]:
    """Neighbours too short to be read one after the other share the screen, if they can be read at once."""
    out: list[JoinedLines] = []
    for line in lines:
        before = out[-1] if out else None
        crowded = before is not None and max(before.end, line.start) - before.start < ABOUT_A_SECOND
        if before is None or not crowded or len(joined(before.text, line.text)) > READABLE:
            out.append(line)
            continue
        seconds, slow = before.seconds + line.seconds, before.slow or line.slow
        text = joined(before.text, line.text)
        out[-1] = JoinedLines(before.start, line.end, seconds, text, slow, before.lines + line.lines, line.rule)
    return out


def _lingering(placed: Sequence[Placed], end: Fraction) -> list[Placed]:
    """Lines stay longer where nothing follows, until they can be read at ease."""
    out: list[Placed] = []
    for line, cue in reversed(placed):
        if cue is None:
            out.append((line, None))
            continue
        out.append((line, replace(cue, end=max(cue.end, min(end, cue.start + line.wish)))))
        end = cue.start
    return out[::-1]


def _squeezed_in(placed: Sequence[Placed]) -> tuple[list[Cue], int]:
    """What found no place joins the line before or after it, if both can be read at once; else it is lost."""
    ahead = _joining(placed, lambda cue, line: joined(cue.text, line.text))
    both = _joining(ahead[::-1], lambda cue, line: joined(line.text, cue.text))[::-1]
    return [cue for _, cue in both if cue is not None], sum(line.lines for line, cue in both if cue is None)


def _joining(placed: Sequence[Placed], together: Callable[[Cue, JoinedLines], str]) -> list[Placed]:
    """Each line without a place goes to the one met last."""
    out: list[Placed] = []
    last = None
    for line, cue in placed:
        if cue is not None:
            last = len(out)
        elif last is not None:
            host, shown = out[last]
            if shown is not None and _readable_with(line, shown):
                out[last] = (host, replace(shown, text=together(shown, line)))
                continue
        out.append((line, cue))
    return out


def _readable_with(line: JoinedLines, cue: Cue) -> bool:
    text = joined(cue.text, line.text)
    apart = max(cue.start - line.end, line.start - cue.end)
    skimmed = len(text) <= SKIM * (cue.end - cue.start)
    easy = len(text) <= READABLE and skimmed and line.rule.needed(text) <= cue.end - cue.start
    return text == cue.text or (apart <= NEAR and easy)
