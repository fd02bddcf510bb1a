from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from saffa.core.timeline import TimeMap
from saffa.media.sound.wsola import CHUNK, _Course, _Grid, _heard, _means, gain, stretched

Samples = NDArray[np.float32]
RATE = 16000
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def selection_map(skips: list[int], rate: Fraction = Fraction(30)) -> TimeMap:
    """Map of a selection that starts at frame 0 and goes on by these skips, the last one up to the end."""
    frames = np.concatenate([[0], np.cumsum(skips)])
    times = [int(f) / rate for f in frames]
    return TimeMap.from_frames(times[:-1], times[-1], rate)


def constant_map(speed: Fraction | int, seconds: int) -> TimeMap:
    return TimeMap((Fraction(0), Fraction(seconds)), (Fraction(0), seconds / Fraction(speed)))


def in_blocks(sound: Samples, size: int = 1024) -> Iterator[Samples]:
    for i in range(0, len(sound), size):
        yield sound[i : i + size]


def play(sound: Samples, timemap: TimeMap, rate: int = RATE, size: int = 1024) -> Samples:
    if sound.ndim == 1:
        sound = sound[:, None]
    parts = list(stretched(in_blocks(sound, size), rate, sound.shape[1], timemap))
    return np.concatenate([np.zeros((0, sound.shape[1]), np.float32), *parts])


def sine(hertz: float, seconds: float, rate: int = RATE) -> Samples:
    return (0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def noise(seconds: float, rate: int = RATE, channels: int = 1, seed: int = 0) -> Samples:
    shape = (round(seconds * rate), channels)
    return (0.2 * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


def pitch(sound: Samples, rate: int = RATE) -> float:
    """Frequency of the strongest partial, interpolated between bins."""
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound))))
    i = int(spectrum[1:-1].argmax()) + 1
    a, b, c = np.log(spectrum[i - 1 : i + 2] + 1e-12)
    return float((i + (a - c) / (2 * (a - 2 * b + c))) * rate / len(sound))


skips_lists = st.lists(st.integers(1, 25), min_size=1, max_size=60)


@FEW
@given(
    skips=skips_lists,
    frame_rate=st.sampled_from([Fraction(30), Fraction(25), Fraction(24000, 1001), Fraction(10)]),
    rate=st.sampled_from([8000, 11025, 44100]),
    channels=st.integers(1, 3),
    missing=st.floats(0, 1),
    size=st.sampled_from([100, 1024, 100_000]),
)
def test_length_is_exact_and_amplitude_bounded(
    skips: list[int], frame_rate: Fraction, rate: int, channels: int, missing: float, size: int
) -> None:
    timemap = selection_map(skips, frame_rate)
    sound = noise(float(timemap.source_duration) * missing, rate, channels)
    out = play(sound, timemap, rate, size)
    assert out.shape == (round(timemap.duration * rate), channels)
    assert out.dtype == np.float32
    assert np.isfinite(out).all()
    assert np.abs(out).max(initial=0) <= np.abs(sound).max(initial=0) + 1e-6


@FEW
@given(skips=skips_lists, rate=st.sampled_from([8000, 22050, 96000]))
def test_silence_stays_silence(skips: list[int], rate: int) -> None:
    timemap = selection_map(skips)
    silence = np.zeros((round(timemap.source_duration * rate), 2), np.float32)
    assert not play(silence, timemap, rate).any()


@FEW
@given(skips=st.lists(st.integers(1, 4), min_size=30, max_size=60))
@example(skips=[*[1] * 41, 3, 1, 1])  # at 1x again in the last hop, a sample past the end
def test_a_constant_stays_what_it_is(skips: list[int]) -> None:
    timemap = selection_map(skips)
    constant = np.full(round(timemap.source_duration * RATE), 0.25, np.float32)
    assert np.allclose(play(constant, timemap), 0.25, atol=1e-6)


@pytest.mark.parametrize("speed", ["1", "1.02", "1.3", "2", "3.7", "8", "25"])
@pytest.mark.parametrize("more", [0, RATE])
def test_the_end_is_no_silence(speed: str, more: int) -> None:
    """Whether or not the sound goes on after the picture, the last sample is sound from before its end."""
    timemap = constant_map(Fraction(speed), 20)
    sound = np.full(20 * RATE + more, 0.25, np.float32)
    sound[20 * RATE :] = -1  # never to be heard
    out = play(sound, timemap)
    assert np.allclose(out, 0.25 * gain(float(Fraction(speed))), atol=1e-6)


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_the_size_of_blocks_does_not_matter(size: int) -> None:
    timemap = selection_map([1, 2, 3, 5, 8, 12, 25, 3, 1, 1, 1, 1])
    sound = noise(float(timemap.source_duration), 8000)
    assert np.array_equal(play(sound, timemap, 8000, size), play(sound, timemap, 8000))


