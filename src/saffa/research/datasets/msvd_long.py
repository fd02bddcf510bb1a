"""MSVD-Long: long videos assembled from MSVD clips, known by their features.

`DIR/msvd/msvd_features.npz` and `DIR/msvd_long/msvd_long_SPLIT.json`; the control of the same split gives each video
the document of another (`msvd_long_SPLIT_shuffled_documents.json`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.research.datasets.entry import Entry, keyed_entries, listed_entries, read_json
from saffa.research.datasets.features import FeatureVideo
from saffa.research.datasets.fields import exact_rate, flag, rate, text, whole

SPLITS = {"training": "train", "validation": "val"}
HINT = "--data must name the folder that holds msvd_long/, with the splits train, val and test."
Floats = NDArray[np.float32]


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
    places: list[NDArray[np.int64]] = []
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
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(zip(arrays["clip_ids"].tolist(), arrays["features"], strict=True))
    except FileNotFoundError:
        raise InputError(f"There is no {path}. --data must name the folder that holds msvd/ and msvd_long/.") from None
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
