"""GloVe text files → memory-mapped vectors."""

import os
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.training.word_vectors import WordVectors, read_glove, unknown_vector


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_rows_follow_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "glove.txt", "the 0.5 -1 2\ncrème 1e-3 0 0\n. 7 8 9\n")
    table = read_glove(path)
    assert table.vocabulary.words() == ["PAD", "UNK", "the", "crème", "."]
    assert table.vectors.shape == (5, 3) and table.vectors.dtype == np.float32
    assert table.vectors[0].tolist() == [0, 0, 0]
    assert table.vectors[1] == pytest.approx(unknown_vector(3)) and 0 <= table.vectors[1].min() < 1
    assert table.vectors[2:].tolist() == [[0.5, -1, 2], [np.float32(1e-3), 0, 0], [7, 8, 9]]
    assert isinstance(table.vectors, np.memmap)
    assert not list(tmp_path.glob("*.part"))


def test_parsed_once_and_again_when_the_file_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", "a 1 2\n")
    read_glove(path)
    stamp = (tmp_path / "g.npy").stat().st_mtime_ns
    read_glove(path)
    assert (tmp_path / "g.npy").stat().st_mtime_ns == stamp
    write(path, "a 1 2\nb 3 4\n")
    assert read_glove(path).vectors.shape == (4, 2)


def test_a_folder_that_cannot_be_written_uses_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "g.txt", "a 1 2\n")
    monkeypatch.setenv("SAFFA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert read_glove(path).vectors.shape == (3, 2)
    assert not (tmp_path / "g.npy").exists()


@pytest.mark.parametrize("text", ["", "a 1 2\nb 3\n", "a 1 2\nb x y\n", "word\n"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_glove(write(tmp_path / "g.txt", text))
    assert {p.name for p in tmp_path.iterdir()} == {"g.txt"}


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no GloVe file"):
        read_glove(tmp_path / "none.txt")


def test_from_arrays() -> None:
    table = WordVectors.of_words(["a", "b"], np.ones((2, 4), np.float16), unknown=np.full(4, 0.25, np.float32))
    assert table.vectors.dtype == np.float32
    assert table.vectors[:, 0].tolist() == [0, 0.25, 1, 1]
    assert table.vocabulary.index["b"] == 3
