"""CMX 3600 edit decision list: one event per clip, with an M2 line where its speed is not 1.

Source and record timecodes are exact; the speed in an M2 line (frames a second, one decimal in this format) is
rounded, so a program that wants whole frames takes it from the timecodes, as most do.
"""

from __future__ import annotations

from saffa.export.edit import Clip, Edit
from saffa.export.timecode import timebase, timecode

_REEL = "AX"  # the customary name for a file that is no tape
_RECORD_START = 3600  # labelled seconds: programmes begin at 01:00:00:00


def text(edit: Edit) -> str:
    """The list; every line is ASCII or UTF-8 without control characters."""
    drop = edit.drop_frame
    lines = [f"TITLE: {edit.title}", f"FCM: {'DROP FRAME' if drop else 'NON-DROP FRAME'}", ""]
    for number, clip in enumerate(edit.clips, 1):
        lines += _event(edit, clip, number)
    return "\r\n".join(lines) + "\r\n"


def _event(edit: Edit, clip: Clip, number: int) -> list[str]:
    first = edit.first_timecode
    record = _record_start(edit)
    source = [first + clip.source_start, first + clip.source_end]
    times = " ".join(_label(edit, frame) for frame in (*source, record + clip.start, record + clip.end))
    channels = "AA/V" if edit.source.has_sound else "V"
    lines = [f"{number:03}  {_REEL:<8} {channels:<5} C        {times}"]
    if clip.speed != 1:
        speed = float(clip.speed * timebase(edit.rate))
        lines.append(f"M2   {_REEL:<8} {speed:05.1f}                {_label(edit, source[0])}")
    lines.append(f"* FROM CLIP NAME: {edit.source_name}")
    lines.append(f"* SOURCE FILE: {edit.url}")
    for marker in edit.markers_in(clip):
        note = f" ({marker.note})" if marker.note else ""
        lines.append(f"* LOC: {_label(edit, record + marker.frame)} GREEN   {marker.title}{note}")
    return lines


def _record_start(edit: Edit) -> int:
    """Frame that is labelled 01:00:00:00."""
    base = timebase(edit.rate)
    dropped = 54 * base // 15 if edit.drop_frame else 0  # labels left out in an hour: 108 at 30, 216 at 60
    return _RECORD_START * base - dropped


def _label(edit: Edit, frame: int) -> str:
    return timecode(frame, edit.rate, edit.drop_frame)
