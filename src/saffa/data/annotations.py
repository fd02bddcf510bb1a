"""What the datasets' annotation files have in common: an entry per video, each with steps in seconds.

An entry that cannot be read is named with its file, its video and the field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from saffa.errors import InputError

T = TypeVar("T")
_BROKEN = (KeyError, TypeError, ValueError, OverflowError, IndexError)


@dataclass(frozen=True)
class AnnotatedVideo:
    """One entry: `segments` are seconds, a sentence each; `frames` and `rate` are None where the file has none.

    `group` is what an agent is trained for (COIN: the domain; YouCook2: the recipe), `task` what is done.
    """

    id: str
    subset: str
    group: str
    task: str
    duration: float
    segments: tuple[tuple[float, float], ...]
    sentences: tuple[str, ...]
    frames: int | None = None
    rate: float | None = None


class Entry:
    """A video's entry whose fields are read by name; errors say which file, video and field."""

    def __init__(self, path: Path, video: str, data: Any) -> None:
        self._path, self._video = path, video
        if not isinstance(data, Mapping):
            raise InputError(f"{path}: video {video}: the entry is not an object.")
        self._data = data

    def __contains__(self, field: str) -> bool:
        return field in self._data

    def read(self, field: str, convert: Callable[[Any], T]) -> T:
        """The field through a converter."""
        try:
            return convert(self._data[field])
        except _BROKEN as error:
            raise self.wrong(field, "it is missing" if isinstance(error, KeyError) else str(error)) from None

    def wrong(self, field: str, why: str) -> InputError:
        """The error to raise about a field."""
        return InputError(f"{self._path}: video {self._video}: field {field!r} is missing or wrong ({why}).")


def text(value: Any) -> str:
    """A string that says something."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a text, not {value!r}")
    return " ".join(value.split())


def positive(value: Any) -> float:
    """A finite number above 0."""
    number = float(value)
    if isinstance(value, bool) or not math.isfinite(number) or number <= 0:
        raise ValueError(f"expected a number above 0, not {value!r}")
    return number


def positive_or_none(value: Any) -> float | None:
    """None for null and 0: tables of frame counts have them for videos that were gone."""
    return None if value is None or value == 0 else positive(value)


def segment(value: Any) -> tuple[float, float]:
    """[start, end] in seconds, 0 ≤ start < end."""
    start, end = (float(x) for x in value)
    if not 0 <= start < end < math.inf:
        raise ValueError(f"expected 0 ≤ start < end, not {value!r}")
    return start, end


def segments(value: Any) -> tuple[tuple[float, float], ...]:
    """At least one."""
    found = tuple(segment(one) for one in value)
    if not found:
        raise ValueError("there is no step")
    return found


def sentences(value: Any) -> tuple[str, ...]:
    """At least one; a string is no list."""
    if isinstance(value, str):
        raise ValueError("expected a list of sentences")
    return tuple(text(one) for one in value)


def steps_of(value: Any, label: str) -> tuple[tuple[tuple[float, float], ...], tuple[str, ...]]:
    """Segments and sentences of a published list of steps, [{"segment": [s, e], label: "…"}], as listed."""
    return segments([step["segment"] for step in value]), sentences([step[label] for step in value])


def read_entries(path: Path) -> tuple[dict[str, Any], bool]:
    """Entries by video, and whether the file is the owners' ("database") or the compact form ("videos")."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
    for key in ("database", "videos"):
        if isinstance(data, dict) and isinstance(data.get(key), dict):
            return data[key], key == "database"
    raise InputError(f"{path} has no 'database' (or 'videos') with an entry per video; is it the right file?")


def first_file(folder: Path, names: Sequence[str], what: str) -> Path:
    """The first of the names that is in the folder."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"There is no {what} in {folder}: neither {' nor '.join(names)}. --data must name its parent.")
