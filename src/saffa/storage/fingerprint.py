"""Fingerprints of what a result was made from, so that what was computed before is used only if it still holds."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.document import Document
from saffa.core.video import Axis, Cue, FeatureAxis, Narration, Video
from saffa.core.whole_file import file_sha256

PACKAGE = Path(__file__).parents[1]
NO_PART = {"decides": False}
"""Metadata of a dataclass field that plays no part in results: a callback, a cache."""


def fingerprint(*values: Any) -> str:
    """SHA-256 over plain values, arrays, dataclasses of them, and objects that have a `sha256` of their own.

    TypeError for anything else: what is left out of a fingerprint would bring back results that no longer hold.
    """
    digest = hashlib.sha256()
    for value in values:
        _feed(digest, value)
    return digest.hexdigest()


def content_print(
    video: Axis, document: Document, narration: Narration | None, file_hash: Callable[[Path], str] = file_sha256
) -> str:
    """Fingerprint of what an encoder compares, by contents: names and places of files play no part."""
    seen: Any = None
    if isinstance(video, Video):
        seen = video.sha256 or file_hash(video.path)
    elif isinstance(video, FeatureAxis):
        seen = video.features, video.row_of_frame
    cues = [_cue_parts(cue) for cue in narration.cues] if narration else None
    return fingerprint(seen, video.frames, video.rate, document.sentences, cues)


def _cue_parts(cue: Cue) -> tuple[Any, ...]:
    """What a line consists of; times of words only if it has any, its kind only if it is not said."""
    words = [(word.start, word.end, word.text) for word in cue.words]
    parts = (cue.start, cue.end, cue.text, words) if words else (cue.start, cue.end, cue.text)
    return parts if cue.kind == "said" else (*parts, cue.kind)


def _feed(digest: Any, value: Any) -> None:
    if value is None or isinstance(value, str | int | float | bool | Fraction):
        digest.update(f"{type(value).__name__}:{value!r};".encode("utf-8", "surrogatepass"))
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape};".encode() + np.ascontiguousarray(value).tobytes())
    elif hasattr(value, "sha256"):
        digest.update(f"{type(value).__name__}={value.sha256};".encode())
    elif is_dataclass(value):
        digest.update(type(value).__qualname__.encode())
        for field in fields(value):
            if field.metadata.get("decides", True):
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
    else:
        raise TypeError(f"a {type(value).__name__} has no fingerprint; give it a `sha256` of all that decides results")


@lru_cache(maxsize=64)
def code_print(*modules: str, without: str = "") -> str:
    """SHA-256 over the source of these modules and of every module of saffa that they import, at any depth.

    `without` names a room that plays no part in the result, for example the reading of files that are not read.
    """
    seen: dict[Path, bytes] = {}
    waiting = [path for module in modules for path in _files(module)]
    while waiting:
        path = waiting.pop()
        if path not in seen and not (without and (PACKAGE / without) in path.parents):
            seen[path] = sources()[path]
            waiting.extend(_imports(seen[path]))
    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + seen[path] + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=1)
def sources() -> dict[Path, bytes]:
    """All source files as they were when this was first called.

    Call it before long work: a file that is edited meanwhile must not lend its hash to what the old code computed.
    """
    return {path: path.read_bytes() for path in PACKAGE.rglob("*.py")}


def _imports(source: bytes) -> list[Path]:
    found: list[Path] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found.extend(path for name in names for path in _files(name))
    return found


def _files(module: str) -> list[Path]:
    """The file of a module of saffa; none for a name that is no module, or another package's.

    Packages' `__init__` files are left out: they only gather what others define.
    """
    first, *rest = module.split(".")
    if first != PACKAGE.name or not rest:
        return []
    path = PACKAGE.joinpath(*rest).with_suffix(".py")
    return [path] if path in sources() else []
