"""Stretches of a video at one speed, merged to as many as an editing program can handle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from saffa.core.timeline import Segment
from saffa.core.types import Doubles, Ints

SHORTEST = Fraction(1, 2)
"""Seconds of output that a merged segment lasts at least."""
_MOST_EDGES = 600  # places considered for an edge; the largest changes of speed come first


def merged(segments: Sequence[Segment], rate: Fraction, at_most: int, shortest: Fraction = SHORTEST) -> list[Segment]:
    """At most so many segments of constant speed, each at least `shortest` seconds of output long.

    Their edges are chosen so that the squared error in speed, summed over all output frames, is least (dynamic
    programming over the edges). At its edges a merged segment shows exactly the frame that was planned, so the
    total length stays the same to the frame. Parts between cuts are never merged with each other; there must be
    room for at least one segment for each.
    """
    parts = _parts(segments)
    if at_most < len(parts):
        raise ValueError(f"{len(parts)} parts between cuts do not fit into {at_most} segments")
    least = max(1, ceil(shortest * rate))
    edges = _edges(segments, rate, least)
    choice = _best_edges(edges, parts, at_most, least)
    return [_joined(segments, rate, edges, a, b) for a, b in choice]


def _parts(segments: Sequence[Segment]) -> list[int]:
    """Index of the first segment of every part between cuts."""
    return [0, *(i for i, (a, b) in enumerate(pairwise(segments), 1) if a.source_end != b.source_start)]


@dataclass(frozen=True)
class _Edges:
    """Places where a merged segment may begin or end.

    segment  (E,)  the segment in which it lies, or that begins there
    slot     (E,)  output frames before it
    speed    (E,)  sum of the speeds of these frames
    square   (E,)  sum of the squares of these speeds
    """

    segment: Ints
    slot: Ints
    speed: Doubles
    square: Doubles


def _edges(segments: Sequence[Segment], rate: Fraction, least: int) -> _Edges:
    counts = np.array([int(s.slots(rate)) for s in segments])
    speeds = np.array([float(s.speed) for s in segments])
    ends = np.cumsum(counts)
    starts = ends - counts
    kept = _largest_changes(segments, starts, speeds)
    # A short neighbour may borrow from a long segment: the shortest length away from its ends there are edges too.
    long = kept[counts[kept] > least]
    inside = np.concatenate([starts[long] + least, ends[long] - least])
    slot = np.unique(np.concatenate([starts[kept], inside, ends[-1:]]))
    segment = np.minimum(np.searchsorted(ends, slot, side="right"), len(segments) - 1)
    within = slot - starts[segment]
    speed = np.concatenate([[0.0], np.cumsum(counts * speeds)])[segment] + within * speeds[segment]
    square = np.concatenate([[0.0], np.cumsum(counts * speeds**2)])[segment] + within * speeds[segment] ** 2
    return _Edges(segment, slot, speed, square)


def _largest_changes(segments: Sequence[Segment], starts: Ints, speeds: Doubles) -> Ints:
    change = np.abs(np.diff(speeds, prepend=speeds[:1]))
    change[_parts(segments)] = np.inf
    return np.sort(np.argsort(-change, kind="stable")[: min(_MOST_EDGES, len(starts))])


def _best_edges(edges: _Edges, parts: Sequence[int], at_most: int, least: int) -> list[tuple[int, int]]:
    """Pairs of edges, one pair a merged segment, in order."""
    cost = _costs(edges, parts, least)
    reach: list[Doubles] = [np.full(len(cost), np.inf)]
    reach[0][0] = 0.0
    origin: list[NDArray[np.intp]] = []
    for _ in range(at_most):
        total = reach[-1][:, None] + cost
        origin.append(total.argmin(0))
        reach.append(total.min(0))
    errors = [float(row[-1]) for row in reach]
    used = next(i for i, error in enumerate(errors) if error <= min(errors) * (1 + 1e-9) + 1e-9)
    pairs, end = [], len(cost) - 1
    for row in reversed(origin[:used]):
        start = int(row[end])
        pairs.append((start, end))
        end = start
    return pairs[::-1]


def _costs(edges: _Edges, parts: Sequence[int], least: int) -> Doubles:
    """Squared error in speed of one segment from edge i to edge j, infinite where it must not be, shape (E, E)."""
    length = edges.slot[None, :] - edges.slot[:, None]
    speed = edges.speed[None, :] - edges.speed[:, None]
    square = edges.square[None, :] - edges.square[:, None]
    cost: Doubles = np.maximum(square - speed**2 / np.maximum(length, 1), 0.0)
    first = np.searchsorted(edges.segment, parts)  # the edges at which parts begin
    bounds = np.append(edges.slot[first], edges.slot[-1])
    part = np.searchsorted(bounds, edges.slot, side="right") - 1
    whole = np.append(np.diff(bounds), 0)[np.minimum(part, len(bounds) - 1)]  # a short part is one segment
    wrong = length < np.minimum(least, whole)[:, None]
    wrong |= edges.slot[None, :] > np.append(bounds[1:], bounds[-1])[part][:, None]
    cost[wrong | (length <= 0)] = np.inf
    return cost


def _joined(segments: Sequence[Segment], rate: Fraction, edges: _Edges, a: int, b: int) -> Segment:
    start, end = _moment(segments, rate, edges, a, False), _moment(segments, rate, edges, b, True)
    slots = int(edges.slot[b] - edges.slot[a])
    shown: Counter[int | None] = Counter()
    first, last = int(edges.segment[a]), int(edges.segment[b])
    for segment in segments[first : last + 1]:
        inside = min(end, segment.source_end) - max(start, segment.source_start)
        if inside > 0:
            shown[segment.sentence] += int(inside * rate / segment.speed)
    sentence = max(shown, key=lambda s: (shown[s], s is not None), default=None)
    return Segment(start, end, (end - start) * rate / slots, sentence)


def _moment(segments: Sequence[Segment], rate: Fraction, edges: _Edges, edge: int, as_end: bool) -> Fraction:
    """Source time at an edge; at a cut it depends on the side."""
    at, slot = int(edges.segment[edge]), int(edges.slot[edge])
    within = slot - sum(int(s.slots(rate)) for s in segments[:at])
    if as_end and within == 0 and at > 0:
        return segments[at - 1].source_end
    return segments[at].source_start + within * segments[at].speed / rate
