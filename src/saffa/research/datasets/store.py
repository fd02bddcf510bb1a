"""Alignments of a benchmark's videos on disk.

objects/KEY.npz     an alignment; KEY is a fingerprint of what it was computed from
objects/sha256-…    hashes of video files by place and time of change, so that resuming need not read them again
sets/NAME/ID.npz    the alignments by video, for `saffa train saffa STORE/sets/NAME`
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError, SaffaError
from saffa.core.files.part import part_of
from saffa.core.types import Share
from saffa.core.video import Axis
from saffa.encoders.base import Encoder
from saffa.encoders.stored import StoredEncoder
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.dataset import FileVideo
from saffa.storage.fingerprint import code_print
from saffa.storage.store import Store

State = Literal["complete", "missing", "damaged"]


@dataclass(frozen=True)
class Extraction:
    """What a run of `extract` did; `failed` has the reason for each video."""

    made: tuple[str, ...]
    kept: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]


def stored(encoder: Encoder, root: Path) -> StoredEncoder:
    """The encoder with a store below `root`; other code of the encoder makes other alignments."""
    if root.exists() and not root.is_dir():
        raise InputError(f"{root} is a file; a store is a folder.")
    return StoredEncoder(encoder, Store(root / "objects"), code_print(type(encoder).__module__))


def axis_of(video: BenchmarkVideo) -> Axis:
    """What an encoder looks at: the file where there is one."""
    return video.file if isinstance(video, FileVideo) else video


def extract(
    videos: Sequence[BenchmarkVideo], encoder: Encoder, root: Path, name: str, progress: Share = lambda _: None
) -> Extraction:
    """Encode what is missing or damaged; one video that fails does not stop the others."""
    keeping = stored(encoder, root)
    made: list[str] = []
    kept: list[str] = []
    failed: list[tuple[str, str]] = []
    for done, video in enumerate(videos):
        try:
            path = _place(keeping, video)
            complete = _state(path) == "complete"
            if not complete:
                keeping.encode(axis_of(video), video.document, video.narration)
            _list_in(root / "sets" / name, video.id, path)
            (kept if complete else made).append(video.id)
        except SaffaError as error:
            failed.append((video.id, str(error)))
        progress((done + 1) / len(videos))
    return Extraction(tuple(made), tuple(kept), tuple(failed))


def check(videos: Sequence[BenchmarkVideo], encoder: Encoder, root: Path) -> dict[str, State]:
    """The state of every video's alignment."""
    keeping = stored(encoder, root)
    return {video.id: _state(_place(keeping, video)) for video in videos}


def _place(keeping: StoredEncoder, video: BenchmarkVideo) -> Path:
    return keeping.store.folder / keeping.entry(axis_of(video), video.document, video.narration)


def _state(path: Path) -> State:
    """Reads the whole file, whose parts have checksums: a flipped bit is damage."""
    if not path.is_file():
        return "missing"
    try:
        Alignment.load(path)
    except InputError:
        return "damaged"
    return "complete"


def _list_in(folder: Path, video: str, source: Path) -> None:
    """Show an alignment as `FOLDER/VIDEO.npz`."""
    if Path(video).name != video or video.startswith("."):
        raise InputError(f"The video id {video!r} cannot be a file name.")
    target = folder / f"{video}.npz"
    if target.exists() and target.samefile(source):
        return
    folder.mkdir(parents=True, exist_ok=True)
    part = part_of(target)
    try:
        os.link(source, part)
    except OSError:  # file systems without hard links
        shutil.copyfile(source, part)
    part.replace(target)
