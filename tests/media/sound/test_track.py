from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from av.audio.frame import AudioFrame

from saffa.media.probe import probe
from saffa.media.sound import track as module
from saffa.media.sound.track import read_sound
from tests.media.clicks import Samples, click_sound, make_video

CLICKS = [0.5, 1.2, 2.64, 3.8]
FRAMES = 100  # 4 seconds; the sound below is 5 seconds long


def heard(path: Path, channels: int = 1) -> tuple[Samples, list[float]]:
    """The file's sound and the times of its clicks."""
    video = probe(path)
    track = video.sounds[0]
    sound = np.concatenate(list(read_sound(video, track)))
    assert sound.shape == (round(video.duration * track.rate), channels)
    assert sound.dtype == np.float32
    loud = np.flatnonzero(np.abs(sound[:, 0]) > 0.3)
    starts = loud[np.diff(loud, prepend=-track.rate) > track.rate // 10]
    return sound, [float(i) / track.rate for i in starts]


def made(path: Path, rate: int = 48000, channels: int = 1, seconds: float = 5, **options: Any) -> Path:
    sound = click_sound(CLICKS, seconds, rate, channels)
    return make_video(path, sound, frames=FRAMES, rate=rate, **options)


@pytest.mark.parametrize(
    ("name", "codec", "channels", "rate"),
    [
        ("a.mp4", "aac", 1, 44100),
        ("a.mp4", "aac", 6, 48000),
        ("a.mp4", "libmp3lame", 2, 48000),
        ("a.mkv", "aac", 2, 22050),
        ("a.mkv", "libopus", 2, 48000),
        ("a.mkv", "flac", 2, 96000),
        ("a.mkv", "pcm_u8", 1, 8000),
        ("a.mov", "pcm_s16le", 8, 48000),
        ("a.mkv", "aac", 8, 48000),
        ("a.mkv", "pcm_s24le", 2, 48000),
        ("a.mkv", "pcm_s32le", 2, 48000),
        ("a.mkv", "pcm_f32le", 2, 48000),
        ("a.mkv", "pcm_f64le", 2, 48000),
        ("a.ts", "aac", 2, 48000),
        ("a.avi", "pcm_s16le", 2, 48000),
    ],
)
def test_clicks_are_where_they_were_put(tmp_path: Path, name: str, codec: str, channels: int, rate: int) -> None:
    sound, clicks = heard(made(tmp_path / name, rate, channels, codec=codec), channels)
    assert clicks == pytest.approx(CLICKS, abs=0.002)
    assert 0.5 < np.abs(sound).max() < 1.3


@pytest.mark.parametrize("codec", ["pcm_s32le", "pcm_f32le", "pcm_f64le"])
def test_lossless_sound_is_exact(tmp_path: Path, codec: str) -> None:
    sound, _ = heard(made(tmp_path / "a.mkv", codec=codec))
    assert np.allclose(sound, click_sound(CLICKS, 5)[: len(sound)], atol=1e-7)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
@pytest.mark.parametrize(("picture_at", "sound_at"), [(1, 0), (0, 1), (2, 1)])
def test_start_times_are_honoured(tmp_path: Path, name: str, picture_at: int, sound_at: int) -> None:
    _, clicks = heard(made(tmp_path / name, picture_at=picture_at, sound_at=sound_at))
    shift = sound_at - picture_at
    assert clicks == pytest.approx([t + shift for t in CLICKS if 0 <= t + shift < 4], abs=0.002)


def test_short_sound_ends_in_silence(tmp_path: Path) -> None:
    sound, clicks = heard(made(tmp_path / "a.mkv", seconds=2, codec="flac"))
    assert clicks == pytest.approx(CLICKS[:2], abs=0.001)
    assert not sound[2 * 48000 :].any()


@pytest.mark.parametrize("shift", [0.5, -0.25, 0.01, -0.01])
def test_gaps_overlaps_and_jitter(tmp_path: Path, shift: float) -> None:
    hole = (2 * 48000, round(shift * 48000))
    sound, clicks = heard(made(tmp_path / "a.mkv", codec="pcm_f32le", hole=hole))
    moved = shift if abs(shift) > 0.02 else 0  # small errors of time stamps are not worth a seam
    assert clicks == pytest.approx([t + moved * (t > 2) for t in CLICKS if t + moved < 4], abs=0.001)
    if shift > 0.02:
        assert not sound[round(2.01 * 48000) : round(2.49 * 48000)].any()


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "aac"), ("a.mkv", "libopus"), ("a.mkv", "flac")])
def test_damaged_packets_do_not_move_the_rest(tmp_path: Path, name: str, codec: str) -> None:
    sound, clicks = heard(made(tmp_path / name, codec=codec, broken=range(14, 18)))
    assert np.isfinite(sound).all()
    assert clicks[-2:] == pytest.approx(CLICKS[-2:], abs=0.021)


