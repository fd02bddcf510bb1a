"""Lengths of time as people write them: 2:30, 1:02:03.5, 90, 45s, 2m30s."""

from __future__ import annotations

import re
from fractions import Fraction

from saffa.core.errors import InputError

_COLONS = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_UNITS = re.compile(r"(?=.)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")

_UNCLEAR = re.compile(r"(\d+)\.([0-5]\d)")
_LONGEST_TEXT = 40
"""Letters; a number of hundreds of digits is no length, and no float."""
_HOW = "Write it like 2:30, 1:02:03, 90 or 2m30s."


def parse_length(text: str) -> Fraction:
    """Seconds, exactly as written."""
    if len(text) > _LONGEST_TEXT:
        raise InputError(f"Cannot read the length {text[:20]!r}…, which has {len(text)} letters. {_HOW}")
    compact = text.strip().lower().replace(" ", "")
    colons = _COLONS.fullmatch(compact)
    match = colons or _UNITS.fullmatch(compact)
    hours, minutes, seconds = (Fraction(part or 0) for part in match.groups()) if match else (Fraction(0),) * 3
    slipped = colons and (seconds >= 60 or (colons[1] and minutes >= 60))  # 2:99 is a slip, 90:00 is not
    if match is None or slipped:
        raise InputError(f"Cannot read the length {text!r}. {_HOW}")
    return 3600 * hours + 60 * minutes + seconds


def parse_typed_length(text: str) -> Fraction:
    """Seconds from what a person typed; InputError for `2.30`, which may mean 2:30 or 2.3 seconds."""
    unclear = _UNCLEAR.fullmatch(text.strip()[:_LONGEST_TEXT])
    if unclear:
        minutes, seconds = unclear.groups()
        raise InputError(
            f"Is {text.strip()} meant as {minutes}:{seconds} or as {float(text):g} seconds? "
            f"Write {minutes}:{seconds} or {float(text):g}s."
        )
    return parse_length(text)


def format_length(seconds: float | Fraction) -> str:
    """`0:39.4`, `12:05`, `1:02:03`: tenths only where they matter."""
    tenths = round(float(seconds) * 10)
    whole = round(tenths / 10) if tenths >= 6000 else tenths // 10
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    if tenths >= 6000:
        return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
    return f"{minutes}:{left:02}.{tenths % 10}"
