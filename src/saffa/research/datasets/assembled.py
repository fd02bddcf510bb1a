"""Videos assembled from real clips and photographs, with known boundaries and sentences written by hand.

`DIR/videos` holds the clips, `DIR/photographs` (may be missing) pictures that come with Python packages; only files
named in scenes.json are used. A photograph is a slow pan. A video is some scenes in random order; the text names
about half of them, in the order of the video, and what it does not name is background. Each scene serves as step and
as background, so whether it is relevant depends on the text alone. Every video is a real file, written and read
through the same decoder as any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path

import av
import numpy as np
from PIL import Image

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Rgb
from saffa.core.whole_file import whole_file
from saffa.media.probe import probe
from saffa.media.thumbnails import thumbnails
from saffa.research.datasets.dataset import FileVideo
from saffa.storage.fingerprint import fingerprint
from saffa.storage.store import cache_folder

SIZE, RATE = (320, 240), 10
STEPS, BACKGROUNDS = (3, 6), (3, 6)
SECONDS = (6.0, 14.0)
"""Length of a scene."""
VIDEOS = {"validation": (24, 71), "test": (24, 72)}
"""Number of videos and seed of each split."""

STRANGERS = 3
"""Texts of others that each video is tried with, when documents are shuffled."""


@cache
def scenes() -> dict[str, list[str]]:
    """What each clip or photograph shows, in three sentences written by hand."""
    text = files(__package__).joinpath("scenes.json").read_text("utf-8")
    return dict(json.loads(text))


@dataclass(frozen=True)
class Part:
    """One scene of a video: frames [start, end) show it from `offset` seconds on; `sentence` is None in background."""

    scene: str
    start: int
    end: int
    offset: float
    sentence: str | None


def load(data: Path, split: str, *, shuffled_documents: bool = False) -> list[FileVideo]:
    """Make the videos of a split and open them; `shuffled_documents` gives each the text of another.

    They are kept in the cache folder for the next time.
    """
    if split not in VIDEOS:
        raise InputError(f"assembled has the splits {', '.join(VIDEOS)}, not {split!r}.")
    sources = find_scenes(data)
    folder = cache_folder() / "assembled"
    folder.mkdir(parents=True, exist_ok=True)
    count, seed = VIDEOS[split]
    plans = [assemble(sorted(sources), np.random.default_rng([seed, n])) for n in range(count)]
    shots = Shots(sources)
    videos = [_opened(f"{split}-{n:02}", plan, shots, folder) for n, plan in enumerate(plans)]
    if not shuffled_documents:
        return videos
    pairs = [(n, k) for n in range(count) for k in range(STRANGERS)]
    return [replace(videos[n], id=f"{videos[n].id}-{k}", document=Document(stranger(plans, n, k))) for n, k in pairs]


def find_scenes(data: Path) -> dict[str, Path]:
    """Files by scene; InputError if there are too few to assemble anything."""
    places = [path for name in ("videos", "photographs") for path in sorted((data / name).glob("*"))]
    found = {path.stem: path for path in places if path.stem in scenes() and path.suffix != ".npy"}
    if len(found) < STEPS[1] + BACKGROUNDS[1] - 2:
        raise InputError(f"{data} has {len(found)} of the {len(scenes())} known scenes in videos/ and photographs/.")
    return found


def assemble(names: list[str], random: np.random.Generator) -> list[Part]:
    """A random video: which scenes, in which order, for how long, and what the text says."""
    steps, backgrounds = random.integers(STEPS[0], STEPS[1]), random.integers(BACKGROUNDS[0], BACKGROUNDS[1])
    chosen = random.choice(names, steps + backgrounds, replace=False).tolist()
    relevant = set(chosen[:steps])
    parts: list[Part] = []
    start = 0
    for scene in random.permutation(chosen).tolist():
        end = start + round(random.uniform(*SECONDS) * RATE)
        sentence = str(random.choice(scenes()[scene])) if scene in relevant else None
        parts.append(Part(scene, start, end, float(random.random()), sentence))
        start = end
    return parts


def stranger(plans: list[list[Part]], n: int, k: int) -> tuple[str, ...]:
    """The text of another video; its sentences about scenes that are seen in video n are left out.

    The k-th longest of those that are left, so that a few texts for one video differ.
    """
    seen = {part.scene for part in plans[n]}
    others = [plans[(n + step) % len(plans)] for step in range(1, len(plans))]
    texts = [[p.sentence for p in other if p.sentence is not None and p.scene not in seen] for other in others]
    return tuple(sorted(texts, key=len, reverse=True)[k])


class Shots:
    """Pictures of the scenes at any time, each source file decoded once."""

    def __init__(self, sources: dict[str, Path]) -> None:
        self._sources = sources
        self._clips: dict[str, list[Rgb]] = {}

    def frames(self, part: Part) -> Iterator[Rgb]:
        """(240, 320, 3) for every frame of a part."""
        path = self._sources[part.scene]
        count = part.end - part.start
        if path.parent.name == "photographs":
            yield from _pan(path, count)
            return
        clip = self._clips.setdefault(part.scene, []) or self._read(part.scene)
        first = int(part.offset * max(0, len(clip) - count))
        for k in range(count):  # a short clip is played to and fro
            turn = (first + k) % max(1, 2 * len(clip) - 2)
            yield clip[turn if turn < len(clip) else 2 * len(clip) - 2 - turn]

    def version(self, plan: list[Part]) -> list[str]:
        """All that a video is made from: one made from anything else has another name."""
        sizes = [f"{part.scene} {self._sources[part.scene].stat().st_size}" for part in plan]
        return [str(SIZE), str(RATE), repr(plan), *sizes]

    def _read(self, scene: str) -> list[Rgb]:
        video = probe(self._sources[scene])
        taken = sorted(thumbnails(video, SIZE[0], RATE), key=lambda look: look.time)
        self._clips[scene] = [np.asarray(Image.fromarray(look.picture).resize(SIZE)) for look in taken]
        return self._clips[scene]


def _pan(path: Path, count: int) -> Iterator[Rgb]:
    """A window that moves over the picture from one corner to the other and opens."""
    with Image.open(path) as file:
        picture = file.convert("RGB")
    picture.thumbnail((2 * SIZE[0], 2 * SIZE[0]))
    width, height = picture.size
    for k in range(count):
        done = k / max(1, count - 1)
        size = 0.75 + 0.25 * done
        left, top = (1 - size) * width * done, (1 - size) * height * (1 - done)
        box = (left, top, left + size * width, top + size * height)
        yield np.asarray(picture.resize(SIZE, Image.Resampling.BILINEAR, box))


def _opened(name: str, plan: list[Part], shots: Shots, folder: Path) -> FileVideo:
    path = folder / f"{name}-{fingerprint(*shots.version(plan))[:40]}.mp4"
    if not path.is_file():
        with whole_file(path) as part:
            _write(part, plan, shots)
    steps = [(part.start, part.end, part.sentence) for part in plan if part.sentence is not None]
    text = Document(tuple(sentence for _, _, sentence in steps))
    frames = tuple((start, end) for start, end, _ in steps)
    return FileVideo(name, plan[-1].end, Fraction(RATE), text, None, frames, probe(path))


def _write(path: Path, plan: list[Part], shots: Shots) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"preset": "ultrafast", "crf": "20"})
        stream.width, stream.height = SIZE
        for part in plan:
            for picture in shots.frames(part):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(picture))))
        container.mux(stream.encode(None))
