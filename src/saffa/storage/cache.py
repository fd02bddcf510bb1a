"""Results that are costly to make again, kept on disk by what they were made from.

A name is the hash of everything that went in, so an entry never goes stale; it is only forgotten, the least recently
used first, when the folder grows beyond its limit. Nothing here is needed for correctness: an entry that is damaged
is thrown away, and a disk that cannot be written to is left alone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from saffa.core.errors import InputError, SaffaError
from saffa.core.whole_file import whole_file
from saffa.storage.published_models import cache_folder, file_sha256

DEFAULT_LIMIT = 1000
"""Megabytes."""

Value = TypeVar("Value")


class Cache:
    """A folder of results, at most `limit` bytes together."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit

    def recall(self, name: str, read: Callable[[Path], Value]) -> Value | None:
        """What was kept under that name, or None."""
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

    def keep(self, name: str, write: Callable[[Path], None]) -> None:
        """Let `write` fill a file and keep it under that name, whole or not at all."""
        with suppress(OSError, SaffaError):  # also a full disk
            self.folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self.folder / name) as part:
                write(part)
            self._shrink(name)

    def _shrink(self, newest: str) -> None:
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


def user_cache() -> Cache:
    """`results` in saffa's cache folder; $SAFFA_CACHE_MB bounds it."""
    given = os.environ.get("SAFFA_CACHE_MB", str(DEFAULT_LIMIT))
    try:
        megabytes = float(given)
    except ValueError:
        raise InputError(f"SAFFA_CACHE_MB is {given!r}; give a number of megabytes.") from None
    return Cache(cache_folder() / "results", int(megabytes * 1e6))


def name_of(kind: str, parts: Iterable[str], suffix: str = ".npz") -> str:
    """File name for a result made from these parts; any change in any of them gives another name."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return f"{kind}-{digest.hexdigest()[:40]}{suffix}"


def content_of(path: Path) -> str:
    """SHA-256 of a file; asked again for an unchanged one in this process, it is not read again."""
    facts = path.stat()
    return _content_of(path.resolve(), facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _content_of(path: Path, _size: int, _changed: int) -> str:
    return file_sha256(path)
