"""Clips with captions that are decoded when they are looked at, 32 frames at a time; a person's own as such clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats, Rgb, Share
from saffa.core.video import Video
from saffa.encoders.vdan.clips import CLIP, ClipShape, resized
from saffa.media.frame_stream import read_frames, upright
from saffa.media.probe import probe
from saffa.research.datasets.captioned_folder import PICTURES, TRAIN, VAL, CaptionedFolder

HEIGHT, WIDTH = 128, 171


@dataclass(frozen=True, eq=False)
class DecodedClips:
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


def own_clips(folder: CaptionedFolder, progress: Share = lambda _: None) -> list[DecodedClips]:
    """Training and validation clips, each the whole of its file; a picture has no 32 frames and is refused."""
    for name in folder.captions:
        if (folder.path / name).suffix.lower() in PICTURES:
            raise InputError(f"{folder.path / name} is a picture; --backbone looks at clips. Leave --backbone out.")
    videos = {}
    for done, name in enumerate(folder.captions):
        videos[name] = probe(folder.path / name)
        progress((done + 1) / len(folder.captions))
    parts = [[name for name, split in folder.splits.items() if split == wanted] for wanted in (TRAIN, VAL)]
    return [
        DecodedClips(
            tuple(videos[name] for name in names),
            tuple(range(videos[name].frames) for name in names),
            tuple(folder.captions[name] for name in names),
            fingerprint=folder.fingerprint,
        )
        for names in parts
    ]
