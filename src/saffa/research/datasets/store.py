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
from functools import partial
from pathlib import Path
from typing import Literal

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Share
from saffa.core.video import Axis
from saffa.core.whole_file import part_of
from saffa.encoders.base import Encoder
from saffa.encoders.registry import load_encoder
from saffa.encoders.stored import StoredEncoder
from saffa.pipeline.engine import Engine, InThisProcess, answers_of
from saffa.pipeline.worker_process import kept
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.dataset import FileVideo
from saffa.storage.fingerprint import code_print
from saffa.storage.store import Store, user_cache

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
    """The video as an encoder looks at it: its file where there is one."""
    return video.file if isinstance(video, FileVideo) else video


@dataclass(frozen=True)
class NamedEncoder:
    """An encoder by its name, perhaps with a store of alignments: what another process can load for itself."""

    name: str
    store: Path | None = None

    def load(self) -> Encoder:
        """The encoder; a process that does many videos loads it once."""
        return kept(self, self._load)

    def _load(self) -> Encoder:
        encoder = load_encoder(self.name, cache=user_cache())
        return encoder if self.store is None else stored(encoder, self.store)


def extract(
    videos: Sequence[BenchmarkVideo],
    encoder: Encoder | NamedEncoder,
    root: Path,
    name: str,
    progress: Share = lambda _: None,
    engine: Engine | None = None,
) -> Extraction:
    """Encode what is missing or damaged; one video that fails does not stop the others.

    Engines of other processes need the encoder by its name.
    """
    answers = answers_of(engine or InThisProcess(), partial(_extract_one, encoder, root, name), videos, progress)
    made: list[str] = []
    kept_before: list[str] = []
    failed: list[tuple[str, str]] = []
    for video, answer in zip(videos, answers, strict=True):
        if isinstance(answer.error, SaffaError):
            failed.append((video.id, str(answer.error)))
        else:
            (kept_before if answer.get() else made).append(video.id)
    return Extraction(tuple(made), tuple(kept_before), tuple(failed))


def _extract_one(encoder: Encoder | NamedEncoder, root: Path, name: str, video: BenchmarkVideo) -> bool:
    """Make sure that a video's alignment is there; whether it was before."""
    keeping = stored(encoder.load() if isinstance(encoder, NamedEncoder) else encoder, root)
    path = _place(keeping, video)
    complete = _state(path) == "complete"
    if not complete:
        keeping.encode(axis_of(video), video.document, video.narration)
    _list_in(root / "sets" / name, video.id, path)
    return complete


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
