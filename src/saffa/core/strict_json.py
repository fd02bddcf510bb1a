"""JSON: files read within bounds; written as the standard has it, without the NaN and infinity of Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

MOST_BYTES = 32 << 20
"""Largest JSON file that is read; the vocabulary of 400,000 words has 5 MB."""


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


def json_text(facts: Any, indent: int | None = 1) -> str:
    """A number that does not exist is null."""
    return json.dumps(_finite(facts), indent=indent, ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
