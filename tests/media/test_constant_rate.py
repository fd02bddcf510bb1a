"""The slots of constant rate of a video of variable rate."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.core.timeline import merge_repeats
from saffa.core.video import ConstantRateVideo, Video
from saffa.media.probe import constant_rate_axis, fine_rate, named_rate

BASE = Fraction(1, 1000)


def video(gaps: list[int], rate: Fraction) -> Video:
    ticks = np.cumsum([0, *gaps])
    duration = (int(ticks[-1]) + 40) * BASE
    mean = (len(ticks) / duration).limit_denominator(1001)
    path, square = Path("m.mkv"), Fraction(1)
    return Video(
        path, "h264", 96, 72, 0, square, mean, BASE, 0, ticks, duration, True, Fraction(0), axis_rate=rate
    )  # fmt: skip


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60), st.sampled_from([25, 30, Fraction(30000, 1001), 60]))
def test_every_slot_shows_what_is_on_screen(gaps: list[int], rate: Fraction | int) -> None:
    source = video(gaps, Fraction(rate))
    axis = constant_rate_axis(source)
    assert isinstance(axis, ConstantRateVideo)
    assert axis.frames == max(1, round(source.duration * rate))
    assert np.all(np.diff(axis.shown) >= 0)
    moments = [axis.frame_time(slot) for slot in range(axis.frames)]
    assert moments[-1] < source.duration
    np.testing.assert_array_equal(source.shown_at(moments, axis.rate), axis.shown)
    times = [source.frame_time(i) for i in range(source.frames)]
    for moment, frame in zip(moments, axis.shown.tolist(), strict=True):
        near = [i for i, time in enumerate(times) if abs(time - moment) <= Fraction(1, 4) / rate]
        before = [i for i, time in enumerate(times) if time < moment]
        assert frame == (near[0] if near else before[-1])


def test_held() -> None:
    assert merge_repeats([0, 3, 7]) == ((0, 3, 7), ())
    assert merge_repeats([0, 0, 3, 7, 7, 7]) == ((0, 3, 7), (2, 1, 3))


def rate_of(gaps: list[int], told: list[int]) -> Fraction:
    ticks = np.cumsum([0, *gaps])
    mean = (len(gaps) / (int(ticks[-1]) * BASE)).limit_denominator(1001)
    return fine_rate(ticks, BASE, [Fraction(rate) for rate in told], mean)


@pytest.mark.parametrize(
    ("gaps", "told", "expected"),
    [
        ([100] * 50 + [33, 33, 34] * 50, [30], 30),
        ([33, 33, 34] * 50 + [100] * 50, [20], 30),  # measured, and one of the usual rates
        ([33, 33, 34] * 20 + [3000] + [33, 33, 34] * 20, [30], 30),
        ([20] * 50 + [100] * 50, [50, 17], 50),
        ([4] * 500 + [40] * 100, [250], Fraction(600, 6)),  # never more than 60, but the mean is more
        ([10] * 200 + [100] * 100, [25], 50),  # 100 a second for a while: twice what is told
        ([10] * 200 + [100] * 100, [90], 60),
    ],
)
def test_fast_parts(gaps: list[int], told: list[int], expected: Fraction | int) -> None:
    assert rate_of(gaps, told) == pytest.approx(float(expected), rel=0.01)


def test_jitter_and_lost_frames_keep_the_mean() -> None:
    random = np.random.default_rng(0)
    jitter = random.integers(20, 47, 300).tolist()
    lost = (33 * (1 + (random.random(300) < 0.04))).tolist()
    for gaps in (jitter, lost, [40, 700, 20]):
        mean = (len(gaps) / (sum(gaps) * BASE)).limit_denominator(1001)
        assert rate_of(gaps, [30]) == mean


def test_names() -> None:
    assert named_rate(30.04, [Fraction(30000, 1001)]) == Fraction(30000, 1001)
    assert named_rate(30.04, [Fraction(10)]) == 30
    assert named_rate(29.95, []) == Fraction(30000, 1001)
    assert named_rate(12.5, []) == Fraction(25, 2)
