"""Reading goes on after damage: for pictures, sound and subtitles alike, until nothing more can be read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import av.error
import numpy as np
import pytest
from av.container import InputContainer
from av.packet import Packet

from saffa.core.errors import InputError
from saffa.media.container import BAD_READS, Decode, all_packets, open_movie, picture_stream
from saffa.media.probe import probe
from saffa.media.sound.track import read_sound
from saffa.media.subtitles.lines import embedded
from tests.media.movies import Movie, Sound, make


class Flaky:
    """A container of which every read fails `failures` times before it succeeds."""

    def __init__(self, container: InputContainer, failures: int) -> None:
        self._container, self._failures = container, failures
        self._left = failures
        self._packets: Iterator[Packet[Any]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._container, name)

    def __enter__(self) -> Flaky:
        return self

    def __exit__(self, *_: object) -> None:
        self._container.close()

    def demux(self, *streams: Any) -> Iterator[Packet[Any]]:
        self._packets = self._packets or self._container.demux(*streams)
        while True:
            if self._left:
                self._left -= 1
                raise av.error.InvalidDataError(1, "bad read")
            self._left = self._failures
            packet = next(self._packets, None)
            if packet is None:
                return
            yield packet


def flaky(path: Path, failures: int) -> InputContainer:
    return cast(InputContainer, Flaky(open_movie(path), failures))


@pytest.fixture(scope="module")
def movie(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cues = [(k * 1000, k * 1000 + 800, f"line {k}") for k in range(5)]
    return make(tmp_path_factory.mktemp("movie") / "a.mkv", Movie(frames=150, sounds=[Sound()], cues=cues))


def test_a_read_that_fails_is_tried_again(movie: Path) -> None:
    """As often as it takes in all, if there is something between the failures."""
    places: list[int] = []
    with open_movie(movie) as container:
        plain = [(p.stream_index, p.pts) for p in all_packets(container)]
    with flaky(movie, BAD_READS - 1) as container:
        found = [(p.stream_index, p.pts) for p in all_packets(container, failed=lambda: places.append(1))]
    assert found == plain
    assert len(places) == len(plain) + 1


def test_a_file_that_only_fails_is_over(movie: Path) -> None:
    with flaky(movie, BAD_READS) as container:
        assert list(all_packets(container)) == []


def test_subtitles_after_a_bad_read(movie: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = probe(movie)
    monkeypatch.setattr("saffa.media.subtitles.lines.open_movie", lambda path: flaky(path, 1))
    assert [cue.text for cue in embedded(video, video.subtitles[0])] == [f"line {k}" for k in range(5)]


def test_sound_after_many_bad_reads(movie: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = probe(movie)
    track = video.sounds[0]
    whole = np.concatenate(list(read_sound(video, track)))
    monkeypatch.setattr("saffa.media.sound.track.open_movie", lambda path: flaky(path, 1))
    np.testing.assert_array_equal(np.concatenate(list(read_sound(video, track))), whole)
    assert abs(whole[-1000:]).max() > 0  # not the silence of a track that ended early


def test_pictures_after_bad_reads(movie: Path) -> None:
    with flaky(movie, 1) as container:
        run = Decode(container, picture_stream(container, movie))
        assert sum(1 for _ in run.frames()) == 150
        assert run.damage > 100


def test_damaged_flv_is_read_or_refused(tmp_path: Path) -> None:
    """Damage can make streams begin half-way, over which PyAV stumbles."""
    data = make(tmp_path / "a.flv", Movie(frames=60, sounds=[Sound()])).read_bytes()
    chance = random.Random(1)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chance.choice([1, 3, 10, 40])):
            damaged[chance.randrange(len(data))] = chance.randrange(256)
        (tmp_path / "b.flv").write_bytes(damaged)
        with suppress(InputError):
            assert probe(tmp_path / "b.flv").frames > 0
