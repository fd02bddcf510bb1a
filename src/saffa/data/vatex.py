"""VaTeX as its authors publish it: a JSON list of videos with captions, and a folder of video files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.data.dataset import find_files
from saffa.data.entry import listed_entries, read_json
from saffa.data.fields import text
from saffa.encoders.clips import CLIP, ClipShape, Rgb, resized
from saffa.errors import InputError
from saffa.media.probe import Video, probe
from saffa.media.reader import read_frames
from saffa.media.still import upright

HEIGHT, WIDTH = 128, 171
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class VatexClips:
    """Videos with captions: a `ClipSource` that decodes 32 consecutive frames at a time.

    Training takes a random stretch, a random 112×112 crop of the frame at 128×171, and mirrors every other clip;
    without a generator it is the middle stretch and the centre crop.
    """

    paths: tuple[Path, ...]
    captions: Sequence[tuple[str, ...]] = field(repr=False)
    shape: ClipShape = CLIP
    missing: int = 0
    """Videos of the list that are not in the folder."""
    decoded: bool = True

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def _videos(self) -> dict[int, Video]:
        return {}

    def view(self, clip: int, random: np.random.Generator | None) -> Floats:
        """A clip (3, T, size, size), normalised; frames behind the end are black."""
        if clip not in self._videos:
            self._videos[clip] = probe(self.paths[clip])
        video = self._videos[clip]
        room = max(video.frames - self.shape.frames, 1)
        start = room // 2 if random is None else int(random.integers(room))
        frames = np.zeros((self.shape.frames, HEIGHT, WIDTH, 3), np.uint8)
        for number, frame in read_frames(video):
            if number >= start + self.shape.frames:
                break
            if number >= start:
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


def load(path: Path, folder: Path) -> VatexClips:
    """Videos of a VaTeX JSON that are in the folder or below, with their English captions."""
    entries = listed_entries(path, read_json(path, "It should be the list of videos and captions of VaTeX."), "videoID")
    named = [(source_of(entry.video), entry.each("enCap", text)) for entry in entries]
    files = find_files(folder)
    here = [(files[name][0], captions) for name, captions in named if name in files]
    if not here:
        raise InputError(
            f"None of the {len(named)} videos of {path} is in {folder}; files are named ID.mp4, ID.webm, …"
        )
    return VatexClips(tuple(p for p, _ in here), tuple(c for _, c in here), missing=len(named) - len(here))


def source_of(video: str) -> str:
    """`ID_000010_000020` is stretch 10 s to 20 s of ID, kept as `ID.mp4`."""
    return video.rsplit("_", 2)[0]
