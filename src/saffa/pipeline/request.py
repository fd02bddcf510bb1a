"""What is to be made of a video."""

from __future__ import annotations

from fractions import Fraction

from saffa.core.clock import format_length
from saffa.core.errors import InputError
from saffa.core.selection import check_speed, wanted_frames

DEFAULT_SPEED = 8.0


def silent(stage: str, share: float) -> None:
    """The progress callback that shows nothing."""


def target_speed(
    speed: float | None, length: float | Fraction | None, duration: float, rate: Fraction | float
) -> float:
    """The speed asked for, directly or as an output length in seconds."""
    if speed is not None and length is not None:
        raise InputError("Give --speed or --length, not both.")
    if length is None:
        wanted = check_speed(DEFAULT_SPEED if speed is None else speed)
        if wanted_frames(round(duration * rate), wanted) * wanted > 2 * duration * rate:
            raise InputError(f"At {wanted:g}× nothing is left of a video of {format_length(duration)}.")
        return wanted
    if length > duration:
        raise InputError(
            f"The video is only {format_length(duration)} long; --length {format_length(length)} would stretch it."
        )
    if length * rate < 1:
        raise InputError("The length asked for is shorter than one frame.")
    return float(duration / length)
