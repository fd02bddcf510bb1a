"""Merging segments: exact length, least error against all ways to merge, cuts never bridged."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.segments import merged
from saffa.core.timeline import Segment, Step, segments_between, steps_of

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


def test_a_merged_part_lasts_half_a_second_at_least() -> None:
    """At 30000/1001 frames a second that is 15 slots; a part between cuts that is shorter stays one segment."""
    assert slots(merged(segments([1] * 14 + [9] * 14 + [1] * 40), RATE, 9)) == [28, 40]
    assert slots(merged(segments([9] * 14 + [1] * 40), RATE, 9)) == [29, 25]  # a long neighbour lends 15
    assert slots(merged(segments([1] * 40 + [9] * 14), RATE, 9)) == [25, 29]
    assert slots(merged(segments([1] * 15 + [9] * 15), RATE, 9)) == [15, 15]
    assert slots(merged(segments([1] * 15 + [9] * 14), RATE, 9)) == [29]
    assert slots(merged(segments([1] * 4 + [9] * 4 + [1] * 40), RATE, 9, shortest=4 / RATE)) == [4, 4, 40]


def test_no_more_segments_than_lower_the_error() -> None:
    assert slots(merged(segments([2] * 40 + [3] * 40), RATE, 50)) == [40, 40]
    assert slots(merged(segments([2] * 40), RATE, 50)) == [40]


def test_the_largest_changes_are_edges_first() -> None:
    """More changes than are considered: the large ones are exact, the small ones between them are merged."""
    rise = [skip for _ in range(400) for skip in (*[2] * 20, *[3] * 20)]
    jump = [*rise, *[25] * 30, *rise]
    found = merged(segments(jump), RATE, 3)
    assert slots(found) == [len(rise), 30, len(rise)]
    assert [float(s.speed) for s in found] == [2.5, 25, 2.5]


def test_a_change_at_the_start_of_a_part_is_always_an_edge() -> None:
    part = segments([2] * 20 + [9] * 20)
    length = part[-1].source_end
    moved = [
        Segment(s.source_start + k * (length + 1), s.source_end + k * (length + 1), s.speed, None)
        for k in range(4)
        for s in part
    ]
    assert slots(merged(moved, RATE, 4)) == [40] * 4
    assert slots(merged(moved, RATE, 8)) == [20] * 8
    with pytest.raises(ValueError, match="4 parts between cuts do not fit into 3 segments"):
        merged(moved, RATE, 3)


def test_where_a_sentence_and_none_are_shown_as_long_the_sentence_counts() -> None:
    for owners in ([None] * 10 + [1] * 10, [1] * 10 + [None] * 10):
        (found,) = merged(segments([1] * 20, list(owners)), RATE, 1)
        assert found.sentence == 1
    (found,) = merged(segments([1] * 21, [None] * 11 + [1] * 10), RATE, 1)
    assert found.sentence is None


def test_sentences_count_by_what_is_shown_not_by_source() -> None:
    for skips, owners in (([1] * 20 + [10] * 10, [0] * 20 + [1] * 10), ([10] * 10 + [1] * 20, [1] * 10 + [0] * 20)):
        (found,) = merged(segments(skips, list(owners)), RATE, 1)
        assert found.sentence == 0


def test_of_two_equal_appearances_the_first_is_the_step() -> None:
    owners: list[int | None] = [0, 0, 1, 0, 0]
    assert steps_of(segments([1, 2, 1, 3, 1], owners), RATE) == (Step(0, 0, 2), Step(1, 2, 3))
    assert steps_of((), RATE) == ()
