"""What a run gives back, and the small decisions that all ways of running share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from saffa.core.alignment import Alignment
from saffa.core.clock import format_length
from saffa.core.errors import InputError
from saffa.core.narration import SIDECAR_SUFFIXES
from saffa.core.selection import Selection, check_speed, wanted_frames
from saffa.core.timeline import Timeline
from saffa.core.timemap import TimeMap
from saffa.media.render import Rendered, RenderOptions
from saffa.media.subtitles.lines import Cue, is_saved
from saffa.media.subtitles.lines import save as save_subtitles
from saffa.methods.base import methods

DEFAULT_SPEED = 8.0
KEEP_LENGTH = ("plan", "saffa+", "uniform")
"""The methods that meet the length to the frame."""
_NEAR = Fraction(1, 50)  # by which a length may be missed without a word
Progress = Callable[[str, float], None]
"""Called with the name of the stage and the share done, 0 to 1."""


@dataclass(frozen=True)
class Result:
    """What `accelerate` did. `rendered` is None when no output was asked for.

    `selection` and `alignment` count slots of the even axis of a variable-rate video (`media.even`), else frames.
    """

    timeline: Timeline
    selection: Selection
    alignment: Alignment
    timemap: TimeMap
    rendered: Rendered | None
    warnings: tuple[str, ...] = field(default=())


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


def missed_length(method: str, target: float, timemap: TimeMap, rate: Fraction) -> tuple[str, ...]:
    """A warning if the output is longer or shorter than asked for, or none; one frame is never too much."""
    wanted, got = timemap.source_duration / Fraction(target), timemap.duration
    if abs(got - wanted) <= max(_NEAR * wanted, 1 / rate):
        return ()
    tries = "only tries to meet" if methods()[method].meets_speed else "does not heed"
    instead = f" {method} {tries} the speed; {', '.join(KEEP_LENGTH[:-1])} and {KEEP_LENGTH[-1]} keep the length."
    return (
        f"The output has {format_length(got)} ({float(timemap.speed):.3g}×), not the {format_length(wanted)} "
        f"({target:.3g}×) asked for.{'' if method in KEEP_LENGTH else instead}",
    )


def leave_subtitles(
    rendered: Rendered, cues: Sequence[Cue], file: Path, output: Path, options: RenderOptions, inputs: tuple[Path, ...]
) -> Rendered:
    """Subtitles that came as a file also leave as one, beside the video; those inside it are always written."""
    if not cues:
        return rendered
    beside = output.with_suffix(file.suffix if file.suffix.lower() in SIDECAR_SUFFIXES else ".srt")
    kept = [path for path in (*inputs, file) if path.exists()]
    if beside.exists() and (not options.overwrite or any(beside.samefile(path) for path in kept)):
        if is_saved(cues, beside):  # the same cut in another format
            return rendered
        stale = f"{beside} was there already and is left as it is; it may not fit {output.name}."
        return replace(rendered, warnings=(*rendered.warnings, stale))
    save_subtitles(cues, beside)
    return replace(rendered, subtitles=beside)
