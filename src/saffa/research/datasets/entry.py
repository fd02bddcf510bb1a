"""The one way in which annotation files are read: an entry per video, its fields by name.

What cannot be read is named with its file, its video and the field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as brief
from typing import Any, TypeVar

from saffa.core.errors import InputError

T = TypeVar("T")


class Entry:
    """A video's entry, or an object inside it, whose `place` is then part of the fields' names: `steps[2].segment`."""

    def __init__(self, path: Path, video: str, data: Any, place: str = "") -> None:
        self.path, self.video, self._place = path, video, place
        if not isinstance(data, Mapping):
            where = f"field {place!r}" if place else "the entry"
            raise InputError(f"{path}: video {video}: {where} is not an object, but {brief(data)}.")
        self._data = data

    def get(self, field: str) -> Any:
        """As it is in the file; None if it is not there."""
        return self._data.get(field)

    def read(self, field: str, convert: Callable[[Any], T]) -> T:
        """The field through a converter (`fields`)."""
        if field not in self._data:
            raise InputError(f"{self.path}: video {self.video}: field {self._name(field)!r} is missing.")
        try:
            return convert(self._data[field])
        except ValueError as error:
            raise self.wrong(field, str(error)) from None

    def each(self, field: str, convert: Callable[[Any], T], least: int = 1) -> tuple[T, ...]:
        """Every item of a list through a converter."""
        found = []
        for number, item in enumerate(self._list(field, least)):
            try:
                found.append(convert(item))
            except ValueError as error:
                raise self.wrong(f"{field}[{number}]", str(error)) from None
        return tuple(found)

    def parts(self, field: str) -> tuple[Entry, ...]:
        """The objects of a list, at least one."""
        items = enumerate(self._list(field, 1))
        return tuple(Entry(self.path, self.video, one, self._name(f"{field}[{number}]")) for number, one in items)

    def wrong(self, field: str, why: str) -> InputError:
        """The error to raise about a field."""
        return InputError(f"{self.path}: video {self.video}: field {self._name(field)!r} is wrong ({why}).")

    def _list(self, field: str, least: int) -> list[Any]:
        items = self.read(field, _items)
        if len(items) < least:
            raise self.wrong(field, "the list is empty")
        return items

    def _name(self, field: str) -> str:
        return f"{self._place}.{field}" if self._place else field


def read_json(path: Path, hint: str) -> Any:
    """What a JSON file holds, with or without a byte order mark; `hint` is said where there is none."""
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        raise InputError(f"There is no {path}. {hint}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None


def keyed_entries(path: Path, data: Any, *names: str) -> tuple[str, list[Entry]]:
    """{NAME: {video: entry}} with the first of the names that is there, and that name."""
    for name in names:
        if isinstance(data, dict) and isinstance(data.get(name), dict):
            return name, [Entry(path, video, entry) for video, entry in data[name].items()]
    wanted = " or ".join(map(repr, names))
    raise InputError(f"{path} has no {wanted} with an entry per video; is it the right file?")


def listed_entries(path: Path, items: Any, field: str) -> list[Entry]:
    """[entry, …], each with the video's id in a field."""
    if not isinstance(items, list):
        raise InputError(f"{path} has no list of videos; is it the right file?")
    found = []
    for number, item in enumerate(items):
        video = Entry(path, f"number {number}", item).read(field, _id)
        found.append(Entry(path, video, item))
    return found


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list, not {brief(value)}")
    return value


def _id(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected the video's id, not {brief(value)}")
    return value
