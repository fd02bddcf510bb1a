"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection
from saffa.core.timeline import Timeline, TimeMap


@dataclass(frozen=True)
class Rendered:
    """What was written. `sound_duration` is None without a sound track, `subtitles` without a file of them.

    `notes` tell what is other than in the source, and is meant to be.
    """

    path: Path
    frames: int
    duration: Fraction
    sound_duration: Fraction | None
    warnings: tuple[str, ...] = ()
    subtitles: Path | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What `accelerate` did. `rendered` is None when no output was asked for.

    `selection` and `alignment` count frames; in a video of variable rate, slots of constant rate.
    """

    timeline: Timeline
    selection: Selection
    alignment: Alignment
    timemap: TimeMap
    rendered: Rendered | None
    warnings: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = ()
    """What was decided on the way and is worth knowing, such as which part of the text was taken."""
