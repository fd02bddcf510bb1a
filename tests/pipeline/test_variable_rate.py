"""Videos whose frames are unevenly spaced play at the speed asked for, whatever the spacing, in one pass or two."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.api import accelerate, render
from saffa.cli.report import Summary
from saffa.core.errors import InputError
from saffa.core.result import Result
from saffa.core.timeline import Timeline
from saffa.core.video import ConstantRateVideo, Video
from saffa.media.frame_stream import read_frames
from saffa.media.probe import constant_rate_axis, probe
from tests.media.movies import Movie, Sound, make, number, numbers
from tests.pipeline.test_single_pass import Curious, piped

pytestmark = pytest.mark.usefixtures("one_process")

TEXT = ("chop the onions", "fry them in oil", "add the tomatoes")
TICKS = 3000  # a second: 100 are a frame at 30 a second, 300 one at 10

Gaps = list[tuple[int, int]]
SLOW_FAST: Gaps = [(300, 30), (100, 90)]  # 3 s at 10 frames a second, 3 s at 30
FAST_SLOW: Gaps = [(100, 90), (300, 30)]
BURSTS: Gaps = [(50, 3), (1500, 1)] * 12  # a screen: three frames quickly, then half a second of none
SLIDE: Gaps = [(100, 60), (9000, 1), (100, 60)]  # a still picture for 3 s


def uneven(path: Path, gaps: Gaps, sounds: bool = False) -> Path:
    """A film of (gap, how often) one after the other; Matroska rounds its times to milliseconds."""
    steps = np.repeat([gap for gap, _ in gaps], [count for _, count in gaps])
    scale = 3 if path.suffix == ".mkv" else 1
    stamps = [int(t) // scale for t in np.cumsum([0, *steps[:-1]])]
    base = Fraction(scale, TICKS)
    heard = [Sound()] if sounds else ()
    quick = {"preset": "fast", "bf": "3"}  # with frames that nothing refers to: skipped where they are not shown
    return make(path, Movie(rate=Fraction(30), stamps=stamps, time_base=base, sounds=heard, b_frames=3, options=quick))


def on_screen(video: Video, seconds: NDArray[np.float64]) -> list[int]:
    """The frames that a player shows at these times; time stamps may be rounded."""
    frames: list[int] = (np.searchsorted(video.times(), seconds + 0.002, side="right") - 1).tolist()
    return frames


def local_speeds(result: Result, seconds: float = 0.5) -> NDArray[np.float64]:
    """Source seconds for each second of output, in windows over the whole output."""
    timemap = result.timemap
    starts = np.arange(0, float(timemap.duration) - seconds, 0.05)
    at = [np.interp(t, timemap.output_seconds, timemap.source_seconds) for t in (starts, starts + seconds)]
    return np.asarray((at[1] - at[0]) / seconds)


@pytest.mark.parametrize("name", ["m.mkv", "m.mp4"])
@pytest.mark.parametrize("gaps", [SLOW_FAST, FAST_SLOW, SLIDE])
@pytest.mark.parametrize("speed", [1, 2])
def test_a_speed_is_that_speed_everywhere(tmp_path: Path, name: str, gaps: Gaps, speed: int) -> None:
    source = uneven(tmp_path / name, gaps)
    output = tmp_path / "o.mp4"
    done = accelerate(source, TEXT, speed=speed, method="uniform", output=output)
    video, written = probe(source), probe(output)
    assert video.variable_rate and not written.variable_rate
    assert written.rate == done.timeline.source.rate == 30
    assert (
        done.timemap.duration == Fraction(written.frames, 30) == pytest.approx(float(video.duration) / speed, abs=0.02)
    )
    assert local_speeds(done) == pytest.approx(speed, abs=0.08)
    assert numbers(output) == on_screen(video, np.arange(written.frames) * speed / 30)
    summary = Summary.of(done)
    assert (summary.slowest, summary.source_frames, summary.frames) == (speed, video.frames, written.frames)
    assert summary.fastest <= speed + 1  # the last slot stands for what is left
    assert summary.speed == done.timeline.speed == pytest.approx(speed, rel=0.01)


@pytest.mark.parametrize("method", ["plan", "saffa"])
@pytest.mark.parametrize("gaps", [SLOW_FAST, FAST_SLOW, SLIDE])
def test_a_length_is_met_and_nothing_is_slower_than_life(tmp_path: Path, method: str, gaps: Gaps) -> None:
    source = uneven(tmp_path / "m.mkv", gaps, sounds=True)
    done = accelerate(source, TEXT, length=2, method=method, encoder="none", output=tmp_path / "o.mp4")
    assert done.rendered is not None
    assert (done.rendered.frames, done.rendered.duration, done.warnings) == (60, Fraction(2), ())
    skips = np.diff(done.timemap.source_seconds) * 30
    assert skips[:-1].min() > 0.99 and skips[-1] > 0.5  # the last one stands for what is left
    assert not probe(tmp_path / "o.mp4").variable_rate


@pytest.mark.parametrize("name", ["m.mkv", "m.mp4"])
@pytest.mark.parametrize("gaps", [SLOW_FAST, FAST_SLOW, SLIDE, BURSTS])
@pytest.mark.parametrize(("method", "speed"), [("saffa", 1.0), ("saffa", 3.0), ("plan", 1.0), ("plan", 3.0)])
def test_rendering_the_timeline_again_gives_the_same(
    tmp_path: Path, name: str, gaps: Gaps, method: str, speed: float
) -> None:
    source = uneven(tmp_path / name, gaps, sounds=True)
    first, again, kept = tmp_path / "first.mp4", tmp_path / "again.mp4", tmp_path / "t.json"
    done = accelerate(source, TEXT, speed=speed, method=method, encoder="none", output=first)
    done.timeline.save(kept)
    told = Timeline.load(kept)
    assert told == done.timeline
    assert told.timemap(probe(source)) == done.timemap
    redone = render(kept, again)
    assert done.rendered is not None
    assert (redone.frames, redone.duration) == (done.rendered.frames, done.rendered.duration)
    assert numbers(again) == numbers(first) == np.repeat(told.frames, told.holds or 1).tolist()
    assert probe(again).rate == probe(first).rate
    np.testing.assert_array_equal(sound(again), sound(first))


def sound(path: Path) -> NDArray[np.float32]:
    with av.open(str(path)) as container:
        return np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)


@pytest.mark.parametrize("method", ["uniform", "saffa"])
def test_sound_keeps_step_with_the_picture(tmp_path: Path, method: str) -> None:
    """At 1x sound passes through untouched: a click is heard where it was."""
    mute = uneven(tmp_path / "mute.mkv", SLOW_FAST)
    source, rate, clicks = tmp_path / "m.mkv", 48000, (1.0, 2.5, 4.0, 5.5)
    with av.open(str(mute)) as old, av.open(str(source), "w") as new:
        picture = new.add_stream_from_template(old.streams.video[0])
        track = new.add_stream("pcm_s16le", rate=rate, layout="mono")
        samples = np.zeros((1, 6 * rate), np.int16)
        for click in clicks:
            samples[0, round(click * rate) :][:480] = 20000
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate, frame.pts = rate, 0
        for packet in old.demux(video=0):
            if packet.size:
                packet.stream = picture
                new.mux(packet)
        new.mux([*track.encode(frame), *track.encode(None)])
    done = accelerate(source, TEXT, speed=1, method=method, encoder="none", output=tmp_path / "o.mkv")
    assert done.timemap.duration == 6
    heard = np.abs(sound(tmp_path / "o.mkv")[0])
    for click in clicks:
        around = heard[round((click - 0.1) * rate) : round((click + 0.1) * rate)]
        assert around.max() > 0.2
        assert int(np.argmax(around > 0.2)) / rate == pytest.approx(0.1, abs=0.01)


def test_jitter_is_no_variable_rate(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    stamps = [round(k * 1001 / 30) + int(random.integers(-1, 2)) for k in range(120)]
    stamps[0] = 0
    source = make(tmp_path / "m.mkv", Movie(rate=Fraction(30000, 1001), stamps=stamps, time_base=Fraction(1, 1000)))
    video = probe(source)
    assert not video.variable_rate and constant_rate_axis(video) is video
    for method in ("uniform", "saffa"):
        done = accelerate(source, TEXT, speed=1, method=method, encoder="none", output=tmp_path / f"{method}.mp4")
        assert done.timeline.source.rate == Fraction(30000, 1001)
        assert numbers(tmp_path / f"{method}.mp4") == list(done.timeline.frames) == list(range(120))
        assert "holds" not in done.timeline.to_json()


def test_more_jitter_keeps_the_mean_rate(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    stamps = np.cumsum([0, *random.integers(18, 49, 149)]).tolist()
    video = probe(make(tmp_path / "m.mkv", Movie(rate=Fraction(30), stamps=stamps, time_base=Fraction(1, 1000))))
    assert video.variable_rate
    assert constant_rate_axis(video).rate == video.rate
    done = accelerate(video.path, TEXT, speed=1, method="uniform", output=tmp_path / "o.mp4")
    assert local_speeds(done) == pytest.approx(1, abs=0.02)


def test_what_encoders_and_samplers_see(tmp_path: Path) -> None:
    video = probe(uneven(tmp_path / "m.mp4", SLOW_FAST))
    axis = constant_rate_axis(video)
    assert isinstance(axis, ConstantRateVideo)
    assert (axis.frames, axis.rate, axis.duration) == (180, Fraction(30), video.duration)
    seen = [(slot, number(frame)) for slot, frame in read_frames(axis)]
    assert seen == list(enumerate([*np.repeat(range(30), 3).tolist(), *range(30, 120)]))
    assert [slot for slot, _ in read_frames(axis, [4, 5, 9])] == [4, 5, 9]


def test_an_agent_is_shown_the_same_slots(tmp_path: Path) -> None:
    source = uneven(tmp_path / "m.mp4", SLOW_FAST)
    axis, encoder = constant_rate_axis(probe(source)), Curious()
    accelerate(source, TEXT, speed=3, method="saffa", encoder=encoder, single_pass=True)
    assert len(encoder.seen) == 60
    for slot, indices, shown in encoder.seen:
        ahead = np.arange(slot, min(slot + encoder.window, axis.frames))
        assert indices == shown == axis.on_screen(ahead).tolist()


def test_through_a_pipe(tmp_path: Path) -> None:
    source = uneven(tmp_path / "m.mkv", SLIDE, sounds=True)
    asked: dict[str, Any] = {"speed": 2, "method": "saffa", "encoder": "none"}
    whole = accelerate(source, TEXT, **asked, single_pass=True, output=tmp_path / "file.mp4")
    with piped(source, tmp_path) as pipe:
        done = accelerate(pipe, TEXT, **asked, output=tmp_path / "pipe.mp4")
    assert (done.timeline.frames, done.timeline.holds) == (whole.timeline.frames, whole.timeline.holds)
    assert max(done.timeline.holds) == 45  # three seconds of one picture at twice the speed
    assert numbers(tmp_path / "pipe.mp4") == numbers(tmp_path / "file.mp4")
    np.testing.assert_array_equal(sound(tmp_path / "pipe.mp4"), sound(tmp_path / "file.mp4"))


def test_holds_are_checked(tmp_path: Path) -> None:
    done = accelerate(uneven(tmp_path / "m.mp4", SLIDE), TEXT, speed=2, method="uniform")
    data = done.timeline.to_json()
    assert list(data)[-1] == "holds" and sum(data["holds"]) == len(done.selection.frames)
    path = tmp_path / "t.json"
    for wrong in ([1], [0] * len(data["frames"]), "no"):
        path.write_text(json.dumps(data | {"holds": wrong}), "utf-8")
        with pytest.raises(Exception, match="damaged"):
            Timeline.load(path)


def test_a_timeline_edited_by_hand_goes_by_its_frames(tmp_path: Path) -> None:
    source = uneven(tmp_path / "m.mp4", SLOW_FAST)
    done = accelerate(source, TEXT, speed=2, method="uniform")
    data = done.timeline.to_json() | {"frames": [0, 30, 60], "holds": [15, 15, 1]}
    (tmp_path / "t.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError, match="segments and frames disagree, first at output frame"):
        render(tmp_path / "t.json", tmp_path / "o.mp4")
    del data["segments"]
    (tmp_path / "t.json").write_text(json.dumps(data), "utf-8")
    redone = render(tmp_path / "t.json", tmp_path / "o.mp4")
    assert (redone.frames, redone.duration) == (31, Fraction(31, 30))
    assert numbers(tmp_path / "o.mp4") == [0] * 15 + [30] * 15 + [60]
    timemap = Timeline.load(tmp_path / "t.json").timemap(probe(source))
    assert timemap.to_output(3) == Fraction(1, 2)
