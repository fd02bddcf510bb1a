"""The one way in which annotation files are read: an entry per video, its fields by name.

What cannot be read is named with its file, its video and the field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from reprlib import repr as brief
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

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
        """The field as it is in the file; None if it is not there."""
        return self._data.get(field)

    def read(self, field: str, convert: Callable[[Any], T]) -> T:
        """The field through a converter, such as `text` or `positive`."""
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


def read_arrays(path: Path, *names: str, hint: str = "") -> tuple[NDArray[Any], ...]:
    """Arrays of an npz file by name; `hint` is said where there is no file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return tuple(arrays[name] for name in names)
    except FileNotFoundError:
        raise InputError(f"There is no {path}. {hint}".strip()) from None
    except KeyError as error:
        raise InputError(f"{path} lacks an array: {error.args[0]}.") from None
    except (OSError, ValueError, BadZipFile) as error:  # a ValueError speaks of pickles: the file is of another kind
        why = "it is no .npz file" if isinstance(error, ValueError) else error
        raise InputError(f"Cannot read {path}: {why}.") from None


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


SLOWEST = 0.001
"""Frames per second below which a rate cannot be meant."""


def text(value: Any) -> str:
    """A string that says something."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a text, not {brief(value)}")
    return " ".join(value.split())


def label(value: Any) -> str:
    """A text, or a whole number that stands for one."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(value)


def flag(value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {brief(value)}")
    return value


def number(value: Any) -> float:
    """A finite number; tables have theirs as text."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(f"expected a number, not {brief(value)}")
    return found


def positive(value: Any) -> float:
    """A finite number above 0."""
    found = number(value)
    if found <= 0:
        raise ValueError(f"expected a number above 0, not {brief(value)}")
    return found


def whole(value: Any) -> int:
    """A whole number from 0 up."""
    found = number(value)
    if found < 0 or found != int(found):
        raise ValueError(f"expected a whole number from 0 up, not {brief(value)}")
    return int(found)


def count(value: Any) -> int:
    """A whole number from 1 up."""
    found = number(value)
    if found < 1 or found != int(found):
        raise ValueError(f"expected a whole number from 1 up, not {brief(value)}")
    return int(found)


def count_or_none(value: Any) -> int | None:
    """Read a count; None for null and 0: tables of frame counts have them for videos that were gone."""
    return None if value is None else whole(value) or None


def rate(value: Any) -> float:
    """Frames per second."""
    found = positive(value)
    if found < SLOWEST:
        raise ValueError(f"expected frames per second, not {brief(value)}")
    return found


def rate_or_none(value: Any) -> float | None:
    """Read frames per second; None for null and 0."""
    return None if value is None or number(value) == 0 else rate(value)


def exact_rate(value: float) -> Fraction:
    """29.97002997… → 30000/1001."""
    return Fraction(value).limit_denominator(1001)


def segment(value: Any) -> tuple[float, float]:
    """[start, end] in seconds, 0 ≤ start < end."""
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"expected [start, end] in seconds, not {brief(value)}")
    start, end = map(number, value)
    if not 0 <= start < end:
        raise ValueError(f"expected 0 ≤ start < end, not {brief(value)}")
    return start, end
