"""What is kept on disk: found again, bounded, never trusted when damaged."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from saffa.core.errors import InputError
from saffa.storage.cache import Cache, content_of, name_of, user_cache


def written(data: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(data, "utf-8")

    return write


def text(path: Path) -> str:
    return path.read_text("utf-8")


def test_kept_and_recalled(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "folder", 1000)
    assert cache.recall("a", text) is None
    cache.keep("a", written("one"))
    assert cache.recall("a", text) == "one"
    assert [p.name for p in (tmp_path / "new" / "folder").iterdir()] == ["a"]


def test_damage_is_forgotten(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1000)
    (tmp_path / "a").write_bytes(b"\xff\xfe\xfd")
    assert cache.recall("a", text) is None
    assert not (tmp_path / "a").exists()


def test_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 250)
    for k, name in enumerate("abc"):
        cache.keep(name, written("x" * 100))
        if (tmp_path / name).exists():
            os.utime(tmp_path / name, (k, k))
    assert {p.name for p in tmp_path.iterdir()} == {"b", "c"}
    cache.recall("b", text)
    cache.keep("d", written("x" * 100))
    assert {p.name for p in tmp_path.iterdir()} == {"b", "d"}


def test_an_entry_larger_than_the_limit_is_kept_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 10)
    cache.keep("a", written("x" * 100))
    assert cache.recall("a", text) == "x" * 100


def test_a_failing_writer_leaves_nothing(tmp_path: Path) -> None:
    def write(path: Path) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Cache(tmp_path, 1000).keep("a", write)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    cache = Cache(tmp_path / "file" / "below", 1000)
    cache.keep("a", written("one"))
    assert cache.recall("a", text) is None


def test_names_tell_parts_apart() -> None:
    names = {name_of("k", parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["ab", "c", ""])}
    assert len(names) == 4
    assert name_of("k", ["ab", "c"]) in names
    assert name_of("other", ["abc"]) not in names


def test_where_and_how_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_CACHE", str(tmp_path))
    monkeypatch.setenv("SAFFA_CACHE_MB", "2.5")
    cache = user_cache()
    assert (cache.folder, cache.limit) == (tmp_path / "results", 2_500_000)
    monkeypatch.setenv("SAFFA_CACHE_MB", "lots")
    with pytest.raises(InputError, match="SAFFA_CACHE_MB"):
        user_cache()


def test_a_changed_file_has_another_content(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one", "utf-8")
    first = content_of(path)
    assert content_of(path) == first
    path.write_text("other", "utf-8")
    assert content_of(path) != first
