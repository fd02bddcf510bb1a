"""What the datasets' annotation files have in common: an entry per video, each with steps in seconds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from saffa.core.errors import InputError
from saffa.research.datasets.entry import Entry, keyed_entries, read_json
from saffa.research.datasets.fields import segment, text

Places = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class AnnotatedVideo:
    """One entry: `segments` are seconds, a sentence each; `frames` and `rate` are None where the file has none.

    `group` is what an agent is trained for (COIN: the domain; YouCook2: the recipe), `task` what is done.
    """

    id: str
    subset: str
    group: str
    task: str
    duration: float
    segments: Places
    sentences: tuple[str, ...]
    frames: int | None = None
    rate: float | None = None


def published_steps(entry: Entry, field: str, label: str) -> tuple[Places, tuple[str, ...]]:
    """Segments and sentences of the owners' list of steps, [{"segment": [s, e], label: "…"}], as listed."""
    steps = entry.parts(field)
    return tuple(step.read("segment", segment) for step in steps), tuple(step.read(label, text) for step in steps)


def compact_steps(entry: Entry) -> tuple[Places, tuple[str, ...]]:
    """The same from two lists, `segments` and `sentences`."""
    places, lines = entry.each("segments", segment), entry.each("sentences", text)
    if len(places) != len(lines):
        raise entry.wrong("sentences", f"{len(lines)} sentences for {len(places)} segments")
    return places, lines


def subset_of(entry: Entry, field: str, subsets: Collection[str]) -> str:
    """One of the subsets."""
    subset = entry.read(field, text)
    if subset not in subsets:
        raise entry.wrong(field, f"{subset!r} is none of {', '.join(subsets)}")
    return subset


def frame_range(place: tuple[float, float], fps: float, frames: int) -> tuple[int, int]:
    """Seconds as frames [start, end); what lies behind the video's end is cut, so it may be empty."""
    start, end = (int(min(second * fps, frames)) for second in place)
    return start, end


def read_entries(path: Path) -> tuple[list[Entry], bool]:
    """Entries by video, and whether the file is the owners' ("database") or the compact form ("videos")."""
    name, entries = keyed_entries(path, read_json(path, "--data must name its folder's parent."), "database", "videos")
    return entries, name == "database"


def first_file(folder: Path, names: Sequence[str], what: str) -> Path:
    """The first of the names that is in the folder."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"There is no {what} in {folder}: neither {' nor '.join(names)}. --data must name its parent.")
