"""Videos with what is said in them, known by their annotations alone: cooking, software, health, home, garden.

`DIR/youcook2_narrated/youcook2_narrated.json`, and `DIR/narrated_other/NAME.json` with `NAME_other_half.json`, the
steps of each video that are not in its text.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from saffa.core.document import Document
from saffa.core.video import Cue, Narration
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.dataset import frame_range, split_named, subset_of
from saffa.research.datasets.entry import Entry, count, exact_rate, keyed_entries, rate, read_json, segment, text

SUBSETS = ("training", "validation")


COOKING = "youcook2-narrated"
OTHERS = ("pstuts", "howto-chapters", "medvidqa-half")
"""Domains beside cooking; they have only a validation split."""


def load(folder: Path, split: str, name: str = COOKING, *, other_half: bool = False) -> list[BenchmarkVideo]:
    """Videos of a split; `other_half` gives each the steps that its text leaves out, the truth stays as it is."""
    subset = split_named(name, split, SUBSETS[1:] if name in OTHERS else SUBSETS)
    stem = name.replace("-", "_")
    place = folder / ("narrated_other" if name in OTHERS else stem)
    path = place / f"{stem}.json"
    _, entries = keyed_entries(
        path, read_json(path, f"--data must name the folder that holds {place.name}/."), "videos"
    )
    videos = [_video(entry) for entry in entries if subset_of(entry, "subset", SUBSETS) == subset]
    return [replace(v, document=d) for v, d in _other_documents(path, videos)] if other_half else videos


def _other_documents(path: Path, videos: list[BenchmarkVideo]) -> list[tuple[BenchmarkVideo, Document]]:
    """Each video that has steps outside its text, with these as a text."""
    other = path.with_name(f"{path.stem}_other_half.json")
    texts = read_json(other, f"{path.stem} comes without the other half of its videos' steps.")
    entries = {v.id: Entry(other, v.id, {"document": texts[v.id]}) for v in videos if v.id in texts}
    return [(v, Document(entries[v.id].each("document", text))) for v in videos if v.id in entries]


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
