"""Steps counted as in manuals and standards, `3.1.2 Remove the guard`: lines as a list under headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

_DOTTED = re.compile(r"^\s*(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?=[^\W\d])")
_LEAST = 3  # lines counted in this way


def with_dotted_numbers(lines: list[str]) -> list[str]:
    """The lines, in which those that count the parts of one number are a list, and the lines above them headings."""
    marks = [_DOTTED.match(line) for line in lines]
    numbers = [tuple(mark[1].split(".")) if mark else () for mark in marks]
    counted = _counted(numbers)
    if len(counted) < _LEAST:
        return lines
    above = {numbers[place][:depth] for place in counted for depth in range(1, len(numbers[place]))}
    found: list[str] = []
    for place, (line, mark, number) in enumerate(zip(lines, marks, numbers, strict=True)):
        words = line[mark.end() :] if mark else line
        if place in counted:
            found.append(f"{number[-1]}. {words}")
        else:
            found.append(f"{'#' * len(number)} {words}" if mark and number in above else line)
    return found


def _counted(numbers: Sequence[tuple[str, ...]]) -> set[int]:
    """Places of numbers with a common beginning of which the last parts count 1, 2, 3."""
    found: set[int] = set()
    places = [place for place, number in enumerate(numbers) if len(number) > 1]
    for _, group in groupby(places, lambda place: numbers[place][:-1]):
        run = list(group)
        if len(run) > 1 and [numbers[n][-1] for n in run] == [str(count + 1) for count in range(len(run))]:
            found |= set(run)
    return found
