"""Levels and ranges of a video by its score, as SAS and MIFF cut it, and how fast each level plays (method_bot.md §3).

Level by level, T_s frames above it and T_ns others must together play at S_b (the target, then the speed of the level
below): S_s for the former, S_ns for the latter (§3.5, 3.6 and 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from saffa.core.types import Doubles, Flags

BINS = 256
NEW_LEVEL = 0.2
"""A further threshold must rise by this share of the largest smoothed score."""
JOIN, SHORTEST_SECONDS, SHORTEST = 5.0, 3.0, 50
"""Seconds that may lie between frames of one range; least length of a range in seconds and in frames."""
SCALE = 100.0


@dataclass(frozen=True)
class ScoreRange:
    """Frames [start, end) of one level; level 0 is the rest of the video."""

    start: int
    end: int
    level: int

    @property
    def frames(self) -> int:
        """Length."""
        return self.end - self.start


def scaled_score(score: Doubles) -> Doubles:
    """0..100 within the video, all 0 if it is constant (method_bot.md §5: eps and the thresholds expect that scale)."""
    spread = float(np.ptp(score))
    return np.zeros(len(score)) if spread <= 1e-9 else SCALE * (score - score.min()) / spread


def score_ranges(score: Doubles, rate: float, absorb: int) -> list[ScoreRange]:
    """Ranges that cover the video in order; gaps of level 0 shorter than `absorb` frames go to their neighbour."""
    found: list[ScoreRange] = []
    higher = np.zeros(len(score), bool)
    for level, threshold in reversed(list(enumerate(thresholds(smoothed(score, rate)), 1))):
        marked = (score >= threshold) & ~higher
        for start, end in _joined(marked, higher, int(JOIN * rate)):
            if end - start >= max(round(SHORTEST_SECONDS * rate), SHORTEST):
                higher[start:end] = True
                found.append(ScoreRange(start, end, level))
    return _covered(_renumbered(sorted(found, key=lambda r: r.start)), len(score), absorb)


def smoothed(score: Doubles, rate: float) -> Doubles:
    """Gaussian window of five seconds, its edge at 2.5 deviations, zeros outside the video."""
    length = max(1, round(5 * round(rate)))
    half = (length - 1) / 2
    window = np.exp(-0.5 * (2.5 * (np.arange(length) - half) / max(half, 1.0)) ** 2)
    full = np.convolve(score, window / window.sum())
    first = (length - 1) // 2
    return full[first : first + len(score)]


def thresholds(values: Doubles) -> list[float]:
    """Otsu's threshold, then again of what lies above it, until one rises too little; that one is kept."""
    top, found, last = float(values.max()), list[float](), 0.0
    while len(values) >= 2 and np.ptp(values) > 0:
        found.append(otsu(values))
        if found[-1] - last <= NEW_LEVEL * top:
            break
        last = found[-1]
        values = values[values > last]
    return found


def otsu(values: Doubles) -> float:
    """The threshold between BINS bins that best separates the values into two classes; of equal ones their mean."""
    counts, edges = np.histogram(values, BINS)
    centres = (edges[1:] + edges[:-1]) / 2
    below, weighted = np.cumsum(counts), np.cumsum(counts * centres)
    above = len(values) - below
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = below * above * (weighted / below - (weighted[-1] - weighted) / above) ** 2
    best = np.flatnonzero(apart >= np.nanmax(apart) * (1 - 1e-12))
    return float(edges[1 + best].mean())


def _joined(marked: Flags, higher: Flags, gap: int) -> list[tuple[int, int]]:
    """Runs [start, end) of marked frames; those at most `gap` frames apart are one, if nothing higher lies between."""
    places = np.flatnonzero(marked)
    if not len(places):
        return []
    blocked = np.cumsum(higher)
    between = np.diff(places) - 1
    cut = (between > gap) | (blocked[places[1:]] > blocked[places[:-1]])
    starts = places[np.concatenate([[True], cut])]
    ends = places[np.concatenate([cut, [True]])] + 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _renumbered(ranges: list[ScoreRange]) -> list[ScoreRange]:
    """Levels 1, 2, … without those that are empty."""
    levels = {level: number for number, level in enumerate(sorted({r.level for r in ranges}), 1)}
    return [ScoreRange(r.start, r.end, levels[r.level]) for r in ranges]


