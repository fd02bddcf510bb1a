"""JSON that anyone may have written, read within bounds; and written without the NaN and infinity of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

MOST_BYTES = 32 << 20
"""Largest JSON file that is read; the vocabulary of 400,000 words has 5 MB."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""Stands for a byte of a file's name that is no letter; no file can hold it."""
_EXACT = re.compile(r"-?\d{1,18}(?:/\d{1,18}|\.\d{1,9})?")


def read_json(path: Path) -> Any:
    """The contents of a JSON file; ValueError if it is none, too large, or nested too deeply to be meant."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 20} MB")
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_text(facts: Any, indent: int | None = 1, *, ascii_only: bool = False) -> str:
    """A number that does not exist is null. Names of files that are no text come back as they were, by escapes."""
    text = json.dumps(_finite(facts), indent=indent, ensure_ascii=ascii_only, allow_nan=False)
    return _NO_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def whole(value: object, name: str, low: int, high: int) -> int:
    """A whole number between `low` and `high`; ValueError names what it should have been."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name}: {_shown(value)}, where a whole number belongs")
    if not low <= value <= high:
        raise ValueError(f"{name}: {_shown(value)} is not between {low} and {high}")
    return value


def exact(value: object, name: str, low: Fraction | int, high: Fraction | int) -> Fraction:
    """A whole number, or a string such as "30000/1001" or "29.97"; never a float, which would be rounded."""
    if isinstance(value, str) and _EXACT.fullmatch(value):
        top, slash, bottom = value.partition("/")
        if slash and not int(bottom):
            raise ValueError(f"{name}: {value} divides by zero")
        number = Fraction(int(top), int(bottom)) if slash else Fraction(value)
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        number = Fraction(value)
    else:
        raise ValueError(f'{name}: {_shown(value)}, where an exact number such as "30000/1001" belongs')
    if not low <= number <= high:
        raise ValueError(f"{name}: {value} is not between {low} and {high}")
    return number


def real(value: object, name: str, low: float, high: float) -> float:
    """A number that may be rounded, between `low` and `high`."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise ValueError(f"{name}: {_shown(value)}, where a number belongs")
    if not low <= value <= high:
        raise ValueError(f"{name}: {_shown(value)} is not between {low:g} and {high:g}")
    return float(value)


def _shown(value: object) -> str:
    if isinstance(value, int) and abs(value) >= 10**18:
        return "a number of more than 18 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
