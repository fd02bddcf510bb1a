"""Annotated videos of a dataset, and the files of them that are on this machine: what can be used, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

from saffa.core.document import Document
from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Share
from saffa.core.video import Video
from saffa.media.probe import probe
from saffa.media.subtitles.lines import find_narration
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.entry import (
    Entry,
    count_or_none,
    exact_rate,
    keyed_entries,
    positive,
    rate_or_none,
    read_json,
    segment,
    text,
)

Places = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class AnnotatedVideo:
    """A video of an annotation file: `segments` are seconds, a sentence each.

    `frames` and `rate` are None where the file has none.
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


def compact_video(entry: Entry, subset: str, group: str, task: str) -> AnnotatedVideo:
    """A video of the compact files, whose steps are two lists, `segments` and `sentences`."""
    places, lines = entry.each("segments", segment), entry.each("sentences", text)
    if len(places) != len(lines):
        raise entry.wrong("sentences", f"{len(lines)} sentences for {len(places)} segments")
    frames, fps = entry.read("frames", count_or_none), entry.read("fps", rate_or_none)
    return AnnotatedVideo(
        entry.video, subset, group, task, entry.read("duration", positive), places, lines, frames, fps
    )


def subset_of(entry: Entry, field: str, subsets: Collection[str]) -> str:
    """The subset that an entry names; it must be one of `subsets`."""
    subset = entry.read(field, text)
    if subset not in subsets:
        raise entry.wrong(field, f"{subset!r} is none of {', '.join(subsets)}")
    return subset


def split_named(dataset: str, name: str, subsets: Sequence[str]) -> str:
    """The subset of a `--split`; train, val and test are short for training, validation and testing."""
    found = {"train": "training", "val": "validation", "test": "testing"}.get(name, name)
    if found not in subsets:
        known = f"the split{'s' if len(subsets) > 1 else ''} {' and '.join(subsets)}"
        raise InputError(f"{dataset} has {known}, not {name!r}.")
    return found


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


T = TypeVar("T")

