"""Results that are costly to make again, kept on disk by what they were made from.

A name is the hash of everything that went in, so an entry never goes stale. An entry that is damaged is thrown away
and made again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from platformdirs import user_cache_path

from saffa.core.errors import InputError, SaffaError
from saffa.core.whole_file import file_sha256, whole_file
from saffa.storage.fingerprint import fingerprint

DEFAULT_LIMIT = 1000
"""Megabytes."""
_MOST_MEGABYTES = 10**9

Value = TypeVar("Value")


class Store:
    """A folder of results by name, at most `limit` bytes together; without a limit nothing is ever forgotten.

    With a limit, the least recently used go first, and a disk that cannot be written to is left alone: nothing there
    is needed for correctness.
    """

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder, self.limit = folder, limit

    def recall(self, name: str, read: Callable[[Path], Value]) -> Value | None:
        """Read what was kept under that name; None if there is nothing, or nothing whole."""
        path = self.folder / name
        if not path.is_file():
            return None
        try:
            value = read(path)
            os.utime(path)  # used now: forgotten last
        except Exception:  # whatever a damaged file makes a reader raise
            with suppress(OSError):
                path.unlink()
            return None
        return value

    def keep(self, name: str, write: Callable[[Path], object]) -> None:
        """Let `write` fill a file and keep it under that name, whole or not at all."""
        with suppress(*([] if self.limit is None else [OSError, SaffaError])):  # SaffaError: the disk is full
            self.folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self.folder / name) as part:
                write(part)
            self._shrink(name)

    def content_of(self, path: Path) -> str:
        """SHA-256 of a file; that of an unchanged file is remembered, so that it is not read again."""
        facts = path.stat()
        known = fingerprint(str(path.resolve()), facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
        name = f"sha256-{known[:40]}"
        found = self.recall(name, _read_digest)
        if found is None:
            digest = file_sha256(path)
            with suppress(OSError):  # a folder that may only be read
                self.keep(name, lambda part: part.write_text(digest, "ascii"))
            return digest
        return found

    def _shrink(self, newest: str) -> None:
        if self.limit is None:
            return
        entries = []
        for path in self.folder.iterdir():
            with suppress(OSError):  # another process may just have forgotten it
                facts = path.stat()
                entries.append((path.name == newest, facts.st_mtime, facts.st_size, path))
        total = sum(size for _, _, size, _ in entries)
        for is_newest, _, size, path in sorted(entries):
            if total <= self.limit or is_newest:
                return
            with suppress(OSError):
                path.unlink()
                total -= size


def _read_digest(path: Path) -> str:
    digest = path.read_text("ascii")
    if len(digest) != 64:
        raise ValueError("cut off")
    return digest


def user_cache() -> Store:
    """`results` in saffa's cache folder; $SAFFA_CACHE_MB bounds it."""
    given = os.environ.get("SAFFA_CACHE_MB", str(DEFAULT_LIMIT))
    try:
        megabytes = float(given)
    except ValueError:
        megabytes = -1.0
    if not 0 <= megabytes <= _MOST_MEGABYTES:
        raise InputError(f"SAFFA_CACHE_MB is {given[:40]!r}; give a number of megabytes.")
    return Store(cache_folder() / "results", int(megabytes * 1e6))


def cache_folder() -> Path:
    """Where saffa keeps what can be made or fetched again: $SAFFA_CACHE, or the system's cache folder."""
    given = os.environ.get("SAFFA_CACHE")
    return Path(given).expanduser() if given else user_cache_path("saffa", appauthor=False)
