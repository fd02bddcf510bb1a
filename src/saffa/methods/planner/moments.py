"""Which moment each sentence gets: as many sentences as the output has room for, each likely to be seen in its step.

A sentence is seen if a second of output lies in its step at 2x or slower. From the chance that it is shown at each
time follows the chance that a moment will do: a second of source at 1x, or two at 2x, must lie inside. A long moment is
surer but dearer; it is shown at 2x, for then the same output reaches twice as far. One price for a second of output
decides for all sentences how sure they should be, so that as many as possible are seen.

People hear whole sentences. Where the spoken lines are known, two things bring the edges of slow stretches to the
pauses between them: the planner pays a toll for a slow stretch that begins or ends inside a line, and the moment of a
sentence becomes whole lines where there are short enough ones. How much either may cost follows the room that there
is: the seconds of output for each sentence. The length stays exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles, Ints

TOLL, HIGHEST_TOLL = 0.4, 8.0
"""Of an edge inside a line for each second of room, and at most; in deviations of the reward, at 25 frames a second."""
NEAR = 0.25
"""Seconds from the beginning or the end of a line within which an edge is not heard as inside."""
STRETCH, LONGEST = 5.0, 30.0
"""Seconds of lines that a moment may be for each second of room, and at most."""
SHORTEST, OUTSIDE = 1.0, 2.0
"""Seconds of lines that a moment needs at least, and how far it may reach beyond the time that is its sentence's."""
TOGETHER = 8
"""Lines that a moment may be made of."""
SPARE = (-0.9, -0.6, -0.3, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0, 30.0)
"""Seconds that the step's edge may be off: a moment is twice what must lie inside, and this much longer."""
STEP = 0.25
"""Seconds between the places that are tried."""
REACH = 0.45
"""A step begins this share of its length before its middle: less than half, for lengths differ."""
RAMP = 8.0
"""Frames that it takes to slow down and to speed up again."""
LOWEST_PRICE, HIGHEST_PRICE = 0.03, 10.0
"""Sentences for a second of output; below the lowest, relevance has more use for it."""
CUT_OFF = 0.1
"""Of a sentence, that an edge inside a spoken line is worth to avoid."""
GLIMPSE = 0.25
"""Seconds of a sentence that is to be shown though there is no room for a moment."""
ROUNDS = 40


@dataclass(frozen=True, eq=False)
class WholeLines:
    """The spoken lines of a video, (L, 2) seconds in order, and the seconds of output for each sentence."""

    lines: Doubles
    room: float

    @classmethod
    def of(cls, lines: Doubles, room: float) -> WholeLines:
        """Lines in order, each ending where the next begins at the latest: rolling captions overlap."""
        ordered = lines[np.argsort(lines[:, 0], kind="stable")]
        ends = np.minimum(ordered[:, 1], np.append(ordered[1:, 0], np.inf))
        return cls(np.stack([ordered[:, 0], ends], axis=1)[ends > ordered[:, 0]], room)

    def tolls(self, frames: int, rate: float) -> Doubles:
        """What a slow stretch pays for beginning or ending at each frame, shape (frames,)."""
        toll = min(TOLL * self.room, HIGHEST_TOLL) * rate / 25
        return toll * inside_lines(self.lines, frames, rate, NEAR)

    def within(self, first: float, end: float) -> list[tuple[float, float]]:
        """Begin and end of each run of whole lines that lies within a stretch, up to OUTSIDE on either side."""
        starts, ends = self.lines[:, 0], self.lines[:, 1]
        low = int(np.searchsorted(starts, first - OUTSIDE))
        high = int(np.searchsorted(ends, end + OUTSIDE, side="right"))
        longest = min(STRETCH * self.room, LONGEST)
        return [
            (float(starts[i]), float(ends[j]))
            for i in range(low, high)
            for j in range(i, min(i + TOGETHER, high))
            if SHORTEST <= ends[j] - starts[i] <= longest
        ]

    def cut_off(self, times: Doubles) -> Doubles:
        """1 for each time inside a line further than NEAR from its ends, else 0, shape as `times`."""
        line = np.clip(np.searchsorted(self.lines[:, 0], times, side="right") - 1, 0, len(self.lines) - 1)
        inside = (times > self.lines[line, 0] + NEAR) & (times < self.lines[line, 1] - NEAR)
        return np.asarray(inside, np.float64)


def inside_lines(lines: Doubles, frames: int, rate: float, near: float) -> Doubles:
    """1 for frames inside a spoken line further than `near` seconds from its ends, else 0, shape (frames,)."""
    change = np.zeros(frames + 1)
    first = np.clip(np.floor((lines[:, 0] + near) * rate) + 1, 0, frames).astype(np.int64)
    last = np.clip(np.ceil((lines[:, 1] - near) * rate), 0, frames).astype(np.int64)
    whole = first < last
    np.add.at(change, first[whole], 1.0)
    np.add.at(change, last[whole], -1.0)
    inside = np.cumsum(change[:-1]) > 0
    inside[:1] = False  # the video has to begin somewhere
    return inside.astype(np.float64)


@dataclass(frozen=True)
class Moment:
    """From `first` to `end` seconds of the source, every `skip`-th frame."""

    first: float
    end: float
    skip: int


