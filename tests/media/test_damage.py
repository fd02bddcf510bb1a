"""Files that are whole, cut or full of holes, told apart by their structure alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from saffa.media.index import is_torn, lacks_bytes
from tests.media.movies import Movie, Sound, make

LONG = Movie(frames=400, size=(320, 240), options={"g": "20"}, sounds=[Sound()])


@pytest.mark.parametrize("name", ["a.mkv", "a.mp4", "a.mov", "a.ts"])
def test_whole_cut_and_torn(tmp_path: Path, name: str) -> None:
    path = make(tmp_path / name, LONG)
    assert not lacks_bytes(path) and not is_torn(path)
    data = path.read_bytes()
    size = len(data)
    path.write_bytes(data[:-30])
    assert lacks_bytes(path) == (not name.endswith("ts"))  # which tells no length
    if name.endswith(("mkv", "ts")):
        for hole in (
            data[: size // 2] + bytes(size // 20) + data[size // 2 + size // 20 :],
            data[: size // 2] + data[size // 2 + 10_001 :],
        ):
            path.write_bytes(hole)
            assert is_torn(path)


@pytest.mark.parametrize(
    "data", [b"", b"G", b"\x1a\x45\xdf\xa3", b"\x00" * 4000, b"\xff" * 4000, b"\0\0\0\1mdat" + bytes(8)]
)
def test_anything_can_be_looked_at(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    assert lacks_bytes(tmp_path / "a") is False
    assert is_torn(tmp_path / "a") is False
