"""VaTeX as its authors publish it: a JSON list of videos with captions, and a folder of video files."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Share
from saffa.core.video import Video
from saffa.media.probe import probe
from saffa.research.datasets.captioned_clips import DecodedClips
from saffa.research.datasets.dataset import check_some, find_files, first_good, split_named
from saffa.research.datasets.entry import listed_entries, read_json, text

FOLDER = "vatex"
CLOCK = 1e-6
"""Seconds: times of frames are not exact as floating-point numbers."""


def load_split(data: Path, split: str, progress: Share = lambda _: None) -> DecodedClips:
    """A split below a folder of datasets: `vatex/vatex_SPLIT_v1.0.json` and videos in any folder below `vatex`."""
    subset = split_named(FOLDER, split, ("training", "validation"))
    return load(data / FOLDER / f"vatex_{subset}_v1.0.json", data / FOLDER, progress)


def load(path: Path, folder: Path, progress: Share = lambda _: None) -> DecodedClips:
    """Videos of a VaTeX JSON that are in the folder or below, with their English captions.

    Every file is looked at, so that a damaged one is left out here and does not stop the training.
    """
    entries = listed_entries(path, read_json(path, "It should be the list of videos and captions of VaTeX."), "videoID")
    named = [(entry.video, entry.each("enCap", text)) for entry in entries]
    if not named:
        raise InputError(f"{path} lists no videos.")
    files, looked = find_files(folder), cache(probe)  # stretches of one source share its file
    here: list[tuple[Video, range, tuple[str, ...]]] = []
    missing: list[str] = []
    damaged: list[tuple[str, str]] = []
    for done, (name, captions) in enumerate(named):
        paths = (*files.get(name, ()), *files.get(source_of(name), ()))
        try:
            if paths:
                here.append((*first_good(paths, partial(_opened, name, looked)), captions))
            else:
                missing.append(name)
        except SaffaError as error:
            damaged.append((name, str(error)))
        progress((done + 1) / len(named))
    advice = "Files are named ID.mp4 or ID_000010_000020.mp4; .webm, .mkv, … will do too."
    check_some(here, missing, damaged, f"of {path} can be used below {folder}", advice)
    videos, stretches, texts = zip(*here, strict=True)
    return DecodedClips(videos, stretches, texts, missing=tuple(missing), damaged=tuple(damaged))


def _opened(name: str, look: Callable[[Path], Video], path: Path) -> tuple[Video, range]:
    video = look(path)
    return video, stretch_of(name, video)


def source_of(video: str) -> str:
    """`ID_000010_000020` is stretch 10 s to 20 s of ID."""
    return video.rsplit("_", 2)[0]


def stretch_of(name: str, video: Video) -> range:
    """The frames that are the clip `ID_000010_000020`.

    A file with the whole name is the clip. `ID.mp4` is the clip too (the authors keep them so), unless it is so long
    that it must be the source: longer than midway between the clip's length and the clip's end in its source.
    """
    whole = range(video.frames)
    bounds = re.search(r"_(\d+)_(\d+)$", name)
    if bounds is None or video.path.stem == name:
        return whole
    start, end = map(int, bounds.groups())
    if not start < end or float(video.duration) <= end - start / 2:
        return whole
    if video.duration < end - 1:
        raise InputError(f"{video.path} ends at {float(video.duration):.1f} s of {end} s; download it again.")
    first, last = np.searchsorted(video.times(), (start - CLOCK, end - CLOCK)).tolist()
    return range(first, last)
