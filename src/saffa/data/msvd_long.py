"""MSVD-Long: long videos assembled from MSVD clips, known by their features.

`DIR/msvd/msvd_features.npz` and `DIR/msvd_long/msvd_long_SPLIT.json`; the control of the same split gives each video
the document of another (`msvd_long_SPLIT_shuffled_documents.json`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.data.features import FeatureVideo
from saffa.document import Document
from saffa.errors import InputError

SPLITS = {"training": "train", "validation": "val"}
Floats = NDArray[np.float32]


def load(folder: Path, split: str, *, shuffled_documents: bool = False) -> list[FeatureVideo]:
    """Videos of a split; a faulty entry is named."""
    split = SPLITS.get(split, split)
    path = folder / "msvd_long" / f"msvd_long_{split}.json"
    entries = _json(path)
    control = _json(path.with_name(f"msvd_long_{split}_shuffled_documents.json")) if shuffled_documents else None
    clips = clip_features(folder / "msvd" / "msvd_features.npz")
    videos = []
    for entry in entries.get("videos", ()):
        try:
            name = str(entry["id"])
            sentences = entry["document"] if control is None else control["shuffled"][name]["document"]
            videos.append(video_of(entry, name, sentences, clips))
        except (KeyError, TypeError, ValueError, IndexError, InputError) as error:
            raise InputError(f"{path}: video {len(videos)} is not a whole entry ({error!r}).") from None
    return videos


def video_of(entry: Mapping[str, Any], name: str, sentences: list[str], clips: Mapping[str, Floats]) -> FeatureVideo:
    """A video from its segments (clip, start, end, is_step) and the features of the clips."""
    rows: list[Floats] = []
    places: list[NDArray[np.int64]] = []
    steps: list[tuple[int, int]] = []
    first = 0
    for segment in entry["segments"]:
        start, end = int(segment["start"]), int(segment["end"])
        if start != sum(len(place) for place in places) or end <= start:
            raise ValueError("segments must follow each other")
        features = clips[segment["clip"]]
        rows.append(features)
        # frame j of a clip of n frames shows its feature j · m // n
        places.append(first + np.arange(end - start) * len(features) // (end - start))
        first += len(features)
        if segment["is_step"]:
            steps.append((start, end))
    row_of_frame = np.concatenate(places)
    return FeatureVideo(
        id=name,
        frames=len(row_of_frame),
        rate=Fraction(entry["fps"]).limit_denominator(1001),
        document=Document(tuple(map(str, sentences))),
        narration=None,
        steps=tuple(steps),
        features=np.concatenate(rows).astype(np.float32),
        row_of_frame=row_of_frame,
    )


def clip_features(path: Path) -> dict[str, Floats]:
    """Features of every clip, each (20, 512)."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return dict(zip(arrays["clip_ids"].tolist(), arrays["features"], strict=True))
    except FileNotFoundError:
        raise InputError(f"There is no {path}. --data must name the folder that holds msvd/ and msvd_long/.") from None
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no {path}; msvd-long has the splits train, val and test.") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
    if not isinstance(data, dict):
        raise InputError(f"Cannot read {path}: it does not hold a JSON object.")
    return data
