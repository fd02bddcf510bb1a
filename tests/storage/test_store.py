"""What is kept on disk: found again, bounded, never trusted when damaged."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.core.whole_file import file_sha256
from saffa.storage import store as store_module
from saffa.storage.store import Store, user_cache


def written(data: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(data, "utf-8")

    return write


def text(path: Path) -> str:
    return path.read_text("utf-8")


def test_kept_and_recalled(tmp_path: Path) -> None:
    cache = Store(tmp_path / "new" / "folder", 1000)
    assert cache.recall("a", text) is None
    cache.keep("a", written("one"))
    assert cache.recall("a", text) == "one"
    assert [p.name for p in (tmp_path / "new" / "folder").iterdir()] == ["a"]


def test_damage_is_forgotten(tmp_path: Path) -> None:
    cache = Store(tmp_path, 1000)
    (tmp_path / "a").write_bytes(b"\xff\xfe\xfd")
    assert cache.recall("a", text) is None
    assert not (tmp_path / "a").exists()


def test_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = Store(tmp_path, 250)
    for k, name in enumerate("abc"):
        cache.keep(name, written("x" * 100))
        if (tmp_path / name).exists():
            os.utime(tmp_path / name, (k, k))
    assert {p.name for p in tmp_path.iterdir()} == {"b", "c"}
    cache.recall("b", text)
    cache.keep("d", written("x" * 100))
    assert {p.name for p in tmp_path.iterdir()} == {"b", "d"}


def test_an_entry_larger_than_the_limit_is_kept_alone(tmp_path: Path) -> None:
    cache = Store(tmp_path, 10)
    cache.keep("a", written("x" * 100))
    assert cache.recall("a", text) == "x" * 100


def test_a_failing_writer_leaves_nothing(tmp_path: Path) -> None:
    def write(path: Path) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path, 1000).keep("a", write)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    cache = Store(tmp_path / "file" / "below", 1000)
    cache.keep("a", written("one"))
    assert cache.recall("a", text) is None


def test_where_and_how_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_CACHE", str(tmp_path))
    monkeypatch.setenv("SAFFA_CACHE_MB", "2.5")
    cache = user_cache()
    assert (cache.folder, cache.limit) == (tmp_path / "results", 2_500_000)
    for wrong in ("lots", "nan", "inf", "-1", "1e300"):
        monkeypatch.setenv("SAFFA_CACHE_MB", wrong)
        with pytest.raises(InputError, match="SAFFA_CACHE_MB"):
            user_cache()


def test_a_full_disk_is_no_failure(tmp_path: Path) -> None:
    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, "no room")

    Store(tmp_path, 1000).keep("a", full)
    assert not list(tmp_path.iterdir())
    with pytest.raises(SaffaError, match="disk is full"):
        Store(tmp_path).keep("a", full)


def test_without_a_limit_nothing_is_forgotten_and_a_failure_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path / "all")
    for name in "abc":
        store.keep(name, written("x" * 100))
    assert {p.name for p in (tmp_path / "all").iterdir()} == {"a", "b", "c"}
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(OSError, match="file"):
        Store(tmp_path / "file" / "below").keep("a", written("one"))


def test_the_hash_of_a_file_is_remembered_while_it_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("one", "utf-8")
    first = Store(tmp_path / "store").content_of(path)
    assert first == file_sha256(path)
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "file_sha256", lambda _: pytest.fail("read again"))
        assert Store(tmp_path / "store").content_of(path) == first
    (entry,) = (tmp_path / "store").iterdir()
    entry.write_text("half", "ascii")
    assert Store(tmp_path / "store").content_of(path) == first
    path.write_text("other", "utf-8")
    assert Store(tmp_path / "store").content_of(path) != first
