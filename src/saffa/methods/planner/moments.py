"""Which moment each sentence gets: as many sentences as the output has room for, each likely to be seen in its step.

A sentence is seen if a second of output lies in its step at 2x or slower. From the chance that it is shown at each
time follows the chance that a moment will do: a second of source at 1x, or two at 2x, must lie inside. A long moment is
surer but dearer; it is shown at 2x, for then the same output reaches twice as far. One price for a second of output
decides for all sentences how sure they should be, so that as many as possible are seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from saffa.core.alignment import Alignment, follows
from saffa.core.types import Doubles, Ints
from saffa.methods.planner.whole_lines import WholeLines

SPARE = (-0.9, -0.6, -0.3, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0, 30.0)
"""Seconds that the step's edge may be off: a moment is twice what must lie inside, and this much longer."""
STEP = 0.25
"""Seconds between the places that are tried."""
REACH = 0.45
"""A step begins this share of its length before its middle: less than half, for lengths differ."""
RAMP = 8.0
"""Frames that it takes to slow down and to speed up again."""
LOWEST_PRICE, HIGHEST_PRICE = 0.005, 10.0
"""Sentences for a second of output."""
CUT_OFF = 0.02
"""Of a sentence, that an edge inside a spoken line is worth to avoid."""
ROUNDS = 40


@dataclass(frozen=True)
class Moment:
    """From `first` to `end` seconds of the source, every `skip`-th frame."""

    first: float
    end: float
    skip: int


@dataclass(frozen=True, eq=False)
class Options:
    """Moments that a sentence could have: begin and end, (M,), how many frames a step, the chance to be seen, (M,)."""

    first: Doubles
    end: Doubles
    skip: Ints
    chance: Doubles


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """What is known of when a sentence is shown: the chance for each time, that it has begun, that it is over, (T,)."""

    times: Doubles
    shown: Doubles
    begun: Doubles
    over: Doubles

    @classmethod
    def of(cls, times: Doubles, shown: Doubles) -> Whereabouts:
        """From the chance alone: all of it together is the length of the step, and it says where the middle is."""
        cell = float(times[-1] - times[0]) / max(1, len(times) - 1) or 1.0
        cells = max(float(shown.sum()), 1.0)
        middle = np.cumsum(shown) / cells
        over = np.interp(times - REACH * cells * cell, times, middle, left=0.0)
        begun = np.interp(times + REACH * cells * cell, times, middle)
        return cls(times, shown, np.maximum(begun, over + shown), over)

    def seen(self, first: Doubles, end: Doubles, skip: Ints | int) -> Doubles:
        """Chance that `skip` seconds of each moment lie inside the step, shape as `first`."""
        late, early = end - skip, first + skip
        apart = np.interp(late, self.times, self.begun) - np.interp(early, self.times, self.over)
        inside = np.minimum(np.interp(late, self.times, self.shown), np.interp(early, self.times, self.shown))
        return np.where(end - first < skip, 0.0, np.where(late >= early, apart, inside))


def moments(
    alignment: Alignment, seconds: float, fastest: int, lines: WholeLines | None = None
) -> dict[int, Moment]:
    """The moment of each sentence that gets one, for so many seconds of output beyond those of the fastest speed."""
    sentences, options = [], []
    for sentence, found in sentence_options(alignment, lines):
        sentences.append(sentence)
        options.append(found)
    if not options:
        return {}
    first, end, chance = (np.concatenate([getattr(o, name) for o in options]) for name in ("first", "end", "chance"))
    skip = np.concatenate([o.skip for o in options])
    cost = (end - first) * (1 / skip - 1 / fastest) + RAMP / float(alignment.rate)
    if lines is not None:
        chance = chance - CUT_OFF * (lines.cut_off(first) + lines.cut_off(end))
    begins = np.cumsum([0, *(len(o.chance) for o in options[:-1])])

    def best(price: float) -> Ints:
        """The best option of each sentence that is worth its price."""
        value = chance - price * cost
        top = np.maximum.reduceat(value, begins)
        owner = np.repeat(np.arange(len(begins)), [len(o.chance) for o in options])
        places = np.flatnonzero(value == top[owner])
        places = places[np.unique(owner[places], return_index=True)[1]]
        return np.asarray(places[value[places] > 0], np.int64)

    low, high = LOWEST_PRICE, HIGHEST_PRICE
    taken = best(low)
    if cost[taken].sum() > seconds:
        for _ in range(ROUNDS):
            middle = (low + high) / 2
            taken = best(middle)
            low, high = (middle, high) if cost[taken].sum() > seconds else (low, middle)
        taken = best(high)
    owner = np.searchsorted(begins, taken, side="right") - 1
    return {
        sentences[k]: Moment(float(first[i]), float(end[i]), int(skip[i]))
        for k, i in zip(owner.tolist(), taken.tolist(), strict=True)
    }


def sentence_options(alignment: Alignment, lines: WholeLines | None) -> Iterator[tuple[int, Options]]:
    """Each found sentence that some time belongs to, with its options there."""
    times = alignment.times.astype(np.float64)
    relevance = alignment.relevance.astype(np.float64)
    scaled = ((relevance - relevance.min()) / max(float(np.ptp(relevance)), 1e-9)) ** 2
    owner = np.where(follows(alignment.relevance), alignment.sentence_weights.argmax(1), -1)
    borders = np.concatenate([[0.0], (times[1:] + times[:-1]) / 2, [alignment.duration]])
    changes = np.flatnonzero(np.diff(owner, prepend=-2, append=-2))
    runs: dict[int, list[tuple[float, float]]] = {}
    for a, b in zip(changes[:-1].tolist(), changes[1:].tolist(), strict=True):
        if owner[a] >= 0:
            runs.setdefault(int(owner[a]), []).append((float(borders[a]), float(borders[b])))
    for sentence in np.flatnonzero(alignment.found()).tolist():
        if sentence in runs:
            where = Whereabouts.of(times, scaled * alignment.sentence_weights[:, sentence])
            found = [*_around(where, runs[sentence]), *([] if lines is None else _lines(where, runs[sentence], lines))]
            if found:
                columns = zip(*found, strict=True)
                first, end, skip, chance = (np.array(column) for column in columns)
                yield sentence, Options(first, end, skip.astype(np.int64), chance)


def _around(where: Whereabouts, runs: list[tuple[float, float]]) -> Iterator[tuple[float, float, int, float]]:
    """For each length the likeliest place within the runs of time that belong to the sentence."""
    for spare in SPARE:
        skip = 1 if spare <= 0 else 2
        first = np.concatenate([np.arange(a, max(a, b - 2 * skip - spare) + STEP / 2, STEP) for a, b in runs])
        counts = [len(np.arange(a, max(a, b - 2 * skip - spare) + STEP / 2, STEP)) for a, b in runs]
        end = np.minimum(first + 2 * skip + spare, np.repeat([b for _, b in runs], counts))
        chance = where.seen(first, end, skip)
        likely = np.flatnonzero(chance >= chance.max() - 1e-4)
        place = likely[len(likely) // 2]
        yield float(first[place]), float(end[place]), skip, float(chance[place])


def _lines(
    where: Whereabouts, runs: list[tuple[float, float]], lines: WholeLines
) -> Iterator[tuple[float, float, int, float]]:
    """Whole spoken lines, one or several, within (or nearly within) the runs of time that belong to the sentence."""
    for a, b in runs:
        for first, end in lines.within(a, b):
            skip = 1 if end - first < 4 else 2
            chance = where.seen(np.array([max(first, a)]), np.array([min(end, b)]), skip)
            yield first, end, skip, float(chance[0])
