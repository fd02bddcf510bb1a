"""Groups of pictures in which nothing is wanted are not decoded; times are those of the frames."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.media.probe import probe
from saffa.media.thumbnails import Glimpse, glimpses, key_pictures
from tests.media.movies import Movie, make, number

RATE = 25


def numbers(found: list[Glimpse]) -> list[int]:
    return [number(look.frame) for look in found]


@pytest.fixture(params=[0, 3])
def movie(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Eight groups of 50 frames, with and without B-frames, whose clock does not begin at zero."""
    options = {"g": "50", "keyint_min": "50", "sc_threshold": "0"}
    recipe = Movie(frames=400, options=options, b_frames=request.param, start=Fraction(2))
    return make(tmp_path / "movie.mp4", recipe)


def test_key_pictures_are_decoded_alone(movie: Path) -> None:
    found = list(key_pictures(probe(movie), 0.5))
    assert numbers(found) == list(range(0, 400, 50))
    assert [look.time for look in found] == pytest.approx([2.0 * k for k in range(8)])
    assert numbers(list(key_pictures(probe(movie), 3.0))) == list(range(0, 400, 100))


def test_wanted_groups_are_looked_at_as_often_as_asked(movie: Path) -> None:
    found = list(glimpses(probe(movie), 0.4, lambda time: 3.9 < time < 8.1))
    times = np.array([look.time for look in found])
    inside = times[(times >= 4) & (times < 10)]
    assert set(np.round(times[(times < 4) | (times >= 10)], 2)) == {0.0, 2.0, 10.0, 12.0, 14.0}
    assert np.diff(inside).min() >= 0.399
    assert np.diff(inside).max() <= 0.6  # pictures that no other one needs are skipped
    assert numbers(found) == [round(time * RATE) for time in times]


def test_a_film_of_key_pictures_is_not_decoded_whole(tmp_path: Path) -> None:
    movie = make(tmp_path / "movie.mp4", Movie(frames=200, options={"g": "1"}))
    found = list(glimpses(probe(movie), 1.0, lambda _: True))
    assert numbers(found) == list(range(0, 200, 25))


def test_where_times_cannot_be_believed_frames_are_counted(tmp_path: Path) -> None:
    movie = make(tmp_path / "movie.avi", Movie(frames=100, codec="mpeg4", options={"g": "50"}))
    found = list(key_pictures(probe(movie), 1.0))
    assert numbers(found) == [0, 25, 50, 75]
