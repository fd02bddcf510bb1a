"""MSVD-Long: long videos assembled from MSVD clips, known by their features.

`DIR/msvd/msvd_features.npz` and `DIR/msvd_long/msvd_long_SPLIT.json`; the control of the same split gives each video
the document of another (`msvd_long_SPLIT_shuffled_documents.json`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.research.datasets.base import FeatureVideo
from saffa.research.datasets.entry import (
    Entry,
    exact_rate,
    flag,
    keyed_entries,
    listed_entries,
    positive,
    rate,
    read_arrays,
    read_json,
    text,
    whole,
)

SPLITS = {"training": "train", "validation": "val"}
HINT = "--data must name the folder that holds msvd_long/, with the splits train, val and test."


@dataclass(frozen=True)
class Piece:
    """A clip as frames [start, end) of a long video; `is_step` if the document has a sentence on it."""

    clip: str
    start: int
    end: int
    is_step: bool


def load(folder: Path, split: str, *, shuffled_documents: bool = False) -> list[FeatureVideo]:
    """Videos of a split."""
    split = SPLITS.get(split, split)
    path = folder / "msvd_long" / f"msvd_long_{split}.json"
    data = read_json(path, HINT)
    entries = listed_entries(path, data.get("videos") if isinstance(data, dict) else None, "id")
    texts = _shuffled(path, split) if shuffled_documents else {entry.video: entry for entry in entries}
    clips = clip_features(folder / "msvd" / "msvd_features.npz")
    videos = []
    for entry in entries:
        if entry.video not in texts:
            raise InputError(f"{path}: video {entry.video}: there is no shuffled document for it.")
        fps = exact_rate(entry.read("fps", rate))
        sentences = texts[entry.video].each("document", text)
        videos.append(video_of(entry.video, fps, _pieces(entry, clips), sentences, clips))
    return videos


def video_of(
    name: str, fps: Fraction, pieces: Sequence[Piece], sentences: tuple[str, ...], clips: Mapping[str, Floats]
) -> FeatureVideo:
    """A video from pieces that follow each other and the features of their clips."""
    rows: list[Floats] = []
    places: list[Ints] = []
    first = 0
    for piece in pieces:
        features, frames = clips[piece.clip], piece.end - piece.start
        rows.append(features)
        # frame j of a clip of n frames shows its feature j · m // n
        places.append(first + np.arange(frames) * len(features) // frames)
        first += len(features)
    row_of_frame = np.concatenate(places)
    return FeatureVideo(
        id=name,
        frames=len(row_of_frame),
        rate=fps,
        document=Document(sentences),
        narration=None,
        steps=tuple((piece.start, piece.end) for piece in pieces if piece.is_step),
        features=np.concatenate(rows).astype(np.float32),
        row_of_frame=row_of_frame,
    )


def _pieces(entry: Entry, clips: Mapping[str, Floats]) -> list[Piece]:
    pieces: list[Piece] = []
    reached = 0
    for part in entry.parts("segments"):
        start, end = part.read("start", whole), part.read("end", whole)
        piece = Piece(part.read("clip", text), start, end, part.read("is_step", flag))
        if piece.clip not in clips:
            raise part.wrong("clip", f"{piece.clip!r} has no features")
        if piece.start != reached:
            raise part.wrong("start", f"{piece.start}, where the segment before it ends at {reached}")
        if piece.end <= piece.start:
            raise part.wrong("end", f"{piece.end} is not behind its start")
        pieces.append(piece)
        reached = piece.end
    if not any(piece.is_step for piece in pieces):
        raise entry.wrong("segments", "none of them is a step")
    return pieces


def _shuffled(path: Path, split: str) -> dict[str, Entry]:
    """Entries with the document of another video."""
    control = path.with_name(f"msvd_long_{split}_shuffled_documents.json")
    _, entries = keyed_entries(control, read_json(control, HINT), "shuffled")
    return {entry.video: entry for entry in entries}


def clip_features(path: Path) -> dict[str, Floats]:
    """Features of every clip, each (20, 512)."""
    hint = "--data must name the folder that holds msvd/ and msvd_long/."
    clips, features = read_arrays(path, "clip_ids", "features", hint=hint)
    if len(clips) != len(features):
        raise InputError(f"Cannot read {path}: {len(clips)} clips have {len(features)} features.")
    return dict(zip(clips.tolist(), features, strict=True))


RATE = 30
CLIPS = (3, 7)
"""Fewest and most step clips, and background clips."""
FRAMES, STEP_SHARE = (1500, 5000), (0.35, 0.65)
WORDS = (4, 20)
"""Fewest and most words of a caption that may be a sentence of the document."""


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
