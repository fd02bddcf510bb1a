"""Numbers from files that anyone may have written: checked for kind and size before anything is computed with them."""

from __future__ import annotations

import re
from fractions import Fraction
from math import isfinite

_EXACT = re.compile(r"-?\d{1,18}(?:/\d{1,18}|\.\d{1,9})?")


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
