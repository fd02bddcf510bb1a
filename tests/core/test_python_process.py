"""Where compiled code is kept: never where numba cannot write, never where others can."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from saffa.core import python_process
from saffa.core.python_process import compiled_store, python_environment


@pytest.fixture
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user who may write neither beside the modules nor in a cache folder; gives a folder that may be written."""
    monkeypatch.setattr(python_process, "user_cache_path", lambda *_, **__: tmp_path / "file" / "numba")
    monkeypatch.setattr(python_process, "__file__", str(tmp_path / "file" / "saffa" / "core" / "python_process.py"))
    (tmp_path / "file").touch()  # not a folder, so nobody writes below it, not even root
    monkeypatch.delenv("SAFFA_CACHE", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    compiled_store.cache_clear()
    yield tmp_path
    compiled_store.cache_clear()


def test_usually_numba_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_store.cache_clear()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert python_environment()["NUMBA_CACHE_DIR"] == ""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "mine")
    assert python_environment()["NUMBA_CACHE_DIR"] == "mine"


def test_without_a_home_it_is_a_folder_of_this_run(no_home: Path) -> None:
    place = Path(compiled_store())
    assert place.is_dir() and not place.is_relative_to(no_home)
    assert os.name == "nt" or stat.S_IMODE(place.stat().st_mode) == 0o700
    assert compiled_store() == str(place)  # the same for all that is started


def test_without_a_home_the_cache_folder_that_is_named_serves(no_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_CACHE", str(no_home / "cache"))
    assert compiled_store() == str(no_home / "cache" / "compiled")
    monkeypatch.setenv("SAFFA_CACHE", str(no_home / "file" / "cache"))
    compiled_store.cache_clear()
    assert "saffa-compiled-" in compiled_store()