SUFFIXES = (".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".flv", ".3gp")
LACKING = 0.05, 1.0
"""Share of its length, and seconds, that a file may lack (the greater counts) before it is taken to be cut off.

Of the videos whose frames COIN's and YouCook2's annotations count, 99.9 % meet it: durations are the container's, and
the picture usually ends 0 to 0.6 s before the sound. (In 16 of 11,124 it ends far earlier.)
"""


@dataclass(frozen=True, eq=False)
class FileVideo(BenchmarkVideo):
    """An annotated video whose file is here; frames, rate and narration are the file's own."""

    file: Video = field(repr=False)


@dataclass(frozen=True)
class FoundVideos:
    """What a split has: usable videos, and those that are not, with the reason."""

    videos: tuple[BenchmarkVideo, ...]
    missing: tuple[str, ...] = ()
    """Not in the folder."""
    damaged: tuple[tuple[str, str], ...] = ()
    """In the folder but not readable: id, reason."""

    def summary(self) -> str:
        """One line for people; empty when all is well."""
        if not self.missing and not self.damaged:
            return ""
        listed = len(self.videos) + len(self.missing) + len(self.damaged)
        return f"{len(self.videos)} of {listed} videos used: {len(self.missing)} missing, {len(self.damaged)} damaged."


def find_files(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Video files below a folder by their stem, which is the video's id; a video may have several."""
    files: dict[str, tuple[Path, ...]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            files[path.stem] = (*files.get(path.stem, ()), path)
    return files


def first_good(paths: Sequence[Path], opened: Callable[[Path], T]) -> T:
    """What the first file gives that can be opened: an empty one, or sound alone, may lie beside a good one.

    If none can, it is the first one's error.
    """
    errors: list[SaffaError] = []
    for path in paths:
        try:
            return opened(path)
        except SaffaError as error:
            errors.append(error)
    raise errors[0]


def open_files(entries: Sequence[AnnotatedVideo], folder: Path, progress: Share = lambda _: None) -> FoundVideos:
    """Pair entries with files; missing and damaged ones are left out and counted, but one must be usable."""
    files = find_files(folder)
    videos: list[BenchmarkVideo] = []
    damaged: list[tuple[str, str]] = []
    for done, entry in enumerate(entries):
        if entry.id in files:
            try:
                videos.append(first_good(files[entry.id], partial(_opened, entry)))
            except SaffaError as error:
                damaged.append((entry.id, str(error)))
        progress((done + 1) / len(entries))
    missing = tuple(entry.id for entry in entries if entry.id not in files)
    advice = "Files are named ID.mp4. (--encoder none --methods uniform,oracle needs the annotations only.)"
    check_some(videos, missing, damaged, f"can be used below {folder}", advice)
    return FoundVideos(tuple(videos), missing, tuple(damaged))


def without_files(entries: Sequence[AnnotatedVideo]) -> FoundVideos:
    """Videos as far as the annotations tell the number of frames: enough for methods that look at nothing (`none`)."""
    known = [entry for entry in entries if entry.frames and entry.rate]
    missing = tuple(entry.id for entry in entries if not (entry.frames and entry.rate))
    videos = [_placed(entry, entry.frames or 0, exact_rate(entry.rate or 0)) for entry in known]
    late = tuple((video.id, "all its steps lie behind its last frame") for video in videos if not video.steps)
    used = tuple(video for video in videos if video.steps)
    advice = "Missing are those whose number of frames they do not tell."
    check_some(used, missing, late, "can be used by its annotations", advice)
    return FoundVideos(used, missing, late)


class NoneUsableError(InputError):
    """There are videos, but none can be used; which ones, and why."""

    def __init__(self, told: str, missing: Sequence[str], damaged: Sequence[tuple[str, str]]) -> None:
        super().__init__(told)
        self.missing, self.damaged = tuple(missing), tuple(damaged)


def check_some(
    used: Sequence[object], missing: Sequence[str], damaged: Sequence[tuple[str, str]], use: str, advice: str
) -> None:
    """NoneUsableError if there are videos, but none is usable."""
    if used or not (missing or damaged):
        return
    first = f" (the first: {damaged[0][1].rstrip('.')})" if damaged else ""
    counts = f"{len(missing)} missing, {len(damaged)} damaged{first}"
    told = f"None of the {len(missing) + len(damaged)} videos {use}: {counts}. {advice}"
    raise NoneUsableError(told, missing, damaged)


def _opened(entry: AnnotatedVideo, path: Path) -> FileVideo:
    file = probe(path)
    check_whole(entry, path, float(file.duration))
    video = _placed(entry, file.frames, file.rate)
    if not video.steps:
        raise InputError(f"{path} has no frame in any of its steps.")
    return FileVideo(video.id, video.frames, video.rate, video.document, find_narration(file), video.steps, file)


def check_whole(entry: AnnotatedVideo, path: Path, length: float) -> None:
    """InputError if the file is clearly shorter than the annotated video, or a step is not in it; longer is fine."""
    known = entry.frames / entry.rate if entry.frames and entry.rate else entry.duration
    wanted = min(entry.duration, known)
    share, seconds = LACKING
    if wanted - length > max(share * wanted, seconds):
        raise InputError(f"{path} ends at {length:.1f} s of {wanted:.1f} s; download it again.")
    for start, end in entry.segments:
        if start >= length or end > length + seconds:
            raise InputError(
                f"{path} ends at {length:.1f} s, but a step goes from {start:.1f} s to {end:.1f} s; download it again."
            )


def _placed(entry: AnnotatedVideo, frames: int, rate: Fraction) -> BenchmarkVideo:
    """Steps on the frame axis [start, end); what lies behind the end is cut."""
    ranges = (frame_range(place, float(rate), frames) for place in entry.segments)
    steps = tuple((start, end) for start, end in ranges if start < end)
    return BenchmarkVideo(entry.id, frames, rate, Document(entry.sentences), None, steps)
