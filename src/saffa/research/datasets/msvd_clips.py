"""More long videos from MSVD clips, put together as those of MSVD-Long are: other draws, to train on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from saffa.core.errors import InputError
from saffa.research.datasets.entry import Entry, read_json
from saffa.research.datasets.features import FeatureVideo
from saffa.research.datasets.fields import positive, text
from saffa.research.datasets.msvd_long import Piece, clip_features, video_of

RATE = 30
CLIPS = (3, 7)
"""Fewest and most step clips, and background clips."""
FRAMES, STEP_SHARE = (1500, 5000), (0.35, 0.65)
WORDS = (4, 20)
"""Of a caption that may be a sentence of the document."""


@dataclass(frozen=True)
class Captioned:
    """What is known of a clip beside its features."""

    split: str
    seconds: float
    captions: tuple[str, ...]


def assemble(
    folder: Path, split: str, count: int, seed: int, among: Collection[str] | None = None
) -> list[FeatureVideo]:
    """`count` videos of captioned clips of a split, each clip of a video from another YouTube video.

    `among`: only these clips. Unlike the benchmark's, background clips are not checked for words they share with
    the document.
    """
    captions = _captions(folder / "msvd" / "msvd_captions.json")
    clips = clip_features(folder / "msvd" / "msvd_features.npz")
    names = [name for name, facts in captions.items() if facts.split == split and name in clips]
    if not names:
        raise InputError(f"msvd has no captioned clips in the split {split!r}; it has train, val and test.")
    names = names if among is None else [name for name in names if name in among]
    _check_sources(names)
    random = np.random.default_rng(seed)
    videos: list[FeatureVideo] = []
    while len(videos) < count:
        pieces, document = _draw(names, captions, random)
        frames = pieces[-1].end
        share = sum(piece.end - piece.start for piece in pieces if piece.is_step) / frames
        if FRAMES[0] <= frames <= FRAMES[1] and STEP_SHARE[0] <= share <= STEP_SHARE[1]:
            videos.append(video_of(f"{split}-assembled-{len(videos)}", Fraction(RATE), pieces, document, clips))
    return videos


def source_of(clip: str) -> str:
    """The YouTube video that a clip was cut from."""
    return clip.rsplit("_", 2)[0]


def _check_sources(names: Collection[str]) -> None:
    sources = len(set(map(source_of, names)))
    if sources < 2 * CLIPS[1]:
        raise InputError(f"{sources} different videos are too few to assemble from; {2 * CLIPS[1]} are needed.")


def _draw(
    names: list[str], captions: Mapping[str, Captioned], random: np.random.Generator
) -> tuple[list[Piece], tuple[str, ...]]:
    """Pieces of one video, and its document: a caption of each step clip."""
    steps, others = random.integers(CLIPS[0], CLIPS[1] + 1, size=2)
    by_source: dict[str, str] = {}
    for name in random.permutation(names).tolist():
        by_source.setdefault(source_of(name), name)
    chosen = list(by_source.values())[: steps + others]
    kinds = random.permutation([True] * steps + [False] * others).tolist()
    pieces, document, start = [], [], 0
    for name, is_step in zip(chosen, kinds, strict=False):
        end = start + RATE * max(1, round(captions[name].seconds))
        pieces.append(Piece(name, start, end, is_step))
        start = end
        if is_step:
            texts = captions[name].captions
            fitting = [line for line in texts if WORDS[0] <= len(line.split()) <= WORDS[1]] or texts
            document.append(fitting[random.integers(len(fitting))])
    return pieces, tuple(document)


def _captions(path: Path) -> dict[str, Captioned]:
    data = read_json(path, "The data folder must hold msvd/.")
    if not isinstance(data, dict):
        raise InputError(f"{path} has no entry per clip; is it the right file?")
    entries = [Entry(path, clip, facts) for clip, facts in data.items()]
    return {
        entry.video: Captioned(entry.read("split", text), entry.read("seconds", positive), entry.each("captions", text))
        for entry in entries
    }