@dataclass(frozen=True, eq=False)
class Options:
    """Moments that sentences could have, by rising sentence, each with the chance to be seen; all (M,)."""

    sentence: Ints
    first: Doubles
    end: Doubles
    skip: Ints
    chance: Doubles

    def cost(self, fastest: int, rate: float) -> Doubles:
        """Seconds of output that each takes beyond what passes there anyway."""
        return (self.end - self.first) * (1 / self.skip - 1 / fastest) + RAMP / rate

    def best(self, worth: Doubles, *, every: bool = False) -> Ints:
        """The option of each sentence that is worth most; unless `every`, only where that is more than nothing."""
        order = np.lexsort((-worth, self.sentence))
        top = order[np.unique(self.sentence[order], return_index=True)[1]]
        return np.asarray(top[every | (worth[top] > 0)], np.int64)


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
        seen = np.where(end - first < skip, 0.0, np.where(late >= early, apart, inside))
        return np.clip(seen, 0.0, 1.0)


def moments(
    alignment: Alignment, seconds: float, fastest: int, lines: WholeLines | None = None, *, every: bool = False
) -> dict[int, Moment]:
    """The moment of each sentence that gets one, for so many seconds of output beyond those of the fastest speed.

    With `every` each found sentence gets a glimpse at least, even if that takes more seconds.
    """
    options = all_options(alignment, lines, glimpses=every)
    if not len(options.sentence):
        return {}
    cost, worth = options.cost(fastest, float(alignment.rate)), options.chance
    if lines is not None:
        worth = worth - CUT_OFF * (lines.cut_off(options.first) + lines.cut_off(options.end))
    return {
        int(options.sentence[i]): Moment(float(options.first[i]), float(options.end[i]), int(options.skip[i]))
        for i in affordable(options, worth, cost, seconds, every=every)
    }


def affordable(options: Options, worth: Doubles, cost: Doubles, seconds: float, *, every: bool = False) -> Ints:
    """The best options at the lowest price at which all that are taken fit into `seconds`."""
    low, high = LOWEST_PRICE, HIGHEST_PRICE
    taken = options.best(worth - low * cost, every=every)
    if cost[taken].sum() <= seconds:
        return taken
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        fits = cost[options.best(worth - middle * cost, every=every)].sum() <= seconds
        low, high = (low, middle) if fits else (middle, high)
    return options.best(worth - high * cost, every=every)


def all_options(alignment: Alignment, lines: WholeLines | None, *, glimpses: bool = False) -> Options:
    """Of each found sentence, within the time that belongs to it."""
    times, relevance = alignment.times.astype(np.float64), alignment.relevance.astype(np.float64)
    any_step = ((relevance - relevance.min()) / max(float(np.ptp(relevance)), 1e-9)) ** 2
    found: list[tuple[int, float, float, int, float]] = []
    for k, runs in sorted(runs_of(alignment).items()):
        where = Whereabouts.of(times, any_step * alignment.sentence_weights[:, k])
        found += [(k, *option) for option in around(where, runs)]
        found += [(k, *option) for option in of_lines(where, runs, lines)]
        found += [(k, *glimpse(where, runs))] if glimpses else []
    sentence, first, end, skip, chance = np.array(found, np.float64).reshape(-1, 5).T
    return Options(sentence.astype(np.int64), first, end, skip.astype(np.int64), chance)


def owners(alignment: Alignment) -> Ints:
    """The sentence that each time of the alignment belongs to, -1 for none, shape (T,)."""
    return np.array([-1 if one is None else one for one in alignment.sentence_at(alignment.times.tolist())], np.int64)


def runs_of(alignment: Alignment) -> dict[int, list[tuple[float, float]]]:
    """Begin and end, in seconds, of the stretches that belong to each found sentence that has any."""
    owner, found = owners(alignment), alignment.found()
    borders = np.concatenate([[0.0], (alignment.times[1:] + alignment.times[:-1]) / 2, [alignment.duration]])
    changes = np.flatnonzero(np.diff(owner, prepend=-2, append=-2)).tolist()
    runs: dict[int, list[tuple[float, float]]] = {}
    for a, b in pairwise(changes):
        if owner[a] >= 0 and found[owner[a]]:
            runs.setdefault(int(owner[a]), []).append((float(borders[a]), float(borders[b])))
    return runs


def around(where: Whereabouts, runs: list[tuple[float, float]]) -> Iterator[tuple[float, float, int, float]]:
    """For each length the likeliest place within the runs, the middle one of several that are as likely."""
    for spare in SPARE:
        skip = 1 if spare <= 0 else 2
        length = 2 * skip + spare
        begins = [np.arange(a, max(a, b - length) + STEP / 2, STEP) for a, b in runs]
        first = np.concatenate(begins)
        end = np.minimum(first + length, np.repeat([b for _, b in runs], [len(part) for part in begins]))
        chance = where.seen(first, end, skip)
        likely = np.flatnonzero(chance >= chance.max() - 1e-4)
        place = likely[len(likely) // 2]
        yield float(first[place]), float(end[place]), skip, float(chance[place])


def glimpse(where: Whereabouts, runs: list[tuple[float, float]]) -> tuple[float, float, int, float]:
    """A bit of the likeliest time: too short to be seen as a step, but the sentence is not left out."""
    begins = [np.arange(a, max(a, b - GLIMPSE) + STEP / 2, STEP) for a, b in runs]
    first = np.concatenate(begins)
    end = np.minimum(first + GLIMPSE, np.repeat([b for _, b in runs], [len(part) for part in begins]))
    place = int(np.interp((first + end) / 2, where.times, where.shown).argmax())
    return float(first[place]), float(end[place]), 1, 0.0


def of_lines(
    where: Whereabouts, runs: list[tuple[float, float]], lines: WholeLines | None
) -> Iterator[tuple[float, float, int, float]]:
    """Whole spoken lines, one or several, within (or nearly within) the runs."""
    if lines is None:
        return
    for a, b in runs:
        for first, end in lines.within(a, b):
            skip = 1 if end - first < 4 else 2
            chance = where.seen(np.array([max(first, a)]), np.array([min(end, b)]), skip)
            yield first, end, skip, float(chance[0])
