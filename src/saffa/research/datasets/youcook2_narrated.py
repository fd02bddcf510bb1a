"""YouCook2 videos with what is said in them: `DIR/youcook2_narrated/youcook2_narrated.json`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import Narration
from saffa.core.video import Cue
from saffa.research.datasets.annotations import frame_range, subset_of
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.entry import Entry, keyed_entries, read_json
from saffa.research.datasets.fields import count, exact_rate, rate, segment, text

SPLITS = {"train": "training", "training": "training", "val": "validation", "validation": "validation"}
SUBSETS = ("training", "validation")


def load(folder: Path, split: str) -> list[BenchmarkVideo]:
    """Videos of a split."""
    path = folder / "youcook2_narrated" / "youcook2_narrated.json"
    if split not in SPLITS:
        raise InputError(f"youcook2-narrated has the splits training and validation, not {split!r}.")
    data = read_json(path, "--data must name the folder that holds youcook2_narrated/.")
    _, entries = keyed_entries(path, data, "videos")
    return [_video(entry) for entry in entries if subset_of(entry, "subset", SUBSETS) == SPLITS[split]]


def _video(entry: Entry) -> BenchmarkVideo:
    frames, fps = entry.read("frames", count), entry.read("fps", rate)
    steps = tuple(frame_range(place, fps, frames) for place in entry.each("segments", segment))
    for number, (start, end) in enumerate(steps):
        if start == end:
            raise entry.wrong(f"segments[{number}]", f"it holds none of the {frames} frames")
    document = Document(entry.each("document", text))
    narration = Narration(entry.each("cues", _cue, least=0), "speech recognition")
    return BenchmarkVideo(entry.video, frames, exact_rate(fps), document, narration, steps)


def _cue(value: Any) -> Cue:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError(f"expected [start, end, words], not {brief(value)}")
    start, end = segment(value[:2])
    return Cue(_seconds(start), _seconds(end), text(value[2]))


def _seconds(value: float) -> Fraction:
    return Fraction(value).limit_denominator(1000)
