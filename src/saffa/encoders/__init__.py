"""From a video and a text to an Alignment."""

from __future__ import annotations

from saffa.encoders.base import Encoder
from saffa.errors import InputError

NAMES = ("auto", "narrated", "none")


def load_encoder(name: str = "auto") -> Encoder:
    """The encoder of that name; `auto` is the best one for what the file offers."""
    if name in ("auto", "narrated"):
        from saffa.encoders.narrated import NarratedEncoder  # noqa: PLC0415

        return NarratedEncoder()
    if name == "none":
        from saffa.encoders.none import NoEncoder  # noqa: PLC0415

        return NoEncoder()
    raise InputError(f"Unknown encoder {name!r}. Use one of: {', '.join(NAMES)}.")
