"""JSON as its standard has it: NaN and infinity, which Python would write, are no part of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any


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
