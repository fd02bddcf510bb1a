"""YouCook2 from its owners' files: `DIR/youcook2/` with

youcookii_annotations_trainval.json      steps, sentences, subsets
splits/{train,val}_duration_totalframe.csv   frame counts (optional: the videos tell them too)
label_foodtype.csv                       names of the recipes (optional)
videos in any folder below, named ID.mp4, .mkv, .webm, …

or with the compact `youcook2.json`, which has all of this in one file.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from saffa.data.annotations import (
    AnnotatedVideo,
    Entry,
    first_file,
    positive,
    positive_or_none,
    read_entries,
    segments,
    sentences,
    steps_of,
    text,
)
from saffa.errors import InputError

FOLDER = "youcook2"
PUBLISHED, COMPACT = "youcookii_annotations_trainval.json", "youcook2.json"
SPLITS = {"train": "training", "training": "training", "val": "validation", "validation": "validation"}
SUBSETS = ("training", "validation")


def load(folder: Path) -> list[AnnotatedVideo]:
    """All annotated videos (1,790: the subset "testing" is published without annotations)."""
    path = first_file(folder / FOLDER, (PUBLISHED, COMPACT), "annotation file of YouCook2")
    entries, published = read_entries(path)
    if not published:
        return [_compact(Entry(path, key, data), key) for key, data in entries.items()]
    counts, names = _frame_counts(folder / FOLDER / "splits"), _recipes(folder / FOLDER / "label_foodtype.csv")
    return [
        _published(Entry(path, key, data), key, counts, names)
        for key, data in entries.items()
        if not _unannotated(data)
    ]


def split_of(name: str) -> str:
    """The subset of a `--split`; the paper tests on validation, because testing has no annotations."""
    if name not in SPLITS:
        raise InputError(f"youcook2 has the splits training and validation, not {name!r}.")
    return SPLITS[name]


def _unannotated(data: Any) -> bool:
    return isinstance(data, dict) and data.get("subset") == "testing" and not data.get("annotations")


def _published(entry: Entry, key: str, counts: dict[str, int], names: dict[str, str]) -> AnnotatedVideo:
    places, lines = entry.read("annotations", lambda steps: steps_of(steps, "sentence"))
    recipe = entry.read("recipe_type", str)
    duration, frames = entry.read("duration", positive), counts.get(key) or None
    return AnnotatedVideo(
        id=key,
        subset=_subset(entry),
        group=recipe,
        task=names.get(recipe, recipe),
        duration=duration,
        segments=places,
        sentences=lines,
        frames=frames,
        rate=frames / duration if frames else None,
    )


def _compact(entry: Entry, key: str) -> AnnotatedVideo:
    places, lines = entry.read("segments", segments), entry.read("sentences", sentences)
    if len(places) != len(lines):
        raise entry.wrong("sentences", f"{len(lines)} sentences for {len(places)} segments")
    frames = entry.read("frames", positive_or_none)
    return AnnotatedVideo(
        id=key,
        subset=_subset(entry),
        group=entry.read("recipe_type", str),
        task=entry.read("recipe_name", text),
        duration=entry.read("duration", positive),
        segments=places,
        sentences=lines,
        frames=None if frames is None else int(frames),
        rate=entry.read("fps", positive_or_none),
    )


def _subset(entry: Entry) -> str:
    subset = entry.read("subset", text)
    if subset not in SUBSETS:
        raise entry.wrong("subset", f"{subset!r} is none of {', '.join(SUBSETS)}")
    return subset


def _frame_counts(folder: Path) -> dict[str, int]:
    """Of all `*_duration_totalframe.csv` (vid_id, duration, total_frame) that are there."""
    counts: dict[str, int] = {}
    for path in sorted(folder.glob("*_duration_totalframe.csv")):
        try:
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    counts[Path(row["vid_id"]).name] = int(float(row["total_frame"]))
        except (OSError, UnicodeDecodeError, csv.Error, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: a row lacks vid_id or a whole total_frame ({error!r}).") from None
    return counts


def _recipes(path: Path) -> dict[str, str]:
    """Number → name."""
    if not path.is_file():
        return {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return {row[0].strip(): row[1].strip() for row in csv.reader(file) if len(row) > 1 and row[0].strip()}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
