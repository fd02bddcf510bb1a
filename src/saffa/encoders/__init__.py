"""From a video and a text to an Alignment."""

from __future__ import annotations

from saffa.encoders.base import Encoder


def load_encoder(name: str = "auto") -> Encoder:
    """`auto` (the best one for what the file offers), `narrated`, or the name or path of an imported model."""
    if name in ("auto", "narrated"):
        from saffa.encoders.narrated import NarratedEncoder  # noqa: PLC0415

        return NarratedEncoder()
    if name == "none":
        from saffa.encoders.none import NoEncoder  # noqa: PLC0415

        return NoEncoder()
    from saffa.encoders.vdan_encoder import open_encoder  # noqa: PLC0415

    return open_encoder(name)
