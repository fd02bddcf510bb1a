"""A person's own clips or pictures with captions: a folder with the files and one list of captions.

captions.csv    a header `file,caption` and a line for each caption; a file may have several. A third column `split`
                (train or val) may say what is for training and what for choosing; without it every tenth file is val.
captions.json   instead: {"file": ["caption", …], …}

Files are named from the folder on. Pictures and videos may be mixed. A clip should show one thing: its captions are
taken to fit all of it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from saffa.core.document import decode_text, read_bytes
from saffa.core.errors import InputError
from saffa.core.types import Floats, Share
from saffa.core.whole_file import file_sha256
from saffa.encoders.visual.frame_features import SIZE, PictureBackbone, see
from saffa.media.probe import probe
from saffa.research.datasets.image_text import ImageText

CSV, JSON = "captions.csv", "captions.json"
NAME = "own"
LEAST = 8
"""Fewer files than this cannot be told apart by a text in any useful way."""
MOST = 200_000
"""Files; their features fill 1 GB of memory."""
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
EVERY = 10
TRAIN, VAL = "train", "val"
LEAST_OF = {TRAIN: 4, VAL: 3}
"""A document of several files takes several to learn from, and a pair of the published loss three."""


@dataclass(frozen=True)
class CaptionedFolder:
    """The files of a folder with their captions, in the order of the list; `splits` are train or val."""

    path: Path
    captions: Mapping[str, tuple[str, ...]] = field(repr=False)
    splits: Mapping[str, str] = field(repr=False)

    @classmethod
    def open(cls, path: Path) -> CaptionedFolder:
        """Read the list and look whether the files are there; what is wrong is named."""
        if not path.is_dir():
            raise InputError(f"{path} is not a folder; --data takes a folder of clips or pictures with captions.")
        captions, splits = _listed(path)
        _check(path, captions)
        splits = splits or _every_tenth(tuple(captions))
        _check_splits(path, tuple(splits.values()))
        return cls(path, captions, splits)

    @property
    def fingerprint(self) -> str:
        """Hash of the captions, the splits and the contents of every file."""
        digest = hashlib.sha256()
        for name, own in self.captions.items():
            facts = (name, own, self.splits[name], file_sha256(self.path / name))
            digest.update(json.dumps(facts).encode())
        return digest.hexdigest()

    def features(self, progress: Share = lambda _: None) -> ImageText:
        """Look at every file through the shipped backbone: two views of each."""
        backbone, rows = PictureBackbone(), []
        for number, name in enumerate(self.captions):
            rows.append(views_of(self.path / name, backbone))
            progress((number + 1) / len(self.captions))
        return self.with_features(np.stack(rows).astype(np.float16))

    def with_features(self, stored: NDArray[Any]) -> ImageText:
        """The folder as a set of pictures, with features (n, views, z) that were computed before."""
        names = tuple(self.captions)
        if stored.ndim != 3 or len(stored) != len(names):
            raise InputError(f"There are features {stored.shape} for the {len(names)} files of {self.path}.")
        scale = np.ones(stored.shape[2], np.float32)
        splits = tuple(self.splits[name] for name in names)
        return ImageText(NAME, stored, scale, names, splits, tuple(self.captions.values()))


def views_of(path: Path, backbone: PictureBackbone) -> Floats:
    """(2, z): a clip's mean and its middle, or a picture's whole and its centre."""
    if path.suffix.lower() not in PICTURES:
        seen = see(probe(path), backbone).features
        return np.stack([seen.mean(0), seen[len(seen) // 2]])
    try:
        with Image.open(path) as opened:
            picture = ImageOps.exif_transpose(opened).convert("RGB")
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise InputError(f"{path} is not a picture that can be read ({str(error)[:120]}).") from None
    side = min(picture.size)
    centre = ImageOps.fit(picture, (side, side))
    square = [np.asarray(one.resize((SIZE, SIZE), Image.Resampling.BILINEAR)) for one in (picture, centre)]
    return backbone.features(np.stack(square))


def _listed(path: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Captions by file, and splits where they are given."""
    if (path / CSV).is_file():
        return _from_csv(path / CSV)
    if (path / JSON).is_file():
        return _from_json(path / JSON), {}
    raise InputError(f"{path} has no captions: put a {CSV} (file,caption) or a {JSON} there.")


