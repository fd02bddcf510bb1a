"""Whether a file is still the one that was read before."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

_PIECE = 1 << 20


class Stamp(NamedTuple):
    """What changes when another file takes the place of one, or it is written to."""

    place: int
    size: int
    changed: int


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None if it is gone."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return Stamp(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def is_as_it_was(path: Path, stamp: Stamp | None, sha256: str) -> bool:
    """Whether a file still begins with what had that stamp and hash: it may have grown, or only been touched."""
    if stamp is None or stamp_of(path) == stamp:
        return True
    digest, left = hashlib.sha256(), stamp.size
    try:
        with path.open("rb") as file:
            while left > 0 and (piece := file.read(min(left, _PIECE))):
                digest.update(piece)
                left -= len(piece)
    except OSError:
        return False
    return digest.hexdigest() == sha256
