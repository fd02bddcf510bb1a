"""From a video and a text to an Alignment."""

from __future__ import annotations

from saffa.encoders.base import Encoder
from saffa.errors import InputError

NAMES = ("auto", "narrated", "none")


def load_encoder(name: str = "auto") -> Encoder:
    """The encoder of that name; `auto` is the best one for what the file offers."""
    from saffa.encoders.narrated import NarratedEncoder  # noqa: PLC0415
    from saffa.encoders.none import NoEncoder  # noqa: PLC0415

    if name in ("auto", "narrated"):
        return NarratedEncoder()
    if name == "none":
        return NoEncoder()
    raise InputError(f"Unknown encoder {name!r}. Use one of: {', '.join(NAMES)}.")
