"""Thumbnails: about two pictures a second, each with its true time, whatever the file is like."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from saffa.media.probe import probe
from saffa.media.thumbnails import MAX_THUMBNAILS, RATE, Thumbnail, thumbnail_rate, thumbnails
from tests.media.movies import Movie, make, number


def shown(look: Thumbnail) -> int:
    return number(av.VideoFrame.from_ndarray(look.picture))


@pytest.mark.parametrize("codec", ["libx264", "libx265", "libvpx-vp9", "mpeg4"])
def test_every_look_has_the_time_of_its_frame(tmp_path: Path, codec: str) -> None:
    suffix = ".webm" if codec == "libvpx-vp9" else ".mkv"
    video = probe(make(tmp_path / f"m{suffix}", Movie(frames=130, codec=codec)))
    found = list(thumbnails(video, 64))
    assert [round(look.time * 25) for look in found] == [shown(look) for look in found]
    cells = [int(look.time * RATE + 1e-6) for look in found]
    assert cells == sorted(set(cells))
    assert len(found) == 11  # 5.2 s


def test_uneven_frames_keep_their_times(tmp_path: Path) -> None:
    stamps = [*range(0, 1000, 40), 3000, 7000, *range(7100, 8000, 33)]
    movie = Movie(frames=len(stamps), stamps=stamps, time_base=Fraction(1, 1000), start=Fraction(3, 2))
    video = probe(make(tmp_path / "m.mkv", movie))
    found = list(thumbnails(video, 64))
    for look in found:
        assert look.time == pytest.approx(stamps[shown(look)] / 1000, abs=2e-3)
    assert {3.0, 7.0} <= {round(look.time, 2) for look in found}


def test_avi_is_counted(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "m.avi", Movie(frames=80, b_frames=2)))
    assert video.counted
    found = list(thumbnails(video, 64))
    assert [round(look.time * 25) for look in found] == [shown(look) for look in found]


def test_rotated_pictures_stand_upright(tmp_path: Path) -> None:
    upright = list(thumbnails(probe(make(tmp_path / "a.mp4", Movie(frames=60))), 64))
    turned = list(thumbnails(probe(make(tmp_path / "b.mp4", Movie(frames=60, rotation=90))), 64))
    for a, b in zip(upright, turned, strict=True):
        assert np.abs(np.rot90(a.picture, -1).astype(int) - b.picture).mean() < 3


def test_one_frame_is_a_look_and_long_videos_are_looked_at_less_often(tmp_path: Path) -> None:
    assert len(list(thumbnails(probe(make(tmp_path / "m.mp4", Movie(frames=1))), 64))) == 1
    assert thumbnail_rate(60) == RATE
    assert thumbnail_rate(36000) * 36000 == pytest.approx(MAX_THUMBNAILS)
