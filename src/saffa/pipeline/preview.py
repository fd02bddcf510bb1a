"""A plan as it would play, before anything is written: stretches of one speed, what is seen of every sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.corrections import Correction, check_sentences
from saffa.core.selection import WATCHABLE_SECONDS, WATCHABLE_SKIP, Selection
from saffa.core.types import Doubles, Ints
from saffa.methods.base import Sampler
from saffa.methods.corrected import corrected
from saffa.methods.planner.bounds import placed, places

MOST_POINTS = 2000
_DIGITS = 6


@dataclass(frozen=True)
class SentenceShown:
    """What is seen of a sentence: seconds of output, and of the source where it was found."""

    shown_seconds: float
    slow_seconds: float
    """Seconds at no more than twice the normal speed."""
    watchable: bool
    output_start: float | None
    start: float | None
    end: float | None
    found: bool
    confidence: float | None


@dataclass(frozen=True, eq=False)
class Preview:
    """A selection as it would play.

    segments  (stretches, 5)  source start and end, output start and end in seconds, speed
    owners    (stretches,)    the sentence of each, -1 for none
    """

    selection: Selection
    alignment: Alignment
    """The one that was chosen from: with sentences moved to where a person has seen them."""
    rate: float
    segments: Doubles
    owners: Ints
    sentences: tuple[SentenceShown, ...]

    def to_json(self) -> dict[str, Any]:
        """The form that players get."""
        rows = np.round(self.segments, _DIGITS).tolist()
        owners = [None if owner < 0 else owner for owner in self.owners.tolist()]
        return {
            "output_seconds": round(len(self.selection.frames) / self.rate, _DIGITS),
            "speed": round(self.selection.speed, _DIGITS),
            "frames": len(self.selection.frames),
            "rate": self.rate,
            "segments": [[*row, owner] for row, owner in zip(rows, owners, strict=True)],
            "sentences": [vars(one) for one in self.sentences],
            "watchable": sum(one.watchable for one in self.sentences),
        }


def preview(alignment: Alignment, method: Sampler, corrections: Sequence[Correction], speed: float) -> Preview:
    """Choose frames with a method and say how that plays."""
    check_sentences(corrections, len(alignment.document))
    moved = placed(alignment, corrections)
    selection = corrected(method, corrections).select(moved, speed)
    rate = float(alignment.rate)
    owners = np.array(
        [-1 if one is None else one for one in moved.sentence_at((selection.frames / rate).tolist())], np.int64
    )
    segments, owner_of = _segments(selection, owners, rate)
    return Preview(selection, moved, rate, segments, owner_of, tuple(_sentences(moved, selection, owners, rate)))


def _segments(selection: Selection, owners: Ints, rate: float) -> tuple[Doubles, Ints]:
    frames, ends, skips = selection.frames, selection.ends(), selection.skips()
    same = (skips[1:] == skips[:-1]) & (owners[1:] == owners[:-1]) & (ends[:-1] == frames[1:])
    first = np.r_[0, np.flatnonzero(~same) + 1]
    stop = np.r_[first[1:], len(frames)]
    rows = np.stack([frames[first], ends[stop - 1], first, stop], axis=1) / rate
    return np.column_stack([rows, skips[first]]), owners[first]


def _sentences(alignment: Alignment, selection: Selection, owners: Ints, rate: float) -> list[SentenceShown]:
    count = len(alignment.document)
    slow = selection.skips() <= WATCHABLE_SKIP
    shown, slowly = (np.bincount(owners[mask & (owners >= 0)], minlength=count) / rate for mask in (True, slow))
    first = np.full(count, -1)
    shown_owners, at = np.unique(owners, return_index=True)
    first[shown_owners[shown_owners >= 0]] = at[shown_owners >= 0]
    sure, found = alignment.confidence, places(alignment)
    return [
        SentenceShown(
            shown_seconds=round(float(shown[i]), 3),
            slow_seconds=round(float(slowly[i]), 3),
            watchable=found[i] is not None and float(slowly[i]) >= WATCHABLE_SECONDS,
            output_start=None if first[i] < 0 else round(float(first[i]) / rate, 3),
            start=None if (place := found[i]) is None else float(place.start),
            end=None if place is None else float(place.end),
            found=place is not None,
            confidence=None if sure is None else round(float(sure[i]), 4),
        )
        for i in range(count)
    ]


def shown_alignment(alignment: Alignment) -> dict[str, Any]:
    """The curve of relevance, from 0 to 1 and of at most MOST_POINTS points, and where each sentence was found."""
    step = ceil(len(alignment.times) / MOST_POINTS)
    edges = np.arange(0, len(alignment.times), step)
    highest = np.maximum.reduceat(alignment.relevance.astype(np.float64), edges)
    low, high = float(alignment.relevance.min()), float(alignment.relevance.max())
    scaled = (highest - low) / max(high - low, 1e-9)
    sure = alignment.confidence
    return {
        "seconds": alignment.duration,
        "rate": float(alignment.rate),
        "frames": alignment.frames,
        "times": np.round(alignment.times[edges].astype(np.float64), 3).tolist(),
        "relevance": np.round(scaled, 4).tolist(),
        "sentences": [
            {
                "text": text,
                "confidence": None if sure is None else round(float(sure[i]), 4),
                "found": place is not None,
                "start": None if place is None else float(place.start),
                "end": None if place is None else float(place.end),
            }
            for i, (text, place) in enumerate(zip(alignment.document, places(alignment), strict=True))
        ],
        "fit": alignment.fit,
        "encoder": alignment.encoder,
    }
