"""Sound with parts cut out: what is left runs on without a gap, joined by a short cross-fade."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saffa.core.timemap import Splice

Samples = NDArray[np.float32]
FADE = Fraction(1, 50)
"""Seconds of a cross-fade; half of it lies on either side of the cut, as in editing programs."""


def spliced(blocks: Iterable[Samples], rate: int, splice: Splice) -> Iterator[Samples]:
    """The blocks (n, channels) without what is cut; sample k of all blocks together is at source time k / rate."""
    source = _SplicedBlocks(blocks)
    for start, end, half in _joints(splice, rate):
        yield from source.until(start - half)
        going = source.take(start + half)
        source.drop(end - half)
        coming = source.take(end + half)
        if len(coming) < len(going):  # the sound ends here
            coming = np.concatenate([coming, np.zeros_like(going[len(coming) :])])
        fade = np.sin(np.pi / 2 * (np.arange(len(going)) + 0.5) / max(len(going), 1))[:, None] ** 2
        yield (going + (coming[: len(going)] - going) * fade).astype(np.float32)
    yield from source.rest()


def _joints(splice: Splice, rate: int) -> list[tuple[int, int, int]]:
    """Start and end of each cut in samples, and half the length of its cross-fade, which must fit between cuts."""
    cuts = [(round(start * rate), round(end * rate)) for start, end in splice.cuts]
    edges = [0, *(edge for cut in cuts for edge in cut)]
    rooms = [b - a for a, b in pairwise(edges)]  # sound before each cut, and the cut itself, in turn
    after = [*rooms[2::2], 1 << 62]
    around = zip(rooms[::2], rooms[1::2], after, strict=True)
    halves = (min(round(FADE * rate / 2), *(room // 2 for room in three)) for three in around)
    return [(start, end, half) for (start, end), half in zip(cuts, halves, strict=True)]


class _SplicedBlocks:
    """Blocks of sound as one stream, read in order."""

    def __init__(self, blocks: Iterable[Samples]) -> None:
        self._blocks, self._at = iter(blocks), 0
        self._left: Samples | None = None
        self._none = np.zeros((0, 1), np.float32)

    def until(self, end: int) -> Iterator[Samples]:
        """The samples from where reading stands up to `end`, in blocks."""
        while self._at < end:
            if self._left is None:
                self._left = next(self._blocks, None)
                if self._left is None:
                    return
                self._none = self._left[:0]  # as many channels as the sound has
            part, rest = self._left[: end - self._at], self._left[end - self._at :]
            self._at += len(part)
            self._left = rest if len(rest) else None
            yield part

    def take(self, end: int) -> Samples:
        """These samples as one block."""
        parts = list(self.until(end))
        return np.concatenate(parts) if parts else self._none

    def drop(self, end: int) -> None:
        """Read up to `end` and forget it."""
        for _ in self.until(end):
            pass

    def rest(self) -> Iterator[Samples]:
        """Everything that is left."""
        yield from self.until(1 << 62)
