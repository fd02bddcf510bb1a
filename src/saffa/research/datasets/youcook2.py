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

from saffa.core.errors import InputError
from saffa.research.datasets.dataset import (
    AnnotatedVideo,
    compact_video,
    first_file,
    published_steps,
    read_entries,
    subset_of,
)
from saffa.research.datasets.entry import Entry, count_or_none, label, positive, text

FOLDER = "youcook2"
PUBLISHED, COMPACT = "youcookii_annotations_trainval.json", "youcook2.json"
SUBSETS = ("training", "validation")
"""The paper tests on validation, because testing has no annotations."""


def load(folder: Path) -> list[AnnotatedVideo]:
    """All annotated videos (1,790: the subset "testing" is published without annotations)."""
    path = first_file(folder / FOLDER, (PUBLISHED, COMPACT), "annotation file of YouCook2")
    entries, published = read_entries(path)
    if not published:
        return [_compact(entry) for entry in entries]
    counts, names = _frame_counts(folder / FOLDER / "splits"), _recipes(folder / FOLDER / "label_foodtype.csv")
    return [_published(entry, counts, names) for entry in entries if not _unannotated(entry)]


def _unannotated(entry: Entry) -> bool:
    return entry.get("subset") == "testing" and not entry.get("annotations")


def _published(entry: Entry, counts: dict[str, int | None], names: dict[str, str]) -> AnnotatedVideo:
    places, lines = published_steps(entry, "annotations", "sentence")
    recipe = entry.read("recipe_type", label)
    duration, frames = entry.read("duration", positive), counts.get(entry.video)
    return AnnotatedVideo(
        id=entry.video,
        subset=subset_of(entry, "subset", SUBSETS),
        group=recipe,
        task=names.get(recipe, recipe),
        duration=duration,
        segments=places,
        sentences=lines,
        frames=frames,
        rate=frames / duration if frames else None,
    )


def _compact(entry: Entry) -> AnnotatedVideo:
    group, task = entry.read("recipe_type", label), entry.read("recipe_name", text)
    return compact_video(entry, subset_of(entry, "subset", SUBSETS), group, task)


def _frame_counts(folder: Path) -> dict[str, int | None]:
    """Frames of each video, from all `*_duration_totalframe.csv` (vid_id, duration, total_frame) that are there."""
    return dict(pair for path in sorted(folder.glob("*_duration_totalframe.csv")) for pair in _counted(path))


def _counted(path: Path) -> list[tuple[str, int | None]]:
    """Video and number of frames of every row; `vid_id` may have the recipe before it, 113/GLd3aX16zBg."""
    found = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            for row in reader:
                cells = {name: cell for name, cell in row.items() if cell is not None}  # a short row lacks its last
                video = Path(Entry(path, f"in line {reader.line_num}", cells).read("vid_id", text)).name
                found.append((video, Entry(path, video, cells).read("total_frame", count_or_none)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
    return found


def _recipes(path: Path) -> dict[str, str]:
    """Number → name."""
    if not path.is_file():
        return {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return {row[0].strip(): row[1].strip() for row in csv.reader(file) if len(row) > 1 and row[0].strip()}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
