"""What a field of an annotation file may hold: converters for `Entry.read`, whose ValueError says what was expected."""

from __future__ import annotations

import math
from fractions import Fraction
from reprlib import repr as brief
from typing import Any

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
    """None for null and 0: tables of frame counts have them for videos that were gone."""
    return None if value is None else whole(value) or None


def rate(value: Any) -> float:
    """Frames per second."""
    found = positive(value)
    if found < SLOWEST:
        raise ValueError(f"expected frames per second, not {brief(value)}")
    return found


def rate_or_none(value: Any) -> float | None:
    """None for null and 0, as `count_or_none`."""
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
