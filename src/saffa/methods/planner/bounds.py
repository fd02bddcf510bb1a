"""Corrections as bounds on the planner's path: how long a step may be from each frame, which frames to avoid.

What is cut is taken out first: the planner works on the frames that are left, so its dynamics hold across a cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np

from saffa.core.alignment import Alignment, follows
from saffa.core.clock import format_length
from saffa.core.corrections import Correction, Cut, Found, Here, Keep, Range, Skip, Weight, describe
from saffa.core.errors import InputError
from saffa.core.timeline import Interval, united
from saffa.core.types import Flags, Ints

Span = tuple[int, int]
"""Frames [start, end)."""
DROP = 0.3
"""Share of its greatest likelihood that a sentence may lose in the stretch that is taken for it."""
USUAL = 40.0
"""Seconds of video for each sentence from which on it may lose less."""
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
    found = _stretch(sentence, alignment, _owners(alignment))
    if found is None or not alignment.found()[sentence]:
        likeliest = "such as 10:40-11:15" if found is None else f"(likeliest is {found})"
        raise InputError(f"step:{sentence + 1}: that sentence was not found in the video; give a range {likeliest}.")
    return found


def places(alignment: Alignment) -> list[Range | None]:
    """Where each sentence was found; None if it was not."""
    owners, sure = _owners(alignment), alignment.found()
    return [_stretch(i, alignment, owners) if sure[i] else None for i in range(len(alignment.document))]


def _owners(alignment: Alignment) -> Ints:
    """The sentence that is followed at each time of the grid, -1 where none is."""
    return np.where(follows(alignment.relevance), alignment.sentence_weights.argmax(1), -1)


def _stretch(sentence: int, alignment: Alignment, owners: Ints) -> Range | None:
    """Where a sentence was found; None if it never comes to the fore.

    It reaches from the likeliest moment as far as the sentence is nearly as likely. How near follows the time that
    there is for a sentence: in a long video the steps of the encoders grow with it, those of people do not.
    """
    if not np.any(owners == sentence):
        return None
    times = alignment.times.astype(np.float64)
    likely = (alignment.relevance - alignment.relevance.min()) * alignment.sentence_weights[:, sentence]
    usual = min(1.0, USUAL * len(alignment.document) / alignment.duration)
    peak = int(np.where(owners == sentence, likely, -np.inf).argmax())
    low = np.flatnonzero(likely < (1 - DROP * usual) * likely[peak])
    first, last = (low[low < peak].max(initial=-1) + 1, low[low > peak].min(initial=len(times)) - 1)
    edges = np.concatenate([[0.0], (times[1:] + times[:-1]) / 2, [alignment.duration]])
    start, end = (round(float(edge) * 1000) for edge in (edges[first], edges[last + 1]))
    return Range(Fraction(start, 1000), Fraction(max(end, start + 1), 1000))


def placed(alignment: Alignment, corrections: Iterable[Correction]) -> Alignment:
    """The alignment in which every sentence with a `Here` is shown there for certain, and nowhere else."""
    for correction in corrections:
        if isinstance(correction, Here):
            _check_inside(correction, alignment)
            alignment = _moved(alignment, correction.number - 1, _interval(correction))
    return alignment


def _moved(alignment: Alignment, sentence: int, interval: Interval) -> Alignment:
    weights, relevance = alignment.sentence_weights.copy(), alignment.relevance.copy()
    start, end = (float(time) for time in interval)
    inside = (alignment.times >= start) & (alignment.times < end)
    if not inside.any():  # shorter than the grid
        inside[int(np.abs(alignment.times - (start + end) / 2).argmin())] = True
    low, high = relevance.min(), relevance.max()
    others = 1 - weights[:, sentence]
    relevance[~inside] = (low + (relevance - low) * others)[~inside]
    relevance[inside] = high
    weights[:, sentence] = 0
    weights /= np.maximum(weights.sum(1, keepdims=True), 1e-9)
    weights[inside] = np.eye(weights.shape[1], dtype=weights.dtype)[sentence]
    sure = alignment.confidence
    if sure is not None:
        sure = np.where(np.arange(len(sure)) == sentence, 1.0, sure).astype(np.float32)
    return replace(alignment, sentence_weights=weights, relevance=relevance, confidence=sure)


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


def _interval(correction: Keep | Skip | Cut | Here) -> Interval:
    place = correction.place
    if not isinstance(place, Range):
        raise TypeError("corrections must be resolved first")
    return place.start, place.end


def _frames(interval: Interval, alignment: Alignment) -> Span:
    start, end = (min(ceil(time * alignment.rate), alignment.frames) for time in interval)
    return start, end


def _check_inside(correction: Keep | Skip | Cut | Here, alignment: Alignment) -> None:
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
