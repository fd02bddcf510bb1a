"""The written movie: the right pictures in the right order, lengths, streams, tags."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from saffa.core.result import Rendered
from saffa.core.timeline import TimeMap
from saffa.core.video import Colour, Cue, Video
from saffa.media.probe import probe
from saffa.media.render import render
from saffa.media.subtitles.lines import embedded
from saffa.media.subtitles.retiming import retime
from saffa.media.writer import CODECS, RenderOptions
from saffa.pipeline.finish import retime_chapters
from tests.media.movies import Movie, Sound, drawn, make, number, numbers
from tests.media.test_frame_stream import KINDS
from tests.media.test_probe import real_videos

SELECTED = [0, 1, 2, 5, 9, 14, 20, 27, 35, 40, 43, 44, 45, 50, 58]


def mapped(video: Video, selected: list[int]) -> TimeMap:
    return TimeMap.from_frames([video.frame_time(i) for i in selected], video.duration, video.rate)


def run(video: Video, output: Path, options: RenderOptions | None = None, step: int = 3) -> Rendered:
    selected = list(range(0, video.frames, step))
    return render(video, selected, mapped(video, selected), output, options or RenderOptions(crf=12))


def sound_seconds(path: Path, track: int = 0) -> float:
    """Length of a sound track as players hear it: decoded samples after time 0."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[track]
        end = 0.0
        for frame in container.decode(stream):
            assert frame.pts is not None
            assert frame.time_base is not None
            end = float(frame.pts * frame.time_base) + frame.samples / frame.sample_rate
        return end


@pytest.mark.parametrize(
    ("name", "codec", "sound"),
    [
        ("o.mp4", "h264", "aac"),
        ("o.m4v", "h264", "aac"),
        ("o.mov", "h264", "aac"),
        ("o.mkv", "h264", "aac"),
        ("o.webm", "vp9", "opus"),
    ],
)
def test_containers(tmp_path: Path, name: str, codec: str, sound: str) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(sounds=[Sound()])))
    shares: list[float] = []
    done = render(
        video, SELECTED, mapped(video, SELECTED), tmp_path / name, RenderOptions(crf=12), progress=shares.append
    )
    assert numbers(done.path) == SELECTED
    written = probe(done.path)
    assert (written.codec, written.rate, written.variable_rate) == (codec, video.rate, False)
    assert [s.codec for s in written.sounds] == [sound]
    assert done.frames == written.frames == len(SELECTED)
    assert done.duration == len(SELECTED) / video.rate
    assert written.duration == pytest.approx(done.duration, abs=0.002)
    assert done.sound_duration is not None
    assert abs(done.sound_duration - done.duration) < Fraction(1, 10000)
    assert sound_seconds(done.path) == pytest.approx(float(done.duration), abs=1 / 25)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["a.mp4", name])


@pytest.mark.parametrize("name", KINDS)
def test_sources(tmp_path: Path, name: str) -> None:
    video = probe(make(tmp_path / name, KINDS[name]))
    done = run(video, tmp_path / "o.mp4")
    assert numbers(done.path) == list(range(0, video.frames, 3))
    assert probe(done.path).duration == pytest.approx(done.frames / video.rate, abs=0.001)
    assert done.sound_duration is None
    assert not done.warnings


@pytest.mark.parametrize(
    ("name", "codec", "canonical"),
    [
        ("o.mp4", "hevc", "hevc"),
        ("o.mkv", "vp9", "vp9"),
        ("o.webm", "av1", "av1"),
        ("o.mp4", "av1", "av1"),
        ("o.mkv", "mpeg4", "mpeg4"),
    ],
)
def test_codecs(tmp_path: Path, name: str, codec: str, canonical: str, capfd: pytest.CaptureFixture[str]) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(size=(192, 144))))
    done = run(video, tmp_path / name, RenderOptions(codec=codec, crf=5))
    assert probe(done.path).codec == canonical
    assert numbers(done.path) == list(range(0, 60, 3))
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux tells the priority of each thread")
def test_an_encoder_does_not_come_before_everything_else(tmp_path: Path) -> None:
    """SVT-AV1 makes the process real-time when root opens it; whatever is started later would be so too."""
    before = os.sched_getscheduler(0)
    video = probe(make(tmp_path / "a.mp4", Movie(size=(192, 144))))
    run(video, tmp_path / "o.webm", RenderOptions(codec="av1"))
    assert os.sched_getscheduler(0) == before


def test_quality_and_preset_reach_the_encoder(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(size=(320, 240))))
    sizes = [
        run(video, tmp_path / f"{crf}{preset}.mkv", RenderOptions(crf=crf, preset=preset)).path.stat().st_size
        for crf, preset in [(5, "ultrafast"), (45, "ultrafast"), (5, "slow")]
    ]
    assert sizes[1] < sizes[0]
    assert sizes[2] < sizes[0]


