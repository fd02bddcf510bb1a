"""Properties that every TimeMap must have: picture, sound and subtitles rely on them."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.core.timeline import TimeMap

clocks = st.sampled_from([1, 25, 1001, 30_000, 90_000])  # of pictures and containers
steps = st.builds(Fraction, st.integers(1, 30_000), clocks)
times = st.builds(Fraction, st.integers(0, 60_000_000), clocks)


@st.composite
def maps(draw: st.DrawFn) -> TimeMap:
    n = draw(st.integers(1, 40))
    source = [Fraction(0), *accumulate(draw(st.lists(steps, min_size=n, max_size=n)))]
    output = [Fraction(0), *accumulate(draw(st.lists(steps, min_size=n, max_size=n)))]
    return TimeMap(tuple(source), tuple(output))


@given(maps(), times, times)
def test_is_monotone(timemap: TimeMap, a: Fraction, b: Fraction) -> None:
    a, b = sorted((min(a, timemap.source[-1]), min(b, timemap.source[-1])))
    if a < b:
        assert timemap.to_output(a) < timemap.to_output(b)


@given(maps(), times)
def test_round_trip_is_exact(timemap: TimeMap, time: Fraction) -> None:
    inside = min(time, timemap.source[-1])
    assert timemap.to_source(timemap.to_output(inside)) == inside


@given(
    st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(1, n), max_size=n))),
    st.sampled_from([Fraction(25), Fraction(30_000, 1001), Fraction(24_000, 1001), Fraction(10_900, 439)]),
)
def test_selection_of_frames_is_invertible_to_the_frame(case: tuple[int, set[int]], rate: Fraction) -> None:
    last, chosen = case
    frames = [0, *sorted(chosen)]
    timemap = TimeMap.from_frames([f / rate for f in frames], (last + 1) / rate, rate)
    assert timemap.duration == len(frames) / rate
    assert timemap.speed == Fraction(last + 1, len(frames))
    for slot, frame in enumerate(frames):
        assert timemap.to_output(frame / rate) == slot / rate
        assert timemap.to_source(slot / rate) * rate == frame


def test_outside_is_clamped() -> None:
    timemap = TimeMap.from_frames([Fraction(0), Fraction(1)], Fraction(3), Fraction(2))
    assert timemap.to_output(Fraction(-5)) == 0
    assert timemap.to_output(Fraction(99)) == 1
    np.testing.assert_allclose(timemap.source_seconds, [0, 1, 3])
    np.testing.assert_allclose(timemap.output_seconds, [0, 0.5, 1])


@pytest.mark.parametrize("source", [(0, 1, 1), (0,), (1, 0)])
def test_refuses_what_is_not_increasing(source: tuple[int, ...]) -> None:
    knots = tuple(map(Fraction, source))
    with pytest.raises(ValueError, match="TimeMap"):
        TimeMap(knots, tuple(map(Fraction, range(len(knots)))))


def test_a_map_that_starts_late_counts_what_it_covers() -> None:
    timemap = TimeMap((Fraction(10), Fraction(30)), (Fraction(1), Fraction(5)))
    assert [timemap.source_duration, timemap.duration, timemap.speed] == [Fraction(20), Fraction(4), Fraction(5)]


def test_many_knots_are_as_good_as_few() -> None:
    knots = tuple(Fraction(k) for k in range(1000))
    assert TimeMap(knots, tuple(2 * k for k in knots)).speed == Fraction(1, 2)
    with pytest.raises(ValueError, match="as many in the source"):
        TimeMap(knots, knots[:-1])