def _from_csv(path: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    text = decode_text(read_bytes(path, "list of captions"), str(path))
    captions: dict[str, list[str]] = {}
    splits: dict[str, str] = {}
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""))
        if not {"file", "caption"} <= set(reader.fieldnames or ()):
            raise InputError(f"{path} must begin with the line: file,caption")
        for row in reader:
            name, caption = (row["file"] or "").strip(), (row["caption"] or "").strip()
            if name and caption:
                captions.setdefault(name, []).append(caption)
                if split := (row.get("split") or "").strip():
                    _note_split(path, splits, name, split)
    except csv.Error as error:
        raise InputError(f"{path} is not a readable csv file ({error}).") from None
    given = {name: splits.get(name, TRAIN) for name in captions} if splits else {}
    return {name: tuple(own) for name, own in captions.items()}, given


def _note_split(path: Path, splits: dict[str, str], name: str, split: str) -> None:
    """A file's split; one that stands in both would be learned from and chosen by."""
    if split not in LEAST_OF:
        raise InputError(f"{path}: the split of {name} is {split[:40]!r}; it must be {TRAIN} or {VAL}, or left empty.")
    if splits.setdefault(name, split) != split:
        raise InputError(f"{path}: {name} stands in both splits, {TRAIN} and {VAL}; give all its lines the same.")


def _from_json(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        listed = json.loads(decode_text(read_bytes(path, "list of captions"), str(path)))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not readable JSON ({str(error)[:120]}).") from None
    if not isinstance(listed, dict):
        raise InputError(f"{path} must hold an object: file → list of captions.")
    captions = {}
    for name, own in listed.items():
        sentences = [own] if isinstance(own, str) else own
        if not isinstance(sentences, list) or not all(isinstance(one, str) for one in sentences):
            raise InputError(f"{path}: {name} must have a caption or a list of captions.")
        if kept := tuple(one.strip() for one in sentences if one.strip()):
            captions[name] = kept
    return captions


def _check(path: Path, captions: Mapping[str, Sequence[str]]) -> None:
    """Enough files, that exist and lie in the folder, with texts that differ."""
    if len(captions) < LEAST:
        told = "1 file" if len(captions) == 1 else f"{len(captions) or 'no'} files"
        raise InputError(f"{path} has captions for {told}; training needs at least {LEAST}.")
    if len(captions) > MOST:
        raise InputError(f"{path} has captions for {len(captions)} files; at most {MOST} can be read.")
    if len({" ".join(one.lower().split()) for own in captions.values() for one in own}) == 1:
        raise InputError(f"All files of {path} have the same caption; a text that fits everything teaches nothing.")
    root = path.resolve()
    for name in captions:
        file = (root / name).resolve()
        if not file.is_relative_to(root):
            raise InputError(f"{path}: the captions name a file outside of the folder, {name}.")
        if not file.is_file():
            raise InputError(f"{path}: the captions name {name}, which is not there.")


def _check_splits(path: Path, splits: Sequence[str]) -> None:
    """Files to learn from and to choose by, before anybody spends minutes on looking at them."""
    for split, least in LEAST_OF.items():
        if (count := splits.count(split)) < least:
            told = f"{path} has {count} files in the split {split}, and at least {least} are needed"
            raise InputError(f"{told}. Without a column `split` saffa divides them itself.")


def _every_tenth(names: Sequence[str]) -> dict[str, str]:
    """Split by hashes of the names: a new file moves no other. A tenth is val; of few a fourth, at least three."""
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode("utf-8", "replace")).digest())
    count = max(LEAST_OF[VAL], len(names) // (EVERY if len(names) >= 4 * EVERY else 4))
    chosen = set(order[:count])
    return {name: VAL if name in chosen else TRAIN for name in names}
