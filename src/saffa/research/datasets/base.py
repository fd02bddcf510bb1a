"""What a benchmark gives: videos without pictures, with their text, narration and true steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.core.video import Narration
from saffa.research.datasets.entry import read_arrays, read_json


@dataclass(frozen=True)
class BenchmarkVideo:
    """One annotated video; `steps` are frame ranges [start, end), in order."""

    id: str
    frames: int
    rate: Fraction
    document: Document
    narration: Narration | None
    steps: tuple[tuple[int, int], ...]


Views = Literal["mean", "one"]


@dataclass(frozen=True, eq=False)
class FeatureVideo(BenchmarkVideo):
    """A video as rows of features (M, z); frame f shows row `row_of_frame[f]`, (frames,)."""

    features: Floats = field(repr=False)
    row_of_frame: Ints = field(repr=False)


@dataclass(frozen=True, eq=False)
class FeatureClips:
    """Captioned clips with m features each, (n, m, z): a `ClipSource`.

    `views` "mean": φ(v) is the mean of a clip's features, what a network that sees the whole clip would give.
    "one": a single one of them, what a network that sees a still picture would give; at random in training, the
    middle one otherwise.
    """

    ids: tuple[str, ...]
    features: Floats = field(repr=False)
    captions: Sequence[tuple[str, ...]] = field(repr=False)
    views: Views = "mean"
    decoded: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def view(self, clip: int, random: np.random.Generator | None) -> Floats:
        """φ(v), (z,)."""
        rows = self.features[clip]
        if self.views == "mean":
            mean: Floats = rows.mean(0)
            return mean
        one: Floats = rows[len(rows) // 2 if random is None else int(random.integers(len(rows)))]
        return one


def load_clips(features: Path, captions: Path, split: str, views: Views = "mean") -> FeatureClips:
    """The captioned clips of a split.

    features: npz with `features` (n, m, z) or (n, z), `clip_ids` (n,), `split` (n,).
    captions: JSON, clip id → {"captions": [...]} or clip id → [...].
    """
    texts: dict[str, Any] = read_json(captions, "It holds the captions of the clips.")
    clips, parts, rows = read_arrays(features, "clip_ids", "split", "features")
    ids, splits = clips.tolist(), parts.tolist()
    chosen = [i for i, clip in enumerate(ids) if splits[i] == split and _captions(texts.get(clip))]
    if not chosen:
        raise InputError(f"{features} has no captioned clips in the split {split!r}; it has {sorted(set(splits))}.")
    kept = rows[chosen].astype(np.float32)
    return FeatureClips(
        ids=tuple(ids[i] for i in chosen),
        features=kept[:, None] if kept.ndim == 2 else kept,
        captions=tuple(_captions(texts[ids[i]]) for i in chosen),
        views=views,
    )


def _captions(entry: Any) -> tuple[str, ...]:
    listed = entry.get("captions", ()) if isinstance(entry, dict) else entry or ()
    return tuple(str(caption) for caption in listed if str(caption).strip())
