"""What an alignment depends on, as one key: the video, the text, the narration and the encoder, by their contents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.document import Document
from saffa.core.narration import Narration
from saffa.core.video import Video
from saffa.encoders.base import Axis, Encoder
from saffa.research.datasets.base import FeatureVideo
from saffa.storage.code_fingerprint import code_print
from saffa.storage.published_models import file_sha256

FileHash = Callable[[Path], str]


def alignment_key(
    video: Axis,
    document: Document,
    narration: Narration | None,
    encoder: Encoder,
    file_hash: FileHash = file_sha256,
) -> str:
    """SHA-256 of everything that decides the alignment. Names and places of files play no part."""
    return joined_key(content_print(video, document, narration, file_hash), encoder_print(encoder))


def joined_key(content: str, encoder: str) -> str:
    """`alignment_key` from the two prints, for those who ask about many videos: an encoder's takes long."""
    return hashlib.sha256(f"{content} {encoder}".encode()).hexdigest()


def content_print(
    video: Axis, document: Document, narration: Narration | None, file_hash: FileHash = file_sha256
) -> str:
    """Of what is compared: video, text and narration."""
    digest = hashlib.sha256()
    cues = [(cue.start, cue.end, cue.text) for cue in narration.cues] if narration else None
    for part in (_content(video, file_hash), video.frames, video.rate, document.sentences, cues):
        _feed(digest, part)
    return digest.hexdigest()


def encoder_print(encoder: Encoder, *, reads_files: bool = True) -> str:
    """Of the encoder's settings, its model's files and its code, with that of reading videos where it does so."""
    code = code_print(type(encoder).__module__, without="" if reads_files else "media")
    digest = hashlib.sha256(code.encode())
    _feed(digest, encoder)
    return digest.hexdigest()


def _content(video: Axis, file_hash: FileHash) -> Any:
    if isinstance(video, Video):
        return file_hash(video.path)
    if isinstance(video, FeatureVideo):
        return video.features, video.row_of_frame
    return None


def _feed(digest: Any, value: Any) -> None:
    """Plain values, arrays and dataclasses of them; callbacks and open sessions say nothing about the result."""
    if value is None or isinstance(value, str | int | float | bool | Fraction):
        digest.update(f"{type(value).__name__}:{value!r};".encode())
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape};".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Path):
        digest.update(b"path;")  # what matters in it is said by hashes in the model's facts
    elif is_dataclass(value):
        for field in fields(value):
            digest.update(field.name.encode() + b"=")
            _feed(digest, getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            digest.update(f"{key}:".encode())
            _feed(digest, value[key])
    elif isinstance(value, list | tuple):
        digest.update(f"{len(value)}[".encode())
        for one in value:
            _feed(digest, one)
    elif hasattr(value, "sha256"):  # a network that knows its own hash
        digest.update(value.sha256.encode())
    elif hasattr(value, "folder"):  # a runtime object over a model folder: its manifest has the hash of every file
        _feed(digest, value.folder)
