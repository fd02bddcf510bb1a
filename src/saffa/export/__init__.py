"""Timelines for other programs: `FORMATS` has one line per format, `write` makes the text of one.

A new format is a module with a function from an `Edit` to the text of the file, and one line here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from saffa.core.errors import InputError
from saffa.export.edit import Edit


@dataclass(frozen=True)
class Format:
    """A file format that timelines can be exported to."""

    name: str
    """Name in `--to`."""
    suffix: str
    label: str
    module: str
    """Where `text(edit) -> str` is; imported when it is needed."""

    def text(self, edit: Edit) -> str:
        """The whole file."""
        made: str = import_module(self.module).text(edit)
        return made


FORMATS = {
    entry.name: entry
    for entry in (
        Format("otio", ".otio", "OpenTimelineIO", "saffa.export.otio"),
        Format("fcpxml", ".fcpxml", "FCPXML 1.10: Final Cut Pro, DaVinci Resolve", "saffa.export.fcpxml"),
        Format("premiere", ".xml", "FCP 7 XML: Premiere Pro, Resolve", "saffa.export.premiere"),
        Format("edl", ".edl", "CMX 3600 edit decision list", "saffa.export.edl"),
        Format("csv", ".csv", "table for spreadsheets", "saffa.export.csv_table"),
        Format("mpv", ".lua", "script for the mpv player", "saffa.export.mpv"),
    )
}


def format_named(name: str) -> Format:
    """The format of that name; InputError lists those there are."""
    if name not in FORMATS:
        raise InputError(f"--to {name!r} is not known; choose {', '.join(FORMATS)}.")
    return FORMATS[name]
