"""Corrections as bounds on the planner's path: how long a step may be from each frame, which frames to avoid.

What is cut is taken out first: the planner works on the frames that are left, so its dynamics hold across a cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment, follows
from saffa.core.clock import format_length
from saffa.core.corrections import Correction, Cut, Found, Keep, Range, Skip, Weight, describe
from saffa.core.errors import InputError
from saffa.core.splice import Interval, united
from saffa.core.types import Doubles

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Span = tuple[int, int]
"""Frames [start, end)."""
INTERRUPTION = 3.0
"""Seconds: a sentence that is found again within this time was there all along."""
CORE = 0.75
"""How far up from the least to the most likely moment of a stretch its core begins."""
FLAT = 0.1
"""Share of the whole range of likelihood within which a stretch counts as equally likely throughout."""
SPARE = 1.0
"""Seconds by which a range may outlast the video: people round."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """What a path may do, over the frames that are not cut.

    source   (frames,)  their numbers in the video
    ceiling  (frames,)  the longest step from each of them
    kept     (frames,)  whether a correction keeps them slow
    skipped  (frames,)  whether as few as possible of them are to be selected
    cuts                ranges of the video's frames that are left out, in order
    """

    source: Ints
    ceiling: Ints
    kept: Flags
    skipped: Flags
    cuts: tuple[Span, ...] = ()

    @classmethod
    def of(cls, corrections: Sequence[Correction], alignment: Alignment, fastest: int) -> Bounds:
        """Bounds from corrections with ranges (`resolved`); `fastest` is the highest velocity there is."""
        _check_contradictions(corrections)
        cuts = united([_interval(c) for c in corrections if isinstance(c, Cut)])
        gone = np.zeros(alignment.frames, np.bool_)
        spans = tuple(span for span in (_frames(cut, alignment) for cut in cuts) if span[0] < span[1])
        for start, end in spans:
            gone[start:end] = True
        source = np.flatnonzero(~gone)
        if not len(source):
            raise InputError("The cuts leave nothing of the video; cut less.")
        kept, skipped = np.zeros((2, len(source)), np.bool_)
        bounds = cls(source, np.full(len(source), fastest), kept, skipped, spans)
        for correction in corrections:
            if isinstance(correction, Keep | Skip):
                start, end = (int(np.searchsorted(source, f)) for f in _frames(_interval(correction), alignment))
                bounds._apply(correction, start, end)
        for start, _ in spans:  # a step ends where the cut begins: nothing next to it is passed over
            bounds._limit(int(np.searchsorted(source, start)), int(np.searchsorted(source, start)), 0)
        return bounds

    def _apply(self, correction: Keep | Skip, start: int, end: int) -> None:
        if isinstance(correction, Skip):
            self.skipped[start:end] = True
        elif start < end:
            self.kept[start:end] = True
            self._limit(start, end, floor(correction.speed))

    def _limit(self, start: int, end: int, longest: int) -> None:
        """No step that lies in [start, end), or reaches over its start, is longer than `longest`."""
        self.ceiling[start:end] = np.minimum(self.ceiling[start:end], longest)
        before = np.arange(max(0, start - int(self.ceiling.max(initial=1))), start)
        if start < len(self.ceiling):
            self.ceiling[before] = np.minimum(self.ceiling[before], np.maximum(start - before, longest))

    def rest_speed(self, wanted: int, fastest: int) -> float:
        """Speed that is left for what is neither kept nor skipped, so that `wanted` frames are selected."""
        slots = float((1 / self.ceiling[self.kept]).sum()) + float(self.skipped.sum()) / fastest
        return float((~self.kept & ~self.skipped).sum()) / max(wanted - slots, 1.0)


def resolved(corrections: Iterable[Correction], alignment: Alignment) -> tuple[Correction, ...]:
    """The corrections with a range in place of each `step:N`, all checked against the video."""
    out: list[Correction] = []
    for correction in corrections:
        if isinstance(correction, Keep | Skip | Cut):
            place = correction.place
            if isinstance(place, Found):
                correction = replace(correction, place=where(place.sentence, alignment))  # noqa: PLW2901
            _check_inside(correction, alignment)
        out.append(correction)
    return tuple(out)


def where(sentence: int, alignment: Alignment) -> Range:
    """The stretch of the video in which a sentence was found; InputError if it was not."""
    times = alignment.times.astype(np.float64)
    owners = np.where(follows(alignment.relevance), alignment.sentence_weights.argmax(1), -1)
    mine = np.flatnonzero(owners == sentence)
    if not len(mine):
        raise InputError(
            f"step:{sentence + 1}: that sentence was not found in the video; give a range such as 10:40-11:15."
        )
    breaks = np.flatnonzero(np.diff(times[mine]) > INTERRUPTION)
    runs = zip(mine[np.r_[0, breaks + 1]], mine[np.r_[breaks, len(mine) - 1]], strict=True)
    likely = (alignment.relevance - alignment.relevance.min()) * alignment.sentence_weights[:, sentence]
    first, last = max(runs, key=lambda run: float(likely[run[0] : run[1] + 1].sum()))
    first, last = _core(likely, int(first), int(last))
    edges = np.concatenate([[0.0], (times[1:] + times[:-1]) / 2, [alignment.duration]])
    start, end = (round(float(edge) * 1000) for edge in (edges[first], edges[last + 1]))
    return Range(Fraction(start, 1000), Fraction(max(end, start + 1), 1000))


def _core(likely: Doubles, first: int, last: int) -> tuple[int, int]:
    """The part of a stretch around its likeliest moment that is nearly as likely.

    Between two steps the sentence before is the best guess for a long time; that is not where it is shown.
    """
    inside = likely[first : last + 1]
    peak, level = int(inside.argmax()), inside.min() + CORE * np.ptp(inside)
    if np.ptp(inside) < FLAT * np.ptp(likely):
        return first, last
    low = np.flatnonzero(inside < level)
    before, after = low[low < peak], low[low > peak]
    return first + (int(before[-1]) + 1 if len(before) else 0), first + (
        int(after[0]) - 1 if len(after) else len(inside) - 1
    )


def weighted(alignment: Alignment, corrections: Iterable[Correction]) -> Alignment:
    """The alignment with the relevance of each moment multiplied by the weights of the sentences it shows."""
    weights = {c.number - 1: float(c.weight) for c in corrections if isinstance(c, Weight)}
    if not weights:
        return alignment
    factors = np.ones(len(alignment.document))
    for sentence, weight in weights.items():
        factors[sentence] = weight
    low = alignment.relevance.min()
    scaled = (alignment.relevance - low) * (alignment.sentence_weights @ factors)
    return replace(alignment, relevance=(low + scaled).astype(np.float32))


def _interval(correction: Keep | Skip | Cut) -> Interval:
    place = correction.place
    if not isinstance(place, Range):
        raise TypeError("corrections must be resolved first")
    return place.start, place.end


def _frames(interval: Interval, alignment: Alignment) -> Span:
    start, end = (min(ceil(time * alignment.rate), alignment.frames) for time in interval)
    return start, end


def _check_inside(correction: Keep | Skip | Cut, alignment: Alignment) -> None:
    start, end = _interval(correction)
    if start >= alignment.duration or end > alignment.duration + SPARE:
        lasts = format_length(alignment.duration)
        raise InputError(f"{describe(correction)} lies outside the video, which lasts {lasts}.")


def _check_contradictions(corrections: Sequence[Correction]) -> None:
    placed = [c for c in corrections if isinstance(c, Keep | Skip | Cut)]
    for keep in placed:
        for other in placed:
            (a, b), (c, d) = _interval(keep), _interval(other)
            if isinstance(keep, Keep) and not isinstance(other, Keep) and a < d and c < b:
                raise InputError(f"{describe(keep)} and {describe(other)} contradict each other; shorten one of them.")
