"""What the probe says must be what decoding shows."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.core.video import Colour, Video
from saffa.media import index
from saffa.media.frame_stream import read_frames, upright
from saffa.media.probe import probe
from tests.media.movies import Movie, Sound, make

KINDS = {
    "plain.mp4": Movie(),
    "b_frames.mp4": Movie(frames=300, options={"preset": "veryfast", "bf": "3"}),
    "ntsc.mov": Movie(rate=Fraction(30000, 1001)),
    "sixty.mkv": Movie(rate=Fraction(60)),
    "mpeg4.avi": Movie(codec="mpeg4"),
    "mpeg4_b_frames.avi": Movie(codec="mpeg4", b_frames=2),
    "h264_b_frames.avi": Movie(frames=200, options={"preset": "veryfast", "bf": "3"}),
    "vp9.webm": Movie(codec="libvpx-vp9"),
    "av1.mkv": Movie(codec="libsvtav1"),
    "hevc.mp4": Movie(codec="libx265"),
    "broadcast.ts": Movie(),
    "late.mkv": Movie(start=Fraction(5)),
    "one.mp4": Movie(frames=1),
}


@pytest.mark.parametrize("name", KINDS)
def test_frames_and_times_are_those_that_decode(tmp_path: Path, name: str) -> None:
    movie = KINDS[name]
    video = probe(make(tmp_path / name, movie))
    with av.open(str(video.path)) as container:
        shown = sorted(f.pts for f in container.decode(video=0) if f.pts is not None)
    assert video.frames == movie.frames == len(shown)
    # AVI has no presentation times: libav makes them up, a frame or two late.
    late = shown[0] if name.endswith(".avi") else 0
    assert (video.ticks + video.origin).tolist() == [time - late for time in shown]
    assert video.ticks[0] == 0
    assert video.rate == movie.rate
    assert not video.variable_rate
    assert video.duration == pytest.approx(movie.frames / movie.rate, abs=0.002)
    assert video.frame_time(video.frames - 1) == pytest.approx((movie.frames - 1) / movie.rate, abs=0.001)
    assert not video.warnings


@pytest.mark.parametrize("name", ["plain.mp4", "b_frames.mp4", "vp9.webm", "av1.mkv", "hevc.mp4"])
def test_fast_look_needs_no_full_decode(tmp_path: Path, name: str) -> None:
    assert not index.index_frames(make(tmp_path / name, KINDS[name])).decoded


def test_variable_rate(tmp_path: Path) -> None:
    stamps = [0, 40, 80, 200, 210, 220, 500, 540, 900, 940]
    video = probe(make(tmp_path / "a.mkv", Movie(stamps=stamps, time_base=Fraction(1, 1000))))
    assert video.variable_rate
    assert video.ticks.tolist() == stamps
    assert np.allclose(video.times(), np.array(stamps) / 1000)
    assert Fraction(940, 1000) < video.duration < Fraction(13, 10)
    assert video.frames / video.rate == pytest.approx(float(video.duration), rel=1e-5)


def test_a_file_of_which_only_the_first_part_came(tmp_path: Path) -> None:
    """Programs that fetch files make them in their full size first; the rest is zeros, and looks like an end."""
    path = make(tmp_path / "a.mkv", Movie(frames=300, options={"g": "10"}))
    assert probe(path).missing == 0
    size = path.stat().st_size
    os.truncate(path, size // 3)
    os.truncate(path, size)
    video = probe(path)
    assert video.missing == 300 - video.frames > 150
    assert f"{video.missing} of 300 frames are missing" in video.warnings[0]


@pytest.mark.parametrize("hours", [3, 1100])
def test_a_broken_clock_is_refused(tmp_path: Path, hours: int) -> None:
    """Some pictures that claim to be shown for hours would become millions of slots; a still of minutes is fine."""
    stamps = [0, 40, 80, *(hours * 3_600_000 + i * 40 for i in range(20))]
    source = make(tmp_path / "a.mkv", Movie(stamps=stamps, time_base=Fraction(1, 1000)))
    with pytest.raises(InputError, match="has broken time stamps: 23 pictures in"):
        probe(source)
    stamps = [0, 40, 80, *(600_000 + i * 40 for i in range(20))]
    assert probe(make(tmp_path / "b.mkv", Movie(stamps=stamps, time_base=Fraction(1, 1000)))).frames == 23


@pytest.mark.parametrize("tag", [1000, 90000])
def test_absurd_rate_tags_are_not_believed(tmp_path: Path, tag: int) -> None:
    stamps = [i * tag // 25 for i in range(50)]
    movie = Movie(rate=Fraction(tag), stamps=stamps, time_base=Fraction(1, tag))
    video = probe(make(tmp_path / "a.mp4", movie))
    assert video.rate == 25
    assert video.frames == 50


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.mkv"])
@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotation(tmp_path: Path, name: str, rotation: int) -> None:
    video = probe(make(tmp_path / name, Movie(frames=3, rotation=rotation)))
    assert video.rotation == rotation
    assert (video.width, video.height) == (96, 72)
    assert video.size == ((96, 72) if rotation == 180 else (72, 96))


def test_picture_properties(tmp_path: Path) -> None:
    movie = Movie(codec="libx265", pix_fmt="yuv420p10le", colour=(9, 16, 9, 1), pixel_aspect=Fraction(4, 3), frames=5)
    video = probe(make(tmp_path / "a.mkv", movie))
    assert video.pixel_format == "yuv420p10le"
    assert video.colour == Colour(9, 16, 9, 1)
    assert video.colour.is_hdr
    assert video.pixel_aspect == Fraction(4, 3)
    assert video.codec == "hevc"


def test_odd_size(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.webm", Movie(size=(95, 71), codec="libvpx-vp9", frames=5)))
    assert video.size == (95, 71)


def test_sound_tracks(tmp_path: Path) -> None:
    sounds = [
        Sound(44100, "stereo", "eng", "Talk", default=False),
        Sound(48000, "mono", "deu"),
        Sound(48000, "5.1"),
    ]
    video = probe(make(tmp_path / "a.mp4", Movie(sounds=sounds)))
    assert [(s.rate, s.channels, s.layout) for s in video.sounds] == [
        (44100, 2, "stereo"),
        (48000, 1, "mono"),
        (48000, 6, "5.1"),
    ]
    assert [s.language for s in video.sounds] == ["eng", "deu", None]
    assert video.sounds[0].title == "Talk"
    assert [s.default for s in video.sounds][:2] == [False, True]
    assert [s.index for s in video.sounds] == [1, 2, 3]


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.webm"])
def test_subtitles_and_chapters(tmp_path: Path, name: str) -> None:
    codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
    movie = Movie(codec=codec, cues=[(200, 900, "Hi")], chapters=[(0, 1000, "One"), (1000, 2400, "Two")])
    video = probe(make(tmp_path / name, movie))
    assert [t.is_text for t in video.subtitles] == [True]
    assert [(c.start, c.end, c.title) for c in video.chapters] == [
        (Fraction(0), Fraction(1), "One"),
        (Fraction(1), Fraction(12, 5), "Two"),
    ]


def test_time_zero_is_the_first_frame(tmp_path: Path) -> None:
    """A picture that starts 5 s late: its chapters and its sidecar are counted from the first frame."""
    movie = Movie(start=Fraction(5), chapters=[(5000, 6000, "One"), (6000, 7400, "Two")], sounds=[Sound()])
    video = probe(make(tmp_path / "a.mkv", movie))
    assert video.origin * video.time_base == 5
    assert video.ticks[0] == 0
    assert video.container_start == pytest.approx(0, abs=0.05)
    assert [(c.start, c.end) for c in video.chapters] == [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(12, 5))]


def cut(path: Path, share: float) -> Path:
    os.truncate(path, int(path.stat().st_size * share))
    return path


@pytest.mark.parametrize("name", ["a.mp4", "a.avi", "a.mkv"])
def test_truncated_file_gives_what_decodes_and_warns(tmp_path: Path, name: str) -> None:
    movie = Movie(frames=200, codec="mpeg4" if name.endswith("avi") else "libx264")
    video = probe(cut(make(tmp_path / name, movie), 0.6))
    assert 60 < video.frames < 180
    assert len(video.warnings) == 1
    assert "cut short" in video.warnings[0]


@pytest.mark.parametrize(
    ("name", "least", "recovers"),
    [
        ("a.mp4", 150, True),
        ("a.ts", 150, True),  # packets are missing, but none is seen to be broken
        ("a.mkv", 60, False),  # libav finds its way back at the next cluster (5 s) at best
        ("b.mkv", 60, True),
        ("a.webm", 60, False),
    ],
)
def test_hole_in_the_middle(tmp_path: Path, name: str, least: int, recovers: bool) -> None:
    codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
    frames = 400 if name == "b.mkv" else 200
    path = make(tmp_path / name, Movie(frames=frames, codec=codec, options={"g": "20"}))
    assert not probe(path).warnings
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + len(data) // 10] = bytes(len(data) // 10)
    path.write_bytes(data)
    video = probe(path)
    assert least < video.frames < frames
    assert len(video.warnings) == 1
    assert abs(video.missing - (frames - video.frames)) <= 2
    if recovers:
        assert video.duration == pytest.approx(frames / 25, abs=0.1)  # what comes after the hole is used


def test_no_frame_decodes(tmp_path: Path) -> None:
    path = make(tmp_path / "a.mp4")
    data = bytearray(path.read_bytes())
    media = data.index(b"mdat") + 4
    data[media:] = bytes(len(data) - media)
    path.write_bytes(data)
    with pytest.raises(InputError, match="no picture that can be decoded"):
        probe(path)


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def sound_only(path: Path) -> Path:
    with av.open(str(path), "w") as container:
        track = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((2, 44100), np.float32), format="fltp", layout="stereo")
        frame.sample_rate = 44100
        container.mux(track.encode(frame))
        container.mux(track.encode(None))
    return path


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("maker", "says"),
    [
        (lambda d: d / "nothing.mp4", "does not exist"),
        (lambda d: folder(d / "folder.mp4"), "is a folder"),
        (lambda d: written(d / "a.mp4", b""), "is empty"),
        (lambda d: written(d / "a.txt", b"Boil the pasta.\n" * 40), "is a text, not a video"),
        (lambda d: written(d / "a.mp4", "Die Soße rühren.\n".encode() * 400), "is a text, not a video"),
        (lambda d: written(d / "a.mp4", bytes(range(256)) * 40), "cannot be read as a video"),
        (lambda d: written(d / "a.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHi\n\n"), "is a text, not a video"),
        (lambda d: sound_only(d / "a.m4a"), "only sound"),
        (lambda d: cut(make(d / "a.mp4", Movie(faststart=False)), 0.5), "cannot be read as a video"),
    ],
)
def test_bad_input_is_one_plain_line(
    tmp_path: Path, maker: object, says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert callable(maker)
    path = maker(tmp_path)
    with pytest.raises(InputError, match=says) as caught:
        probe(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_an_address_is_told_as_it_was_typed() -> None:
    with pytest.raises(InputError, match=r"^https://example\.com/a\.mp4 is an address; save the video"):
        probe(Path("https://example.com/a.mp4"))


def test_single_picture_is_not_a_video(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    with av.open(str(path), "w", format="image2", container_options={"update": "1"}) as container:
        stream = container.add_stream("png", rate=1, width=32, height=32, pix_fmt="rgb24")
        frame = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8))
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(InputError, match="picture"):
        probe(path)


def test_cover_art_does_not_count_as_video(tmp_path: Path) -> None:
    """A cover picture in a sound file, added as a video stream marked `attached_pic`."""
    path = tmp_path / "a.m4a"
    with av.open(str(path), "w", format="mp4") as container:
        cover = container.add_stream("mjpeg", rate=1, width=32, height=32, pix_fmt="yuvj420p")
        cover.disposition = av.stream.Disposition.attached_pic
        track = container.add_stream("aac", rate=44100)
        container.mux(cover.encode(av.VideoFrame(32, 32, "yuvj420p")))
        container.mux(cover.encode(None))
        frame = av.AudioFrame.from_ndarray(np.zeros((2, 44100), np.float32), format="fltp", layout="stereo")
        frame.sample_rate = 44100
        container.mux(track.encode(frame))
        container.mux(track.encode(None))
    with pytest.raises(InputError, match="only sound"):
        probe(path)


@pytest.mark.parametrize("name", ["a.mkv", "a.mp4"])
def test_a_cover_that_is_not_called_so(tmp_path: Path, name: str) -> None:
    """A single picture as the first track of video: the moving one is watched."""
    path = tmp_path / name
    with av.open(str(path), "w") as container:
        cover = container.add_stream("mjpeg", rate=25, width=64, height=48, pix_fmt="yuvj420p")
        movie = container.add_stream("libx264", rate=25, width=32, height=32, pix_fmt="yuv420p")
        packets = [*cover.encode(av.VideoFrame(64, 48, "yuvj420p")), *cover.encode(None)]
        for _ in range(10):
            packets += movie.encode(av.VideoFrame(32, 32, "yuv420p"))
        for packet in (*packets, *movie.encode(None)):
            container.mux(packet)
    assert (probe(path).frames, probe(path).width) == (10, 32)


@pytest.mark.parametrize(("claimed", "turned"), [(10, 0), (50, 90), (136, 180)])
def test_a_rotation_by_no_quarter_turn(tmp_path: Path, claimed: int, turned: int) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=3, rotation=claimed)))
    assert video.rotation == turned
    assert {upright(frame, video.rotation).shape for _, frame in read_frames(video, [0, 2])} == {(*video.size[::-1], 3)}


def test_names_that_look_like_addresses(tmp_path: Path) -> None:
    assert probe(make(tmp_path / "a.mp4", Movie(frames=3)).rename(tmp_path / "http: 100%d.mp4")).frames == 3


def test_progress_is_reported_while_counting(tmp_path: Path) -> None:
    heard: list[float] = []
    probe(make(tmp_path / "a.avi", Movie(codec="mpeg4", frames=300)), progress=heard.append)
    assert len(heard) >= 3
    assert heard == sorted(heard)
    assert all(0 <= share <= 1 for share in heard)


def real_videos() -> list[str]:
    listing = Path(__file__).resolve().parents[3] / "shared" / "data" / "videos" / "videos.json"
    return sorted(json.loads(listing.read_text())) if listing.exists() else ["(none)"]


@pytest.mark.parametrize("name", real_videos())
def test_real_files(shared_data: Path, name: str) -> None:
    known = json.loads((shared_data / "videos" / "videos.json").read_text())[name]
    video: Video = probe(shared_data / "videos" / name)
    assert video.frames == known["decoded_frames"]
    assert video.size == (known["width"], known["height"])
    assert video.codec == known["codec"]
    assert bool(video.sounds) == bool(known["audio"])
    assert not video.warnings
    assert not video.variable_rate
    assert str(Fraction(known["r_frame_rate"])) == str(video.rate)
