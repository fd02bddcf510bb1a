"""Records on disk: a private folder for each, with its record as JSON, which survive a restart."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from saffa.core.errors import InputError
from saffa.core.whole_file import whole_file

Record = TypeVar("Record", bound=BaseModel)
RECORD = "record.json"
_MOST_BYTES = 64 * 1024 * 1024


class Shelf(Generic[Record]):
    """Records of one kind by id; all of them are in memory, and each change is on disk when `put` returns."""

    def __init__(self, folder: Path, kind: type[Record]) -> None:
        self.folder = folder
        self._kind = kind
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._records = dict(self._load())

    def _load(self) -> Iterator[tuple[str, Record]]:
        for path in sorted(self.folder.glob(f"*/{RECORD}")):
            with suppress(OSError, ValidationError, ValueError):  # of another version, or cut off: as if not there
                if path.stat().st_size <= _MOST_BYTES:
                    yield path.parent.name, self._kind.model_validate_json(path.read_bytes())

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, key: str) -> bool:
        return key in self._records

    def get(self, key: str) -> Record | None:
        """The record of that id, if there is one."""
        return self._records.get(key)

    def all(self) -> list[Record]:
        """All records."""
        return list(self._records.values())

    def new_id(self) -> str:
        """An id that is not taken, with its folder made."""
        key = secrets.token_hex(8)
        try:
            self.place(key).mkdir(mode=0o700)
        except OSError as error:
            raise InputError("The server cannot write to its folder; is the disk full?") from error
        return key

    def place(self, key: str) -> Path:
        """The private folder of a record."""
        return self.folder / key

    def put(self, key: str, record: Record, *, on_disk: bool = True) -> None:
        """Keep a record; without `on_disk` only until the next restart, for what changes all the time."""
        self._records[key] = record
        if on_disk:
            with whole_file(self.place(key) / RECORD) as part:
                part.write_text(record.model_dump_json(), "utf-8")

    def remove(self, key: str) -> None:
        """Forget a record and all files in its folder."""
        self._records.pop(key, None)
        shutil.rmtree(self.place(key), ignore_errors=True)
