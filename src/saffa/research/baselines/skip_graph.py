"""MIFF's graph of frames and its shortest path (method_bot.md §2).

Nodes are the frames of a range, edges jumps of 1..reach frames. A jump of d frames costs

    W(i, j) = G_r(d) · Σ_t w_t T_t(i, j),    T among instability F, velocity V, appearance A, semantics M,

and G_r brings in the range's speed S_r: ⌈d/S_r⌉ in a range of level 0, (⌈d/S_r⌉ - 1) S_r + 1 in a semantic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from saffa.core.types import Doubles, Flags, Floats, Ints
from saffa.research.baselines.ranges import ScoreRange

REACH = 100
EPSILON = 1.0
"""Keeps the semantic term M(i, j) = 1 / (s_i + s_j + EPSILON) finite."""
LANES = 16
"""Paths are searched by so many at a time, which fill the SIMD registers."""


@dataclass(frozen=True, eq=False)
class SkipGraph:
    """Terms of all edges, (terms, F, reach): the jump of d frames that lands on j stands at [:, j, d - 1]."""

    terms: Floats = field(repr=False)

    @classmethod
    def of(cls, terms: Sequence[Floats]) -> SkipGraph:
        """Each term divided by its mean over the edges that exist, which the search for weights makes harmless."""
        return cls(np.stack([normalised(term) for term in terms]))

    def path(self, ranges: Sequence[ScoreRange], speeds: Sequence[float], weights: Doubles) -> Ints:
        """Selected frames: the shortest path through each range, first and last frame of it fixed.

        `speeds` by level; `weights` (2, terms) for level 0 and for all others.
        """
        return self.paths(ranges, speeds, weights[None])[0]

    def paths(self, ranges: Sequence[ScoreRange], speeds: Sequence[float], weights: Doubles) -> list[Ints]:
        """The path under each of many weights, (N, 2, terms); together they take little longer than one alone."""
        bounds = np.array([(r.start, r.end, r.level > 0) for r in ranges], np.int64)
        pace = np.array([speeds[r.level] for r in ranges], np.float64)
        lanes = np.zeros((*weights.shape[1:], -(-len(weights) // LANES) * LANES), np.float32)
        lanes[..., : len(weights)] = weights.transpose(1, 2, 0)
        chosen = _paths(self.terms, bounds, pace, lanes, len(weights))
        return [np.flatnonzero(path) for path in chosen]


def semantic_term(score: Doubles, reach: int) -> Floats:
    """M of every edge, (F, reach)."""
    out = np.zeros((len(score), reach), np.float32)
    for d in range(1, reach + 1):
        out[d:, d - 1] = 1 / (score[d:] + score[:-d] + EPSILON)
    return out


def normalised(term: Floats) -> Floats:
    """Mean 1 over the edges that exist; a term that is 0 everywhere stays so."""
    frames, reach = term.shape
    edges = frames * reach - reach * (reach + 1) // 2
    mean = float(term.sum(dtype=np.float64)) / max(edges, 1)
    return term / np.float32(mean) if mean > 0 else term


@njit(cache=True)
def jump_factor(d: int, speed: float, semantic: bool) -> float:
    """G_r(d)."""
    rounds = float(np.ceil(d / speed))
    return (rounds - 1) * speed + 1 if semantic else rounds


@njit(cache=True)
def _paths(terms: Floats, bounds: Ints, pace: Doubles, weights: Floats, count: int) -> Flags:
    """Frames on the shortest paths, (count, F), for weights (2, terms, N): N ≥ count stands last, a SIMD lane each."""
    _, frames, reach = terms.shape
    chosen = np.zeros((count, frames), np.bool_)
    total = np.zeros((frames, weights.shape[2]), np.float64)
    cost = np.zeros(weights.shape[2], np.float32)
    for r in range(len(bounds)):
        start, end, semantic = bounds[r, 0], bounds[r, 1], bounds[r, 2]
        factor = np.array([jump_factor(d + 1, pace[r], semantic == 1) for d in range(reach)], np.float32)
        _forward(terms, start, end, factor, weights[semantic], total, cost)
        for n in range(count):
            _backward(terms, start, end, factor, weights[semantic, :, n], total[:, n], chosen[n])
    return chosen


@njit(cache=True)
def _forward(
    terms: Floats, start: int, end: int, factor: Floats, weights: Floats, total: Doubles, cost: Floats
) -> None:
    """Least cost of reaching each frame of a range into `total` (F, N); `cost` (N,) is room to work in."""
    kinds, _, reach = terms.shape
    count = weights.shape[1]
    total[start] = 0.0
    for j in range(start + 1, end):
        here = total[j]
        here[:] = np.inf
        for d in range(min(reach, j - start), 0, -1):
            there = total[j - d]
            term = terms[0, j, d - 1]
            for n in range(count):
                cost[n] = weights[0, n] * term
            for k in range(1, kinds):
                term = terms[k, j, d - 1]
                for n in range(count):
                    cost[n] += weights[k, n] * term
            for n in range(count):
                by_here = there[n] + factor[d - 1] * cost[n]
                here[n] = by_here if by_here < here[n] else here[n]


@njit(cache=True)
def _backward(
    terms: Floats,
    start: int,
    end: int,
    factor: Floats,
    weights: Floats,
    total: Doubles,
    chosen: Flags,
) -> None:
    """Mark one path's frames, from the end of the range to its start, in `chosen` (F,)."""
    kinds, _, reach = terms.shape
    j = end - 1
    chosen[j] = True
    while j > start:
        best, place = np.inf, j - 1
        for d in range(min(reach, j - start), 0, -1):  # the earliest of equal predecessors wins
            cost = np.float32(0.0)
            for k in range(kinds):
                cost += weights[k] * terms[k, j, d - 1]
            there = total[j - d] + factor[d - 1] * cost
            if there < best:
                best, place = there, j - d
        j = place
        chosen[j] = True