@pytest.mark.parametrize("speed", ["5/4", "3/2", "2", "3", "5", "8"])
@pytest.mark.parametrize("hertz", [110.0, 440.0, 1234.5, 3000.0])
def test_pitch_and_loudness_of_a_tone_are_kept(speed: str, hertz: float) -> None:
    out = play(sine(hertz, 24), constant_map(Fraction(speed), 24))[:, 0]
    middle = out[RATE // 10 : -RATE // 10]
    assert pitch(middle) == pytest.approx(hertz, rel=0.005)
    level = float(np.sqrt(np.mean(middle**2)) / np.sqrt(0.125) / gain(float(Fraction(speed))))
    assert 0.9 < level < 1.02


def normal_speed(duration: Fraction) -> TimeMap:
    return TimeMap((Fraction(0), duration), (Fraction(0), duration))


@pytest.mark.parametrize("rate", [8000, 44100, 48000, 96000])
def test_normal_speed_is_the_identity(rate: int) -> None:
    sound = noise(2, rate, 2)
    assert np.array_equal(play(sound, normal_speed(Fraction(2)), rate), sound)
    assert np.array_equal(play(sound, selection_map([1] * 60), rate), sound)


@pytest.mark.parametrize("frame_rate", [Fraction(30), Fraction(24000, 1001)])
def test_stretches_at_1x_pass_through_sample_exact(frame_rate: Fraction) -> None:
    timemap = selection_map([12] * 20 + [1] * 40 + [25] * 10 + [1] * 30 + [2] * 5, frame_rate)
    rate = 44100
    sound = noise(float(timemap.source_duration) + 1, rate, 2)
    out = play(sound, timemap, rate)
    for first, last in ((20, 60), (70, 100)):  # slots of the stretches at 1x
        offset = round((timemap.source[first] - timemap.output[first]) * rate)
        start, end = round(timemap.output[first] * rate), round(timemap.output[last] * rate)
        border = round(0.1 * rate)
        inside = slice(start + border, end - border)
        assert np.array_equal(out[inside], sound[inside.start + offset : inside.stop + offset])


def test_millisecond_time_stamps_at_1x_pass_through_too() -> None:
    times = [Fraction(round(i * 1000 / 30), 1000) for i in range(91)]
    sound = noise(3)
    sound[: RATE // 2] *= 1e-6  # silence must not let it slip either
    out = play(sound, TimeMap.from_frames(times[:-1], times[-1], Fraction(30)))
    assert np.array_equal(out[: -RATE // 10], sound[: len(out)][: -RATE // 10])


@FEW
@given(skips=st.lists(st.sampled_from([1, 1, 1, 2, 3, 5, 12, 25]), min_size=10, max_size=40), hertz=st.floats(60, 900))
@example(skips=[1, 1, 1, 1, 1, 1, 1, 3, 2, 1], hertz=547.96875)
def test_speed_changes_do_not_click(skips: list[int], hertz: float) -> None:
    timemap = selection_map(skips)
    sound = sine(hertz, float(timemap.source_duration) + 1)
    out = play(sound, timemap)[: -RATE // 50, 0]  # the sound stops where the picture stops, within the last hop
    assert np.abs(np.diff(out)).max() <= 1.5 * np.abs(np.diff(sound)).max() + 1e-3


def test_the_gain_glides() -> None:
    out = play(np.full((RATE * 60, 1), 0.5, np.float32), selection_map([1] * 15 + [25] * 60 + [1] * 15))
    assert np.abs(np.diff(out[: -RATE // 20, 0])).max() < 0.5 * 0.003
    assert out.min() == pytest.approx(0.5 * 10 ** (-12 / 20), rel=1e-3)


def test_gain_curve() -> None:
    speeds = np.linspace(0.5, 100, 2000)
    levels = gain(speeds)
    assert (levels[speeds <= 4] == 1).all()
    assert (np.diff(levels) <= 0).all()
    assert np.allclose(20 * np.log10(gain(np.array([4.0, 8.0, 16.0, 50.0]))), [0, -6, -12, -12])


def test_channels_move_together() -> None:
    left = noise(20)[:, 0]
    sound = np.stack([left, np.roll(left, 8), -left, left * 0.5, left, left], axis=1)
    out = play(sound, selection_map([1, 2, 3, 5, 8, 3, 2] * 10))
    assert np.allclose(out[:, 2], -out[:, 0], atol=1e-6)
    assert np.allclose(out[:, 3], out[:, 0] * 0.5, atol=1e-6)


@pytest.mark.parametrize("speed", ["1/2", "9/10", "1001/1000", "100", "1000"])
def test_unusual_speeds(speed: str) -> None:
    timemap = constant_map(Fraction(speed), 50)
    out = play(noise(50), timemap)
    assert len(out) == round(timemap.duration * RATE)
    assert np.abs(out).max() > 0.01


def test_maps_that_start_late_or_end_at_once() -> None:
    sound = noise(4)
    late = TimeMap((Fraction(2), Fraction(3)), (Fraction(5), Fraction(6)))
    assert np.array_equal(play(sound, late), sound[2 * RATE : 3 * RATE])
    blink = TimeMap((Fraction(0), Fraction(4)), (Fraction(0), Fraction(1, 10 * RATE)))
    assert len(play(sound, blink)) == 0
    assert len(play(sound, normal_speed(Fraction(1, RATE)))) == 1


def test_memory_does_not_grow_with_the_source() -> None:
    def peak(seconds: int) -> int:
        block = np.zeros((4000, 1), np.float32)  # silence needs no search: only the memory counts here
        tracemalloc.start()
        for _ in stretched((block for _ in range(2 * seconds)), 8000, 1, constant_map(8, seconds)):
            pass
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    assert peak(1600) < 1.3 * peak(400)


def test_lengths_in_samples() -> None:
    """Hops of 15 ms, windows that move 10 ms either way (half a second in fast-forward), thinned out to about 8 kHz."""
    assert _Grid.of(8000) == _Grid(120, 80, 4000, 1)
    assert _Grid.of(44100) == _Grid(660, 441, 22050, 6)
    assert _Grid.of(48000) == _Grid(720, 480, 24000, 6)
    assert _Grid.of(100) == _Grid(2, 1, 50, 1)
    assert _Grid.of(44100).margin == 2 * (660 + 441 + 6)


@pytest.mark.parametrize("speed", [1, 2, 8])
def test_what_the_map_asks_of_the_hops(speed: int) -> None:
    hop = 240
    plan = _Course(constant_map(speed, 200), RATE).plan(0)
    assert plan is not None
    count = len(plan.centre)
    np.testing.assert_allclose(plan.centre, speed * hop * np.arange(1, count + 1))
    spare = {1: 160, 2: 160, 8: 840}[speed]  # half of what is skipped, but 10 ms at least; rounded inwards
    np.testing.assert_allclose(plan.low, plan.centre - spare, atol=1.001)
    np.testing.assert_allclose(plan.high, plan.centre + spare, atol=1.001)
    np.testing.assert_allclose(plan.speed, speed)
    assert set(plan.unit) == set(plan.settled) == {speed == 1}
    assert len(plan.unit) == len(plan.settled) == len(plan.speed) == count
    np.testing.assert_allclose(plan.gain, np.full(count + 1, gain(speed)))
    assert 0.95 * CHUNK < speed * hop * count <= CHUNK  # what is at hand at once is bounded, and not in vain


def test_a_plan_ends_with_the_output() -> None:
    course = _Course(constant_map(4, 2), RATE)
    hops = -(-course.total // 240)
    plan = course.plan(hops - 3)
    assert plan is not None
    assert len(plan.centre) == 3
    assert course.plan(hops) is None


def test_means_of_neighbours() -> None:
    assert _means(np.array([1, 2, 3, 5, 9], np.float32), 2).tolist() == [1.5, 4]
    assert _means(np.array([1, 2, 3, 6], np.float32), 1).tolist() == [1, 2, 3, 6]
    assert _means(np.array([1, 2, 6, 4, 4, 4, 7], np.float32), 3).tolist() == [3, 4]


def test_what_is_skipped_is_heard_half_before_and_half_after() -> None:
    """Between pictures (an eighth of a second or less); elsewhere the map is taken as it is."""
    output = np.array([0, 0.1, 0.2, 0.3, 1.3])
    source = np.array([0, 0.1, 0.7, 0.75, 5.75])
    assert _heard(source, output).tolist() == pytest.approx([0, 0.1, 0.45, 0.75, 5.75])


def test_in_slow_motion_the_output_at_hand_is_bounded() -> None:
    plan = _Course(constant_map(Fraction(1, 2), 200), RATE).plan(0)
    assert plan is not None
    assert 0.95 * CHUNK < len(plan.centre) * 240 <= CHUNK
