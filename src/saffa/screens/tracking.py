"""From pictures to timed lines: what is new on the screen is read, what stays is followed by its edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from saffa.core.types import Rgb
from saffa.screens.likeness import COLUMNS, ROWS, Blocks, LetterTraits
from saffa.screens.ocr import Reader

_FRESH = 3  # changed blocks with letters from which on the screen is read
_GONE = 0.4  # share of a line's blocks that changed, from which on it may have been replaced
_SAME = 0.75  # likeness of two readings of one line
_SAVED, _EARNED = 12.0, 0.25
"""Whole pictures that may be read at once, and that may be read each second: what bounds the time it takes."""
_PER_LENGTH = 0.02  # time of reading a line, for each of its heights in width; finding the lines of a picture is 1
_EDGE = 3  # pixels from the edge of a strip within which a line is cut
_LONGEST_REST, _LINE_REST = 32.0, 4.0
"""Seconds for which a block without letters, and one with a line that was read before, is left alone at most."""
_MOST_VAIN = 4  # readings in vain after which the time between two of them grows no more
_LEAST_ROWS = 5  # blocks: a strip that is lower is hardly quicker to read


@dataclass(frozen=True)
class ShownLine:
    """A line on the screen from `start` to `end`, seconds; `box`: its first and last row and column of blocks."""

    start: float
    end: float
    text: str
    box: tuple[int, int, int, int]

    def on(self, blocks: Blocks) -> Blocks:
        """The part of (ROWS, COLUMNS) that it covers."""
        top, bottom, left, right = self.box
        return blocks[top : bottom + 1, left : right + 1]


class ScreenTracker:
    """Fed with pictures in order, `every` seconds apart; a longer gap ends all lines."""

    def __init__(self, read: Reader, every: float) -> None:
        self._read, self._every = read, every
        self._known: LetterTraits | None = None  # the picture as it was when it was read
        self.passed = 0
        """Pictures with new letters that were not read, because too many were."""
        self._time = 0.0
        self._alive: list[ShownLine] = []
        self._done: list[ShownLine] = []
        self._credit = _SAVED
        self._vain, self._again = 0, 0.0  # readings that brought nothing new, and when the next one may be
        self._rests, self._pause = np.zeros((ROWS, COLUMNS)), np.full((ROWS, COLUMNS), every)

    def see(self, time: float, seen: LetterTraits, picture: Callable[[], Rgb]) -> None:
        """The next picture: small as `seen`; `picture` gives it large, if it has to be read."""
        if self._known is not None and time - self._time > 2.5 * self._every:
            self._end_all()
        self._credit = min(self._credit + _EARNED * (time - self._time), _SAVED + _EARNED * time)
        self._time = time
        changed = np.ones((ROWS, COLUMNS), bool) if self._known is None else seen.changed(self._known)
        faded = [line.on(changed).any() and not line.on(seen.lettered).any() for line in self._alive]
        suspects = [
            line for line, gone in zip(self._alive, faded, strict=True) if gone or line.on(changed).mean() >= _GONE
        ]
        fresh = changed & seen.lettered & (time >= self._rests)
        is_new = seen.may_have_text and fresh.sum() >= _FRESH
        if is_new and self._credit > 0 and time >= self._again:
            self._look(_strip(fresh, suspects), time, picture())
            self._rest(fresh, time)
            self._known = seen
            return
        if is_new and self._credit <= 0:
            self.passed += 1
        self._end([line for line in suspects if not line.on(seen.lettered).any()], time)
        if not is_new:
            self._known = seen

    def finish(self, end: float) -> list[ShownLine]:
        """All lines, in order of their start; those still shown end at `end`."""
        self._end(list(self._alive), end)
        return sorted(self._done, key=lambda line: (line.start, line.box))

    def _look(self, rows: tuple[int, int], time: float, picture: Rgb) -> None:
        """Read the strip between two rows of blocks; lines in it that are not there any more have ended."""
        height, width = picture.shape[:2]
        top, bottom = (height * row // ROWS for row in (rows[0], rows[1] + 1))
        found = self._read(np.ascontiguousarray(picture[top:bottom]))
        self._credit -= (bottom - top) / height + _PER_LENGTH * sum(line.length for line in found)
        before = [line for line in self._alive if rows[0] <= line.box[0] and line.box[1] <= rows[1]]
        for written in found:
            left, first, right, last = written.box
            if (top and first <= _EDGE) or (bottom < height and last >= bottom - top - _EDGE):
                continue  # the strip cuts it: it lies outside of what changed
            down = _blocks((first + top) / height * ROWS, (last + top) / height * ROWS, ROWS)
            box = (*down, *_blocks(left / width * COLUMNS, right / width * COLUMNS, COLUMNS))
            same = next((line for line in before if _is_same(line, written.text, box)), None)
            if same is None:
                self._alive.append(ShownLine(time, time, written.text, box))
            else:
                before.remove(same)
        self._end(before, time)

    def _rest(self, fresh: Blocks, time: float) -> None:
        """Blocks that were read and held nothing new are left alone for a while, each time for longer."""
        longest = np.full((ROWS, COLUMNS), _LONGEST_REST)
        for line in self._alive:
            line.on(longest)[:] = _LINE_REST
            if line.start == time:
                line.on(fresh)[:] = False
                line.on(self._pause)[:] = self._every
        in_vain = not any(line.start == time for line in self._alive)
        self._vain = self._vain + 1 if in_vain else 0
        self._again = time + self._every * min(max(self._vain - 1, 0), _MOST_VAIN)
        self._rests[fresh] = time + self._pause[fresh]
        self._pause[fresh] = np.minimum(self._pause[fresh] * 2, longest[fresh])

    def _end(self, lines: list[ShownLine], time: float) -> None:
        for line in lines:
            self._alive.remove(line)
            self._done.append(replace(line, end=time))

    def _end_all(self) -> None:
        self._end(list(self._alive), self._time + self._every)
        self._known = None


def _strip(fresh: Blocks, suspects: list[ShownLine]) -> tuple[int, int]:
    """First and last row of blocks to read: all that is new, and the lines that may have been replaced."""
    rows = np.flatnonzero(fresh.any(1)).tolist() + [row for line in suspects for row in line.box[:2]]
    first, last = max(0, min(rows) - 2), min(ROWS - 1, max(rows) + 2)
    missing = max(0, _LEAST_ROWS - (last - first + 1))
    first = max(0, first - missing)
    return first, min(ROWS - 1, max(last, first + _LEAST_ROWS - 1))


def _blocks(start: float, end: float, count: int) -> tuple[int, int]:
    first = min(max(int(start), 0), count - 1)
    return first, min(max(int(np.ceil(end)) - 1, first), count - 1)


def _is_same(line: ShownLine, text: str, box: tuple[int, int, int, int]) -> bool:
    near = line.box[0] <= box[1] and box[0] <= line.box[1]
    return near and SequenceMatcher(None, line.text, text, autojunk=False).ratio() >= _SAME


def joined(lines: list[ShownLine], gap: float) -> Iterator[ShownLine]:
    """Lines in order; one that was away for less than `gap` seconds is one line."""
    open_lines: dict[str, ShownLine] = {}
    whole: list[ShownLine] = []
    for line in lines:
        before = open_lines.get(line.text)
        if before is not None and line.start - before.end < gap:
            open_lines[line.text] = replace(before, end=max(before.end, line.end))
            continue
        if before is not None:
            whole.append(before)
        open_lines[line.text] = line
    yield from sorted([*whole, *open_lines.values()], key=lambda line: (line.start, line.box))
