"""A table of the clips for spreadsheets and scripts: frames, seconds, exact and rounded speed, sentence."""

from __future__ import annotations

import csv
from fractions import Fraction
from io import StringIO

from saffa.export.edit import Clip, Edit

COLUMNS = (
    "clip",
    "output_start_frame",
    "output_end_frame",
    "source_start_frame",
    "source_end_frame",
    "output_start_seconds",
    "source_start_seconds",
    "speed",
    "speed_exact",
    "sentence",
    "text",
)


def text(edit: Edit) -> str:
    """The table with a header; every end is exclusive."""
    out = StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    for number, clip in enumerate(edit.clips, 1):
        rows.writerow(_row(edit, clip, number))
    return out.getvalue()


def _row(edit: Edit, clip: Clip, number: int) -> tuple[str | int, ...]:
    return (
        number,
        clip.start,
        clip.end,
        clip.source_start,
        clip.source_end,
        _seconds(clip.start / edit.rate),
        _seconds(clip.source_start / edit.rate),
        f"{float(clip.speed):.4f}",
        str(clip.speed),
        "" if clip.sentence is None else clip.sentence + 1,
        _cell(edit.sentence_text(clip.sentence)),
    )


def _seconds(time: Fraction) -> str:
    return f"{float(time):.3f}"


def _cell(words: str) -> str:
    """Text that a spreadsheet takes as text: what looks like a formula gets an apostrophe in front."""
    return f"'{words}" if words.startswith(("=", "+", "-", "@", "\t", "\r")) else words
