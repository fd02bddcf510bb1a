"""A file that only points to other files or addresses is never followed, whatever its name says."""

from __future__ import annotations

import io
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from saffa.core.errors import InputError
from saffa.media.container import open_movie
from saffa.media.pipe import Pipe
from saffa.media.probe import probe
from tests.media.movies import Movie, make

PLAYLISTS: dict[str, Callable[[Path], str]] = {
    "hls": lambda movie: f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{movie}\n#EXT-X-ENDLIST\n",
    "endless hls": lambda movie: f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{movie}\n",
    "hls by protocol": lambda movie: f"#EXTM3U\n#EXTINF:9,\nconcat:{movie}|{movie}\n#EXT-X-ENDLIST\n",
    "concat": lambda movie: f"ffconcat version 1.0\nfile '{movie.name}'\n",
    "sdp": lambda _: "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
    "dash": lambda movie: (
        '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
        'mediaPresentationDuration="PT9S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1">'
        f"<BaseURL>file://{movie}</BaseURL></Representation></AdaptationSet></Period></MPD>\n"
    ),
}


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A video that somebody else's playlist must not reach."""
    return make(tmp_path_factory.mktemp("private") / "private.ts", Movie(frames=30))


@pytest.mark.parametrize("kind", PLAYLISTS)
@pytest.mark.parametrize("name", ["a.mp4", "a.m3u8", "a.mpd", "a.sdp", "a.ffconcat", "a.ts"])
def test_a_file_that_names_others(private: Path, kind: str, name: str) -> None:
    path = private.parent / name
    path.write_text(PLAYLISTS[kind](private))
    with pytest.raises(InputError, match="is a playlist, not a video"):
        probe(path)


@pytest.mark.parametrize("kind", PLAYLISTS)
def test_the_same_on_standard_input(private: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(private.parent)
    text = PLAYLISTS[kind](private).encode()
    with pytest.raises(InputError, match="standard input is a playlist"):
        Pipe(io.BytesIO(text), "standard input").open()


def test_numbered_pictures_beside_the_file(tmp_path: Path) -> None:
    for k in range(3):
        (tmp_path / f"a{k}.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    (tmp_path / "a%d.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(100))
    with pytest.raises(InputError, match="single picture"):
        probe(tmp_path / "a%d.jpg")


def test_ctrl_c_ends_a_read_that_waits() -> None:
    reading, writing = os.pipe()
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt), os.fdopen(reading, "rb") as file:
        Pipe(file, "a pipe that nobody writes to").open()
    timer.join()
    os.close(writing)


def test_ctrl_c_while_libav_looks_for_something_to_decode(tmp_path: Path) -> None:
    """A video that ends in gigabytes of nothing, which are read within one call; the file takes no room on disk."""
    movie = make(tmp_path / "a.ts", Movie(frames=10))
    os.truncate(movie, 32 << 30)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        open_movie(movie)
    timer.join()
