"""Pictures as features with their captions: `DIR/image_text/NAME.npz` and `NAME_captions.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints
from saffa.research.datasets.entry import read_arrays, read_json

FOLDER = "image_text"
COOKING = "youcook2_frames"
NAMES = ("coco", "flickr8k", COOKING)


@dataclass(frozen=True, eq=False)
class ImageText:
    """n pictures, each with features of some crops (crop 0: the whole picture, squashed) and its captions."""

    name: str
    stored: NDArray[Any] = field(repr=False)
    """(n, crops, z); times `scale` (z,) it is the feature."""
    scale: Floats = field(repr=False)
    ids: tuple[str, ...] = field(repr=False)
    splits: tuple[str, ...] = field(repr=False)
    captions: tuple[tuple[str, ...], ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def crops(self) -> int:
        """How many crops of a picture there are."""
        return int(self.stored.shape[1])

    def features(self, crop: int = 0, rows: Sequence[int] | Ints | slice = slice(None)) -> Floats:
        """(n, z) of one crop."""
        return np.asarray(self.stored[rows, crop] * self.scale, np.float32)

    @property
    def sentences(self) -> list[str]:
        """All captions, (m), picture after picture."""
        return [caption for own in self.captions for caption in own]

    @property
    def owners(self) -> Ints:
        """(m,): which picture a sentence belongs to."""
        return np.repeat(np.arange(len(self)), [len(own) for own in self.captions])

    @property
    def videos(self) -> Ints:
        """(n,): the number of the video that a frame is from (ids are `video_step`)."""
        names = [name.rpartition("_")[0] for name in self.ids]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def take(self, rows: Sequence[int] | Ints) -> ImageText:
        """Some of the pictures."""
        chosen = [int(row) for row in rows]
        ids, splits, captions = (
            tuple(values[row] for row in chosen) for values in (self.ids, self.splits, self.captions)
        )
        return ImageText(self.name, self.stored[chosen], self.scale, ids, splits, captions)  # type: ignore[arg-type]

    def part(self, split: str) -> ImageText:
        """The pictures of a split; at least one."""
        rows = [row for row, own in enumerate(self.splits) if own == split]
        if not rows:
            known = ", ".join(sorted(set(self.splits)))
            raise InputError(f"{self.name} has no pictures in the split {split!r}; it has {known}.")
        return self.take(rows)


def available(folder: Path) -> tuple[str, ...]:
    """Which of the sets lie in DIR/image_text; at least one."""
    found = tuple(name for name in NAMES if (folder / FOLDER / f"{name}.npz").is_file())
    if not found:
        raise InputError(f"There is no {folder / FOLDER}/NAME.npz for any of {', '.join(NAMES)}; see --data.")
    return found


def load(folder: Path, name: str) -> ImageText:
    """Read one set whole; what does not fit together is named."""
    path = folder / FOLDER / f"{name}.npz"
    hint = f"--data must name the folder that holds {FOLDER}/."
    stored, scales, names, parts = read_arrays(path, "features", "scale", "ids", "split", hint=hint)
    scale = np.asarray(scales, np.float32)
    ids, splits = tuple(map(str, names.tolist())), tuple(map(str, parts.tolist()))
    if stored.ndim != 3 or stored.shape[0] != len(ids) or scale.shape != stored.shape[2:] or len(splits) != len(ids):
        raise InputError(
            f"{path}: features {stored.shape}, scale {scale.shape}, {len(ids)} ids and {len(splits)} splits do not "
            "belong together; features must be (n, crops, width)."
        )
    return ImageText(name, stored, scale, ids, splits, _captions(path.with_name(f"{name}_captions.json"), ids))


def _captions(path: Path, ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    listed = read_json(path, "It holds the captions.")
    if not isinstance(listed, dict):
        raise InputError(f"{path} must hold a JSON object: id → sentences.")
    captions = []
    for name in ids:
        own = listed.get(name)
        if not isinstance(own, list) or not own or not all(isinstance(sentence, str) for sentence in own):
            raise InputError(f"{path}: the picture {name} has no list of sentences.")
        captions.append(tuple(own))
    return tuple(captions)
