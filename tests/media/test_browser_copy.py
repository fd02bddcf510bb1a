"""What a browser can play is known, and what it cannot gets a small copy with the same clock."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import pytest

from saffa.media.browser_copy import plays_in_browsers, write_browser_copy
from saffa.media.probe import probe
from tests.media.movies import Movie, Sound, make, numbers

TEN_BITS = Movie(frames=30, codec="libx264", pix_fmt="yuv420p10le")


@pytest.mark.parametrize(
    ("name", "movie", "plays"),
    [
        ("m.mp4", Movie(frames=30, sounds=[Sound()]), True),
        ("m.webm", Movie(frames=30, codec="libvpx-vp9", sounds=[Sound(rate=48000, codec="libopus")]), True),
        ("hevc.mp4", Movie(frames=30, codec="libx265"), False),
        ("asp.avi", Movie(frames=30, codec="mpeg4"), False),
        ("ten.mp4", TEN_BITS, False),
        ("m.mkv", Movie(frames=30), False),
    ],
)
def test_what_browsers_play(tmp_path: Path, name: str, movie: Movie, plays: bool) -> None:
    assert plays_in_browsers(probe(make(tmp_path / name, movie))) is plays


def test_the_copy_has_every_frame_at_its_time(tmp_path: Path) -> None:
    movie = Movie(frames=60, codec="libx265", start=Fraction(2), sounds=[Sound()])
    told: list[float] = []
    write_browser_copy(probe(make(tmp_path / "m.mp4", movie)), tmp_path / "copy.mp4", told.append)
    copy = probe(tmp_path / "copy.mp4")
    assert plays_in_browsers(copy)
    assert (float(copy.container_start), copy.duration, len(copy.sounds)) == (0.0, Fraction(60, 25), 1)
    assert numbers(tmp_path / "copy.mp4") == list(range(60))
    assert told[-1] == 1.0
    with av.open(str(tmp_path / "copy.mp4")) as container:
        keys = [frame.time for frame in container.decode(video=0) if frame.key_frame and frame.time is not None]
    assert max(b - a for a, b in pairwise(keys)) <= 0.521


def test_a_large_turned_picture_becomes_small_and_upright(tmp_path: Path) -> None:
    source = probe(make(tmp_path / "m.mp4", Movie(frames=10, size=(1920, 1080), rotation=90)))
    write_browser_copy(source, tmp_path / "copy.mp4", lambda _: None)
    copy = probe(tmp_path / "copy.mp4")
    assert copy.rotation == 0
    assert copy.size == (480, 854)
