"""Alignments on disk, found by what they were computed from.

objects/KEY.npz     an alignment; KEY is `fingerprint.alignment_key`
objects/KEY.json    its SHA-256 and what it took; written last, so an object without it is not complete
sets/NAME/ID.npz    the same files by video, for `saffa train agent STORE/sets/NAME`
hashes.jsonl        SHA-256 of video files by path, size and time of change, so that resuming need not read them again
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError, SaffaError
from saffa.core.narration import Narration
from saffa.core.whole_file import part_of, whole_file
from saffa.encoders.base import Axis, Encoder
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.dataset import FileVideo
from saffa.storage.fingerprint import content_print, encoder_print, joined_key
from saffa.storage.published_models import file_sha256

State = Literal["complete", "missing", "damaged"]


@dataclass(frozen=True)
class Extraction:
    """What a run of `extract` did; `failed` has the reason for each video."""

    made: tuple[str, ...]
    kept: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]


class AlignmentStore:
    """A folder of alignments."""

    def __init__(self, root: Path) -> None:
        if root.exists() and not root.is_dir():
            raise InputError(f"{root} is a file; a store is a folder.")
        self.root = root
        self._hashes = _read_hashes(root / "hashes.jsonl")
        self._prints: dict[int, tuple[Encoder, str]] = {}

    def key(self, video: Axis, document: Document, narration: Narration | None, encoder: Encoder) -> str:
        """Where the alignment of these belongs (`fingerprint.alignment_key`)."""
        content = content_print(video, document, narration, self._file_hash)
        return joined_key(content, self._encoder_print(encoder))

    def state(self, key: str) -> State:
        """Reads the whole file: a flipped bit is damage."""
        path, facts = self._object(key), self._facts(key)
        if facts is None:
            return "missing"
        whole = path.is_file() and file_sha256(path) == facts.get("sha256")
        return "complete" if whole else "damaged"

    def has(self, key: str) -> bool:
        """Whether it was finished; quick."""
        return self._object(key).is_file() and self._facts(key) is not None

    def get(self, key: str) -> Alignment:
        """A finished alignment."""
        return Alignment.load(self._object(key))

    def put(self, key: str, alignment: Alignment, **facts: Any) -> None:
        """Whole or not at all."""
        path = self._object(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        alignment.save(path)
        about = {"sha256": file_sha256(path), "encoder": alignment.encoder, "frames": alignment.frames, **facts}
        with whole_file(path.with_suffix(".json")) as part:
            part.write_text(json.dumps(about) + "\n", "utf-8")

    def list_in(self, name: str, video: str, key: str) -> None:
        """Show an object as `sets/NAME/VIDEO.npz`."""
        if Path(video).name != video or video.startswith("."):
            raise InputError(f"The video id {video!r} cannot be a file name.")
        target, source = self.root / "sets" / name / f"{video}.npz", self._object(key)
        if target.exists() and target.samefile(source):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        part = part_of(target)
        try:
            os.link(source, part)
        except OSError:  # file systems without hard links
            shutil.copyfile(source, part)
        part.replace(target)

    def _object(self, key: str) -> Path:
        return self.root / "objects" / f"{key}.npz"

    def _facts(self, key: str) -> dict[str, Any] | None:
        try:
            facts = json.loads(self._object(key).with_suffix(".json").read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return facts if isinstance(facts, dict) else None

    def _encoder_print(self, encoder: Encoder) -> str:
        """Once per encoder, which does not change: it reads all weights. Held, so that no other gets its id."""
        if id(encoder) not in self._prints:
            self._prints[id(encoder)] = encoder, encoder_print(encoder)
        return self._prints[id(encoder)][1]

    def _file_hash(self, path: Path) -> str:
        status = path.stat()
        known = (str(path.resolve()), status.st_size, status.st_mtime_ns)
        if known not in self._hashes:
            self._hashes[known] = file_sha256(path)
            if self.root.is_dir():
                with (self.root / "hashes.jsonl").open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*known, self._hashes[known]]) + "\n")
        return self._hashes[known]


@dataclass(frozen=True)
class StoredEncoder:
    """An encoder that looks into a store first, and keeps what it had to compute."""

    encoder: Encoder
    store: AlignmentStore

    @property
    def name(self) -> str:
        """The encoder's."""
        return self.encoder.name

    @property
    def streaming(self) -> bool:
        """What is stored is whole."""
        return False

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """From the store if it is there."""
        key = self.store.key(video, document, narration, self.encoder)
        if self.store.has(key):
            try:
                return self.store.get(key)
            except InputError:
                pass  # damaged: computed again
        began = time.perf_counter()
        alignment = self.encoder.encode(video, document, narration)
        self.store.put(key, alignment, seconds=time.perf_counter() - began)
        return alignment


def axis_of(video: BenchmarkVideo) -> Axis:
    """What an encoder looks at: the file where there is one."""
    return video.file if isinstance(video, FileVideo) else video


def extract(
    videos: Sequence[BenchmarkVideo],
    encoder: Encoder,
    store: AlignmentStore,
    name: str,
    progress: Callable[[float], None] = lambda _: None,
) -> Extraction:
    """Encode what is missing or damaged; one video that fails does not stop the others."""
    store.root.mkdir(parents=True, exist_ok=True)
    made: list[str] = []
    kept: list[str] = []
    failed: list[tuple[str, str]] = []
    for done, video in enumerate(videos):
        axis = axis_of(video)
        try:
            key = store.key(axis, video.document, video.narration, encoder)
            if store.state(key) == "complete":
                kept.append(video.id)
            else:
                began = time.perf_counter()
                alignment = encoder.encode(axis, video.document, video.narration)
                store.put(key, alignment, video=video.id, seconds=time.perf_counter() - began)
                made.append(video.id)
            store.list_in(name, video.id, key)
        except SaffaError as error:
            failed.append((video.id, str(error)))
        progress((done + 1) / len(videos))
    return Extraction(tuple(made), tuple(kept), tuple(failed))


def check(videos: Sequence[BenchmarkVideo], encoder: Encoder, store: AlignmentStore) -> dict[str, State]:
    """The state of every video's alignment."""
    keys = {v.id: store.key(axis_of(v), v.document, v.narration, encoder) for v in videos}
    return {video: store.state(key) for video, key in keys.items()}


def _read_hashes(path: Path) -> dict[tuple[str, int, int], str]:
    hashes: dict[tuple[str, int, int], str] = {}
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return hashes
    for line in lines:
        try:
            place, size, changed, sha256 = json.loads(line)
            hashes[str(place), int(size), int(changed)] = str(sha256)
        except (ValueError, TypeError):
            continue  # a line that was cut off
    return hashes
