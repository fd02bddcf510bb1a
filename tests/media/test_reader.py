"""The reader must give exactly the frames that were asked for."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import pytest

from saffa.core.video import Video
from saffa.media.container import Decode
from saffa.media.probe import probe
from saffa.media.reader import read_frames
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
