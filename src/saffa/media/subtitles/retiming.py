"""Subtitle lines on the output's clock: lines of slow stretches as they stand, the others where there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from saffa.core.timemap import TimeMap
from saffa.core.video import Cue
from saffa.media.formats import LineMode
from saffa.media.subtitles.lines import READABLE, joined, ordered
from saffa.media.subtitles.screen_time import ABOUT_A_SECOND, ANY_LINE, READABLE_LINE, JoinedLines, ScreenTime

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