def _covered(ranges: list[ScoreRange], frames: int, absorb: int) -> list[ScoreRange]:
    """The rest of the video as ranges of level 0, or part of the range before it (at the start: after it)."""
    if not ranges:
        return [ScoreRange(0, frames, 0)]
    whole: list[ScoreRange] = []
    start = 0
    for current in ranges:
        gap = current.start - start
        if gap and whole and gap < absorb:
            whole[-1] = ScoreRange(whole[-1].start, current.start, whole[-1].level)
        elif gap >= absorb or (gap and whole):
            whole.append(ScoreRange(start, current.start, 0))
        first = 0 if not whole else current.start
        whole.append(ScoreRange(first, current.end, current.level))
        start = current.end
    if frames - start >= absorb:
        whole.append(ScoreRange(start, frames, 0))
    elif frames > start:
        whole[-1] = ScoreRange(whole[-1].start, frames, whole[-1].level)
    return whole


FASTEST = 100
TOLERANCE = 0.5
"""How far the speed that a pair gives together may be off (length-fair); the graph's search corrects the rest."""


@dataclass(frozen=True)
class LevelSplit:
    """What a level has to divide: frames above it, the others, and the speed of both together."""

    semantic: int
    rest: int
    speed: float

    @property
    def p(self) -> float:
        """LevelSplit of the frames above the level."""
        return self.semantic / (self.semantic + self.rest)

    def achieved(self, fast_s: Doubles, fast_ns: Doubles) -> Doubles:
        """Speed of both together."""
        together: Doubles = (self.semantic + self.rest) / (self.semantic / fast_s + self.rest / fast_ns)
        return together

    def fitness(self, fast_s: Doubles, fast_ns: Doubles) -> Doubles:
        """2 |S_s - p S_b| + (1 - p) |S_ns - S_s|."""
        cost: Doubles = 2 * np.abs(fast_s - self.p * self.speed) + (1 - self.p) * np.abs(fast_ns - fast_s)
        return cost


def level_speeds(ranges: Sequence[ScoreRange], target: float, tolerance: float = TOLERANCE) -> list[float]:
    """Speed of level 0, 1, …, K. Without levels the whole video plays at the target."""
    levels = max(r.level for r in ranges)
    handed, base = sum(r.frames for r in ranges), target
    speeds: list[float] = []
    for level in range(1, levels + 1):
        semantic = sum(r.frames for r in ranges if r.level >= level)
        share = LevelSplit(semantic, handed - semantic, base)
        if share.rest == 0:  # nothing to take the time from
            base, fast_ns = share.speed, share.speed
        else:
            base, fast_ns = length_fair(share, tolerance)
        speeds.append(fast_ns)
        handed = semantic
    return [*speeds, base]


def length_fair(share: LevelSplit, tolerance: float = TOLERANCE) -> tuple[float, float]:
    """(S_s, S_ns) of least fitness among pairs that play at S_b ± tolerance; none: the nearest to S_b."""
    fast_s, fast_ns = _pairs(share)
    kept = fast_ns <= 2 * share.speed
    fast_s, fast_ns = fast_s[kept], fast_ns[kept]
    off = np.abs(share.achieved(fast_s, fast_ns) - share.speed)
    cost = share.fitness(fast_s, fast_ns)
    fair = off <= tolerance
    best = int(np.where(fair, cost, np.inf).argmin()) if fair.any() else int(off.argmin())
    return float(fast_s[best]), float(fast_ns[best])


def _pairs(share: LevelSplit) -> tuple[Doubles, Doubles]:
    """Pairs of all whole S_s ≤ S_ns with S_ns ≥ S_b and S_s > p S_b."""
    highest = max(FASTEST, ceil(2 * share.speed))
    fast_s, fast_ns = np.meshgrid(np.arange(1.0, highest + 1), np.arange(1.0, highest + 1), indexing="ij")
    kept = (fast_s <= fast_ns) & (fast_ns >= share.speed) & (fast_s > share.p * share.speed)
    return fast_s[kept], fast_ns[kept]
