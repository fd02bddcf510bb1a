"""Timecode: labels for frames (hours:minutes:seconds:frames), drop-frame and non-drop-frame.

At 23.976, 29.97 and 59.94 frames a second labels count 24, 30 and 60 to the second and so fall behind the clock by
3.6 s an hour. Drop-frame timecode (29.97, 59.94) leaves out 2 (4) labels each minute but every tenth (SMPTE ST 12-1).
"""

from __future__ import annotations

import re
from fractions import Fraction

_DROPPED = {30: 2, 60: 4}
_LABEL = re.compile(r"\d{2}:\d{2}:\d{2}[:;]\d{2,3}")


def timebase(rate: Fraction) -> int:
    """Whole frames to a labelled second: 30 for 30000/1001."""
    return max(1, round(rate))


def is_ntsc(rate: Fraction) -> bool:
    """Whether the rate is a whole number of frames in 1.001 seconds."""
    return rate == Fraction(timebase(rate) * 1000, 1001)


def can_drop(rate: Fraction) -> bool:
    """Whether drop-frame timecode exists for the rate."""
    return is_ntsc(rate) and timebase(rate) in _DROPPED


def timecode(frame: int, rate: Fraction, drop: bool = False) -> str:
    """Label of a frame; drop-frame labels have a semicolon before the frames."""
    base = timebase(rate)
    if drop and not can_drop(rate):
        raise ValueError(f"there is no drop-frame timecode for {rate} frames a second")
    if drop:
        frame = _with_dropped(frame, base, _DROPPED[base])
    seconds, frames = divmod(frame, base)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    digits = max(2, len(str(base - 1)))
    return f"{hours:02}:{minutes:02}:{seconds:02}{';' if drop else ':'}{frames:0{digits}}"


def _with_dropped(frame: int, base: int, dropped: int) -> int:
    """The count with the labels that were left out before this frame."""
    ten_minutes = 600 * base - 9 * dropped
    tens, rest = divmod(frame, ten_minutes)
    minutes = max(0, rest - dropped) // (60 * base - dropped)
    return frame + dropped * (9 * tens + minutes)


def read_timecode(label: str, rate: Fraction) -> tuple[int, bool]:
    """Frame of a label found in a file, and whether it is drop-frame; (0, False) for one that cannot be read."""
    if not _LABEL.fullmatch(label) or (";" in label and not can_drop(rate)):
        return 0, False
    return frame_of(label, rate), ";" in label


def frame_of(label: str, rate: Fraction) -> int:
    """Frame of a label as `timecode` writes it; ValueError if it is none."""
    drop = ";" in label
    hours, minutes, seconds, frames = (int(part) for part in label.replace(";", ":").split(":"))
    base = timebase(rate)
    labelled = ((hours * 60 + minutes) * 60 + seconds) * base + frames
    if not drop:
        return labelled
    if not can_drop(rate):
        raise ValueError(f"there is no drop-frame timecode for {rate} frames a second")
    whole = hours * 60 + minutes
    return labelled - _DROPPED[base] * (whole - whole // 10)
