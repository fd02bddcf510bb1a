"""VaTeX as its authors publish it: a JSON list of videos with captions, and a folder of video files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np

from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Floats, Rgb, Share
from saffa.core.video import Video
from saffa.encoders.vdan.clips import CLIP, ClipShape, resized
from saffa.media.frame_stream import read_frames, upright
from saffa.media.probe import probe
from saffa.research.datasets.dataset import check_some, find_files, first_good, split_named
from saffa.research.datasets.entry import listed_entries, read_json, text

FOLDER = "vatex"
HEIGHT, WIDTH = 128, 171
CLOCK = 1e-6
"""Seconds: times of frames are not exact as floating-point numbers."""


@dataclass(frozen=True, eq=False)
class VatexClips:
    """Videos with captions: a `ClipSource` that decodes 32 consecutive frames at a time.

    Training takes a random stretch, a random 112×112 crop of the frame at 128×171, and mirrors every other clip;
    without a generator it is the middle stretch and the centre crop.
    """

    videos: tuple[Video, ...] = field(repr=False)
    stretches: tuple[range, ...] = field(repr=False)
    """The frames of each video that are the clip."""
    captions: Sequence[tuple[str, ...]] = field(repr=False)
    shape: ClipShape = CLIP
    missing: tuple[str, ...] = ()
    """Videos of the list that are not in the folder."""
    damaged: tuple[tuple[str, str], ...] = ()
    """In the folder but not readable: id, reason."""
    decoded: bool = True
    fingerprint: str = ""
    """Hash of the files' contents, where there are few enough to read them all: a run is not resumed with others."""

    def __len__(self) -> int:
        return len(self.videos)

    def view(self, clip: int, random: np.random.Generator | None) -> Floats:
        """A clip (3, T, size, size), normalised; frames behind the end are black."""
        video, stretch = self.videos[clip], self.stretches[clip]
        room = max(len(stretch) - self.shape.frames, 1)
        start = stretch.start + (room // 2 if random is None else int(random.integers(room)))
        frames = np.zeros((self.shape.frames, HEIGHT, WIDTH, 3), np.uint8)
        for number, frame in read_frames(video, range(start, min(start + self.shape.frames, stretch.stop))):
            frames[number - start] = resized(upright(frame, video.rotation), HEIGHT, WIDTH)
        return self.shape.normalised(cropped(frames, self.shape.size, random))


def cropped(frames: Rgb, size: int, random: np.random.Generator | None) -> Rgb:
    """A square (T, size, size, 3) out of (T, H, W, 3), the same for all frames: random, mirrored or not; or centre."""
    room = frames.shape[1] - size, frames.shape[2] - size
    if random is None:
        top, left = (round(r / 2) for r in room)
        return frames[:, top : top + size, left : left + size]
    top, left = (int(random.integers(r + 1)) for r in room)
    square = frames[:, top : top + size, left : left + size]
    return np.ascontiguousarray(square[:, :, ::-1]) if random.random() < 0.5 else square


def load_split(data: Path, split: str, progress: Share = lambda _: None) -> VatexClips:
    """A split below a folder of datasets: `vatex/vatex_SPLIT_v1.0.json` and videos in any folder below `vatex`."""
    subset = split_named(FOLDER, split, ("training", "validation"))
    return load(data / FOLDER / f"vatex_{subset}_v1.0.json", data / FOLDER, progress)


def load(path: Path, folder: Path, progress: Share = lambda _: None) -> VatexClips:
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
    return VatexClips(videos, stretches, texts, missing=tuple(missing), damaged=tuple(damaged))


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
