"""Merging segments: exact length, least error against all ways to merge, cuts never bridged."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.segments import Segment, Step, merged, segments_between, steps_of

RATE = Fraction(30_000, 1001)


def segments(skips: list[int], sentences: list[int | None] | None = None) -> tuple[Segment, ...]:
    edges = [Fraction(int(frame)) / RATE for frame in np.cumsum([0, *skips])]
    return segments_between(edges, RATE, sentences or [None] * len(skips))


def error(skips: list[int], edges: list[int]) -> float:
    return sum(float(np.var(skips[a:b]) * (b - a)) for a, b in pairwise(edges))


def slots(found: list[Segment]) -> list[int]:
    return [int(s.slots(RATE)) for s in found]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 25), min_size=1, max_size=12), st.integers(1, 6))
def test_no_other_way_to_merge_is_nearer(skips: list[int], at_most: int) -> None:
    found = merged(segments(skips), RATE, at_most, shortest=Fraction(0))
    mine = error(skips, np.cumsum([0, *slots(found)]).tolist())
    inner = range(1, len(skips))
    ways = [[0, *w, len(skips)] for k in range(min(at_most, len(skips))) for w in combinations(inner, k)]
    assert len(found) <= at_most
    assert mine <= min(error(skips, w) for w in ways) + 1e-6


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(1, 25), st.integers(1, 40)), min_size=1, max_size=80), st.integers(1, 60))
def test_length_and_edges_are_exact(runs: list[tuple[int, int]], at_most: int) -> None:
    skips = [skip for skip, count in runs for _ in range(count)]
    starts = [Fraction(int(frame)) / RATE for frame in np.cumsum([0, *skips])]
    found = merged(segments(skips), RATE, at_most)
    assert len(found) <= at_most
    assert sum(slots(found)) == len(skips)
    assert all(s.slots(RATE).denominator == 1 for s in found)
    at = 0
    for segment in found:
        assert segment.source_start == starts[at]
        at += int(segment.slots(RATE))
        assert segment.source_end == starts[at]
    if len(found) > 1:
        assert min(slots(found)) >= RATE / 2


def test_cuts_are_never_bridged() -> None:
    before, after = segments([2] * 40 + [3] * 20), segments([5] * 3)
    gap = Fraction(50)
    moved = tuple(Segment(s.source_start + gap, s.source_end + gap, s.speed, s.sentence) for s in after)
    found = merged((*before, *moved), RATE, 2)
    assert [(s.source_start, s.source_end) for s in found] == [
        (before[0].source_start, before[-1].source_end),
        (moved[0].source_start, moved[-1].source_end),
    ]


def test_a_merged_segment_has_the_sentence_it_shows_longest() -> None:
    (found,) = merged(segments([1] * 30, [None] * 8 + [1] * 12 + [0] * 10), RATE, 1)
    assert found.sentence == 1


def test_a_step_is_where_its_sentence_is_shown_longest() -> None:
    owners: list[int | None] = [None, 1, None, 0, 0, 1, 1, 1, None]
    assert steps_of(segments([1] * 9, owners), RATE) == (Step(0, 3, 5), Step(1, 5, 8))