def test_truncated_file_is_silent_at_the_end(tmp_path: Path) -> None:
    path = made(tmp_path / "a.mkv", codec="pcm_s16le")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    _, clicks = heard(path)
    assert clicks[:1] == pytest.approx(CLICKS[:1], abs=0.001)


def test_gap_is_faded_not_clicked() -> None:
    line = module._Line(1000, 1, 100)
    tone = np.ones((20, 1), np.float32)
    out = np.concatenate([*line.put(tone, 0), *line.put(tone, 60), *line.finish()])[:, 0]
    assert len(out) == 100
    assert np.abs(np.diff(out)).max() <= 0.5
    assert out[10] == out[70] == 1
    assert not out[21:59].any()


def test_a_track_that_changes_half_way_goes_on(tmp_path: Path) -> None:
    track = replace(probe(made(tmp_path / "a.mkv")).sounds[0], rate=48000, channels=2, layout="stereo")
    shape = module._Shape(track)
    parts = []
    for name, layout, rate in [("s16", "stereo", 48000), ("fltp", "mono", 44100), ("u8p", "5.1", 48000)]:
        frame = _tone(name, layout, rate)
        parts += list(shape.of(frame))
    parts += list(shape.rest())
    sound = np.concatenate(parts)
    assert sound.shape[1] == 2
    assert len(sound) == pytest.approx(3 * 4800, abs=50)


def test_damaged_floats_become_sound() -> None:
    planes = np.array([[0.5, np.nan, np.inf, -1e30, 0.25]], np.float32)
    frame = AudioFrame.from_ndarray(planes, "fltp", "mono")
    assert module._floats(frame)[:, 0].tolist() == [0.5, 0.0, 4.0, -4.0, 0.25]


def test_sound_that_goes_on_behind_the_end_is_cut_and_not_faded() -> None:
    for longer in (0, 1, 10):  # fewer samples than a fade has
        line = module._Line(8000, 1, 1000)
        given = list(line.put(np.ones((1000 + longer, 1), np.float32), 0))
        assert line.full
        sound = np.concatenate([*given, *line.finish()])
        np.testing.assert_array_equal(sound, np.ones((1000, 1), np.float32))
    short = module._Line(8000, 1, 1000)
    given = list(short.put(np.ones((900, 1), np.float32), 0))
    assert not short.full
    sound = np.concatenate([*given, *short.finish()])[:, 0]
    assert len(sound) == 1000 and sound[800] == 1 and 0 < sound[899] < 0.1 and not sound[900:].any()


def test_silence_for_hours_is_given_in_small_blocks() -> None:
    line = module._Line(8000, 2, 8000 * 3600 * 5)
    sizes = [len(block) for block in line.finish()]
    assert sum(sizes) == 8000 * 3600 * 5
    assert max(sizes) <= module.SILENT_BLOCK


def _tone(name: str, layout: str, rate: int) -> AudioFrame:
    frame = AudioFrame(name, layout, rate // 10)
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
    return frame