@pytest.mark.parametrize("rotation", [90, 180, 270])
@pytest.mark.parametrize("name", ["o.mp4", "o.webm"])
def test_rotation_is_shown_upright(tmp_path: Path, rotation: int, name: str) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(rotation=rotation, pixel_aspect=Fraction(4, 3))))
    done = run(video, tmp_path / name, step=11)
    written = probe(done.path)
    assert written.rotation == 0
    width, height = written.size
    shape = Fraction(4, 3) * Fraction(96, 72)
    assert written.pixel_aspect * width / height == (shape if rotation == 180 else 1 / shape)
    if name.endswith("mp4"):
        assert written.size == video.size
    with av.open(str(done.path)) as container:
        for i, frame in zip(range(0, 60, 11), container.decode(video=0), strict=True):
            upright = np.rot90(drawn(i, 96, 72), -rotation // 90)
            shown = frame.reformat(*video.size, format="gray").to_ndarray().astype(int)
            assert np.abs(shown - upright).mean() < 12


@pytest.mark.parametrize("size", [(95, 71), (95, 72), (96, 71)])
def test_odd_sizes_grow_by_a_repeated_line(tmp_path: Path, size: tuple[int, int]) -> None:
    movie = Movie(size=size, codec="libvpx-vp9")
    video = probe(make(tmp_path / "a.webm", movie))
    done = run(video, tmp_path / "o.mp4")
    written = probe(done.path)
    assert written.size == (96, 72)
    assert numbers(done.path) == list(range(0, 60, 3))
    with av.open(str(done.path)) as container:
        grey = next(container.decode(video=0)).reformat(format="gray").to_ndarray().astype(int)
    assert np.abs(grey[:, -1] - grey[:, -2]).max() < 25  # no black line
    assert np.abs(grey[-1] - grey[-2]).max() < 25


def ten_bit(path: Path, transfer: int) -> Video:
    movie = Movie(codec="libx265", pix_fmt="yuv420p10le", colour=(9, transfer, 9, 1), frames=12)
    return probe(make(path, movie))


@pytest.mark.parametrize(
    ("transfer", "codec", "name", "expected", "pixels"),
    [
        (14, None, "o.mp4", "h264", "yuv420p"),  # SDR: plays everywhere
        (14, "hevc", "o.mp4", "hevc", "yuv420p10le"),
        (14, "av1", "o.mkv", "av1", "yuv420p10le"),
        (16, None, "o.mp4", "hevc", "yuv420p10le"),  # HDR keeps its 10 bits
        (16, "h264", "o.mkv", "h264", "yuv420p10le"),
        (18, None, "o.webm", "vp9", "yuv420p"),
    ],
)
def test_ten_bits_and_colour_tags(
    tmp_path: Path, transfer: int, codec: str | None, name: str, expected: str, pixels: str
) -> None:
    video = ten_bit(tmp_path / "a.mkv", transfer)
    written = probe(run(video, tmp_path / name, RenderOptions(codec=codec)).path)
    assert (written.codec, written.pixel_format) == (expected, pixels)
    assert written.colour == Colour(9, transfer, 9, 1)


@pytest.mark.parametrize(
    ("source", "codec", "name", "pixels", "instead"),
    [
        ("libx264", None, "o.mkv", "yuv420p10le", None),  # who has such a file can play it
        ("libx264", "h264", "o.mp4", "yuv420p10le", None),
        ("libx264", None, "o.webm", "yuv420p", "--codec av1"),
        ("libx265", None, "o.mp4", "yuv420p", "--codec hevc"),
        ("libx265", "hevc", "o.mp4", "yuv420p10le", None),
        ("libx265", "mpeg4", "o.mov", "yuv420p", "--codec hevc"),
    ],
)
def test_ten_bits_are_kept_or_it_is_said(
    tmp_path: Path, source: str, codec: str | None, name: str, pixels: str, instead: str | None
) -> None:
    video = probe(make(tmp_path / "a.mkv", Movie(codec=source, pix_fmt="yuv420p10le", frames=12)))
    done = run(video, tmp_path / name, RenderOptions(codec=codec))
    assert probe(done.path).pixel_format == pixels
    assert [note.split("; ")[1] for note in done.notes] == ([f"{instead} keeps 10."] if instead else [])


def test_eight_bits_where_the_encoder_has_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = probe(make(tmp_path / "a.mkv", Movie(pix_fmt="yuv420p10le", frames=12)))
    lacking = replace(CODECS["h264"], deep_format="yuv420p16le")
    monkeypatch.setattr("saffa.media.writer.CODECS", {**CODECS, "h264": lacking})
    done = run(video, tmp_path / "o.mkv")
    assert probe(done.path).pixel_format == "yuv420p" and len(done.notes) == 1


@pytest.mark.parametrize("pixels", ["yuv422p", "yuv444p", "yuvj420p", "rgb24", "gray"])
def test_other_pixel_formats_play_everywhere(tmp_path: Path, pixels: str) -> None:
    codec = {"rgb24": "ffv1", "gray": "ffv1"}.get(pixels, "libx264")
    movie = Movie(codec=codec, pix_fmt="bgr0" if pixels == "rgb24" else pixels, frames=20)
    video = probe(make(tmp_path / "a.mkv", movie))
    for name in ("o.mp4", "o.webm"):
        done = run(video, tmp_path / name)
        written = probe(done.path)
        assert written.pixel_format in ("yuv420p", "yuvj420p")
        assert numbers(done.path) == list(range(0, 20, 3))
        with av.open(str(done.path)) as container:
            grey = next(container.decode(video=0)).reformat(format="gray", dst_color_range=2).to_ndarray()
        assert abs(float(np.median(grey)) - 40) < 12  # the range is neither squeezed nor stretched


def test_sound_tracks_are_kept_default_first(tmp_path: Path) -> None:
    sounds = [Sound(44100, "stereo", "eng", "Talk", default=False), Sound(48000, "5.1", "deu"), Sound(22050, "mono")]
    video = probe(make(tmp_path / "a.mp4", Movie(sounds=sounds)))
    for name in ("o.mp4", "o.mkv", "o.webm"):
        done = run(video, tmp_path / name)
        written = probe(done.path)
        by_language = {s.language: s for s in written.sounds}
        assert written.sounds[0].default
        assert written.sounds[0].language != "eng"
        assert by_language["deu"].channels == 6
        assert by_language["eng"].channels == 2
        assert by_language["eng"].title == "Talk"
        assert by_language[None].channels == 1
        for track in range(3):
            assert sound_seconds(done.path, track) == pytest.approx(float(done.duration), abs=1 / 25)


def test_stretched_sound_keeps_its_pitch(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=250, sounds=[Sound(48000, "mono")])))
    done = run(video, tmp_path / "o.mkv", step=4)
    with av.open(str(done.path)) as container:
        sound = np.concatenate([f.to_ndarray()[0] for f in container.decode(audio=0)])
    middle = sound[len(sound) // 4 : len(sound) // 4 + 32768]
    peak = np.argmax(np.abs(np.fft.rfft(middle * np.hanning(len(middle))))) * 48000 / len(middle)
    assert peak == pytest.approx(440, abs=5)


def test_mute_and_drop(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(sounds=[Sound(), Sound()])))
    muted = run(video, tmp_path / "muted.mp4", RenderOptions(audio="mute"))
    assert sound_seconds(muted.path) == pytest.approx(float(muted.duration), abs=1 / 25)
    with av.open(str(muted.path)) as container:
        assert len(container.streams.audio) == 1
        assert max(float(np.abs(f.to_ndarray()).max()) for f in container.decode(audio=0)) < 1e-4
    dropped = run(video, tmp_path / "dropped.mp4", RenderOptions(audio="drop"))
    assert dropped.sound_duration is None
    assert probe(dropped.path).sounds == ()


