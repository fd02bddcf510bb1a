"""Frames are given exactly as asked for: of a probed file, and of a video that is read once."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from saffa.core.video import Video
from saffa.media.container import Decode
from saffa.media.frame_stream import read_frames
from saffa.media.live import LiveMovie
from saffa.media.probe import probe
from tests.media.movies import Movie, make, number
from tests.media.test_probe import real_videos

UNEVEN = [0, 40, 80, 200, 210, 220, 500, 540, 900, 940, 1000, 1500]
KINDS = {
    "plain.mp4": Movie(),
    "b_frames.mp4": Movie(frames=200, options={"preset": "veryfast", "bf": "3", "b-pyramid": "normal"}),
    "hevc.mkv": Movie(codec="libx265", options={"preset": "veryfast"}),
    "mpeg4.avi": Movie(codec="mpeg4", b_frames=2),
    "h264.avi": Movie(frames=200, options={"preset": "veryfast", "bf": "3"}),
    "vp9.webm": Movie(codec="libvpx-vp9"),
    "uneven.mkv": Movie(frames=12, stamps=UNEVEN, time_base=Fraction(1, 1000)),
    "late.mkv": Movie(start=Fraction(5)),
    "broadcast.ts": Movie(),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_wanted_frames_in_order(tmp_path: Path, name: str, step: int) -> None:
    video = probe(make(tmp_path / name, KINDS[name]))
    wanted = list(range(0, video.frames, step))
    got = list(read_frames(video, wanted))
    assert [i for i, _ in got] == wanted
    assert [number(frame) for _, frame in got] == wanted


def test_all_frames_and_none(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4"))
    assert [i for i, _ in read_frames(video)] == list(range(60))
    assert list(read_frames(video, [])) == []


@pytest.mark.parametrize("wanted", [[3, 3], [5, 4], [-1, 2], [0, 60]])
def test_wanted_must_be_increasing_indices(tmp_path: Path, wanted: list[int]) -> None:
    video = probe(make(tmp_path / "a.mp4"))
    with pytest.raises(ValueError, match="strictly increasing"):
        list(read_frames(video, wanted))


def test_frames_without_times_are_counted(tmp_path: Path) -> None:
    """A raw H.264 stream has no clock at all."""
    source = make(tmp_path / "a.mp4")
    raw = tmp_path / "a.h264"
    with av.open(str(source)) as container, raw.open("wb") as file:
        convert = av.bitstream.BitStreamFilterContext("h264_mp4toannexb", container.streams.video[0])
        for packet in container.demux(video=0):
            for part in convert.filter(packet if packet.size else None):
                file.write(bytes(part))
    video = probe(raw)
    assert video.counted
    assert video.frames == 60
    assert [number(f) for _, f in read_frames(video, [0, 7, 31, 59])] == [0, 7, 31, 59]


def test_missing_frames_are_filled_with_the_nearest(tmp_path: Path) -> None:
    """The file loses a stretch after it was probed: every slot is still answered, and it is said."""
    path = make(tmp_path / "a.mp4", Movie(frames=200, options={"g": "20"}))
    video = probe(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + len(data) // 8] = bytes(len(data) // 8)
    path.write_bytes(data)
    heard: list[str] = []
    got = list(read_frames(video, range(0, 200, 2), warn=heard.append))
    assert [i for i, _ in got] == list(range(0, 200, 2))
    shown = [number(frame) for _, frame in got]
    assert shown[:30] == list(range(0, 60, 2))
    assert shown[-20:] == list(range(160, 200, 2))
    assert len(heard) == 1
    assert "nearest" in heard[0]


def test_stops_after_the_last_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=400)))
    decoded = 0
    original = Decode.frames

    def counted(self: Decode) -> Iterator[av.VideoFrame]:
        nonlocal decoded
        for frame in original(self):
            decoded += 1
            yield frame

    monkeypatch.setattr(Decode, "frames", counted)
    assert [number(f) for _, f in read_frames(video, [0, 10])] == [0, 10]
    assert decoded < 50


def crc(frame: av.VideoFrame) -> int:
    return zlib.crc32(frame.to_ndarray().tobytes())


@pytest.mark.parametrize("name", real_videos())
def test_sparse_reading_changes_no_pixel(shared_data: Path, name: str) -> None:
    """Skipping what nothing refers to must not touch what is shown."""
    video: Video = probe(shared_data / "videos" / name)
    every = {i: crc(frame) for i, frame in read_frames(video) if i % 9 == 0}
    some = {i: crc(frame) for i, frame in read_frames(video, range(0, video.frames, 9))}
    assert some == every


@pytest.mark.parametrize(
    ("name", "movie"),
    [
        ("m.mp4", Movie(frames=120, b_frames=3)),
        ("m.mkv", Movie(frames=120, b_frames=3)),
        ("late.mkv", Movie(frames=120, start=Fraction(5))),
        ("m.webm", Movie(frames=60, codec="libvpx-vp9")),
        ("m.ts", Movie(frames=120, b_frames=2)),
        ("m.avi", Movie(frames=120, codec="mpeg4", b_frames=2)),
        ("film.mp4", Movie(frames=120, rate=Fraction(24000, 1001))),
    ],
)
def test_each_has_its_number_and_time(tmp_path: Path, name: str, movie: Movie) -> None:
    source = make(tmp_path / name, movie)
    video = probe(source)
    with LiveMovie(source) as live:
        found = [(picture.index, number(picture.frame), picture.time) for picture in live]
        assert live.pictures.frames == video.frames == live.frames
        assert (live.video.rate, live.pictures.end) == (video.rate, video.duration)
        assert not live.pictures.uneven
    assert [(i, shown) for i, shown, _ in found] == [(i, i) for i in range(movie.frames)]
    assert all(abs(time - video.frame_time(i)) <= Fraction(1, 500) for i, _, time in found)


def test_what_is_not_wanted_is_skipped_and_counted(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mp4", Movie(frames=300, b_frames=3, options={"preset": "fast", "bf": "3"}))
    with LiveMovie(source) as live:
        seen, wanted = {}, 0
        for picture in live:
            seen[picture.index] = number(picture.frame)
            if picture.index >= wanted:
                wanted = picture.index + 40
                live.pictures.wanted = wanted / live.video.rate
        assert live.pictures.frames == 300
    assert all(index == shown for index, shown in seen.items())
    assert len(seen) < 250, "pictures that nothing refers to are not decoded"
    assert sorted(seen) == list(seen)


def test_uneven_times(tmp_path: Path) -> None:
    stamps = np.cumsum(np.random.default_rng(0).choice([20, 40, 90], 80)).tolist()
    source = make(tmp_path / "m.mkv", Movie(stamps=stamps, time_base=Fraction(1, 1000)))
    with LiveMovie(source) as live:
        times = [picture.time for picture in live]
        assert live.pictures.uneven
    assert times == [Fraction(stamp - stamps[0], 1000) for stamp in stamps]


def test_a_decoder_that_gives_pictures_out_of_order(shared_data: Path) -> None:
    source = shared_data / "videos" / "opencv_box.mp4"
    video = probe(source)
    with LiveMovie(source) as live:
        found = [(picture.index, picture.time) for picture in live]
        assert live.video.rate == video.rate
    assert found == [(i, video.frame_time(i)) for i in range(video.frames)]


def test_damage_is_counted_as_in_two_passes(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mkv", Movie(frames=200))
    data = bytearray(source.read_bytes())
    for at in np.random.default_rng(3).integers(len(data) // 4, len(data), 10):
        data[at] ^= 0xFF
    source.write_bytes(data)
    (told,) = probe(source).warnings
    with LiveMovie(source) as live:
        partly = sum(picture.frame.is_corrupt for picture in live)
        assert partly > 0
        assert f"damaged in {live.pictures.damage} place(s)" in told
