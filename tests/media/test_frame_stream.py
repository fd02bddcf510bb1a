"""Pictures of a video that is read once: in order, with their true index and time, skipped ones counted."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.media.live import LiveMovie
from saffa.media.probe import probe
from tests.media.movies import Movie, make, number


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
