"""The slots of constant rate of a video of variable rate."""

from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saffa.core.timeline import merge_repeats
from saffa.core.video import ConstantRateVideo, Video
from saffa.media.constant_rate import constant_rate_axis

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