@pytest.mark.parametrize("name", ["o.mp4", "o.mov", "o.mkv", "o.webm"])
def test_subtitles_and_chapters_are_written(tmp_path: Path, name: str) -> None:
    movie = Movie(
        frames=250,
        cues=[(200, 3900, "Boil\\Nwater"), (4000, 9000, "Drain, then rest")],
        chapters=[(0, 4000, "One"), (4000, 10000, "Two")],
    )
    video = probe(make(tmp_path / "a.mkv", movie))
    selected = list(range(0, 250, 2))
    timemap = mapped(video, selected)
    cues = list(retime(embedded(video, video.subtitles[0]), timemap).cues)
    chapters = retime_chapters(video.chapters, timemap)
    done = render(video, selected, timemap, tmp_path / name, subtitles=cues, chapters=chapters)
    written = probe(done.path)
    assert (
        embedded(written, written.subtitles[0])
        == cues
        == [
            Cue(Fraction(1, 10), Fraction(39, 20), "Boil\nwater"),
            Cue(Fraction(2), Fraction(9, 2), "Drain, then rest"),
        ]
    )
    assert [(c.start, c.end, c.title) for c in written.chapters] == [
        (Fraction(0), Fraction(2), "One"),
        (Fraction(2), Fraction(5), "Two"),
    ]
    assert numbers(done.path) == selected


def test_variable_rate_source_becomes_constant(tmp_path: Path) -> None:
    stamps = np.cumsum([0, *([20, 60, 40, 30, 50] * 12)]).tolist()
    video = probe(make(tmp_path / "a.mkv", Movie(stamps=stamps, time_base=Fraction(1, 1000), sounds=[Sound()])))
    assert video.variable_rate
    done = run(video, tmp_path / "o.mp4", step=4)
    written = probe(done.path)
    assert not written.variable_rate
    assert written.rate == video.rate
    assert numbers(done.path) == list(range(0, len(stamps), 4))
    assert sound_seconds(done.path) == pytest.approx(float(done.duration), abs=1 / 25)


def test_same_frame_count_as_key_frames_are_chosen_anew(tmp_path: Path) -> None:
    """A source of key frames only must not force key frames on the output."""
    video = probe(make(tmp_path / "a.mp4", Movie(options={"g": "1"})))
    done = run(video, tmp_path / "o.mp4")
    with av.open(str(done.path)) as container:
        assert sum(p.is_keyframe for p in container.demux(video=0) if p.size) < done.frames / 2


def test_size_that_changes_in_mid_file(tmp_path: Path) -> None:
    """Two MPEG transport streams one after the other, as recorders leave them."""
    path = tmp_path / "a.ts"
    parts = [make(tmp_path / f"{w}.ts", Movie(size=(w, h), frames=30)) for w, h in [(96, 72), (160, 120)]]
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    video = probe(path)
    assert video.frames == 60
    done = run(video, tmp_path / "o.mp4")
    assert numbers(done.path) == list(range(0, 30, 3)) * 2
    assert probe(done.path).size == (96, 72)


def test_name_at_the_limit(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=3)))
    assert run(video, tmp_path / f"{'n' * 251}.mp4").path.exists()


MEMORY = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.media.test_render import run
from saffa.media.probe import probe
run(probe(Path(sys.argv[1])), Path(sys.argv[2]), step=8)
# Not ru_maxrss: that one starts from the memory of the process that started this one.
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak memory from Linux's /proc")
def test_memory_does_not_grow_with_length(tmp_path: Path) -> None:
    peaks = []
    script = MEMORY.format(root=str(Path(__file__).resolve().parents[2]))
    for frames in (500, 5000):
        source = make(tmp_path / f"{frames}.mp4", Movie(frames=frames, size=(640, 360), sounds=[Sound()]))
        command = [sys.executable, "-c", script, str(source), str(tmp_path / f"{frames}.mkv")]
        peaks.append(int(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    assert peaks[1] < peaks[0] + 40_000, peaks  # kilobytes


def test_no_thread_is_left(tmp_path: Path) -> None:
    before = threading.active_count()
    run(probe(make(tmp_path / "a.mp4", Movie(sounds=[Sound()]))), tmp_path / "o.mp4")
    assert threading.active_count() == before


def test_mp4_starts_with_its_index(tmp_path: Path) -> None:
    done = run(probe(make(tmp_path / "a.mkv")), tmp_path / "o.mp4")
    data = done.path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


@pytest.mark.parametrize("name", real_videos())
def test_real_files(shared_data: Path, tmp_path: Path, name: str) -> None:
    known = json.loads((shared_data / "videos" / "videos.json").read_text())[name]
    video = probe(shared_data / "videos" / name)
    done = run(video, tmp_path / "o.mp4", RenderOptions(preset="ultrafast"), step=8)
    written = probe(done.path)
    assert written.frames == done.frames == -(-known["decoded_frames"] // 8)
    assert written.rate == video.rate
    assert written.duration == pytest.approx(done.frames / video.rate, abs=0.001)
    assert len(written.sounds) == len(video.sounds)
    for track in range(len(video.sounds)):
        assert sound_seconds(done.path, track) == pytest.approx(float(done.duration), abs=float(1 / video.rate))
    with av.open(str(done.path)) as container:
        assert number(next(container.decode(video=0))) >= 0


RENDERED_AGAIN = """
import sys
from pathlib import Path
from saffa.media.probe import probe
from tests.media.test_render import mapped, render
video, selected = probe(Path(sys.argv[1])), [0, 10, 19, *range(27, 123, 6), 131, 142, 153, 164, 179, 199]
for turn in range(12):
    render(video, selected, mapped(video, selected), Path(sys.argv[1]).with_name(f"{turn}.{sys.argv[2]}"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere new memory cannot be filled")
@pytest.mark.parametrize("ending", ["mp4", "mkv", "webm"])
def test_the_same_frames_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    """x264 reads memory that nobody has written, so files differ a little; with all new memory alike, they must not."""
    source = make(tmp_path / "a.nut", Movie(frames=200, sounds=[Sound(rate=32000, layout="mono")]))
    filled = os.environ | {"MALLOC_PERTURB_": "85"}
    subprocess.run([sys.executable, "-c", RENDERED_AGAIN, str(source), ending], check=True, env=filled)
    assert len({path.read_bytes() for path in tmp_path.glob(f"*.{ending}")}) == 1
