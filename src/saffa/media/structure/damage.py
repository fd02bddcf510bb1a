"""Whether a file's own structure says that bytes are missing: cut at the end, zeroed or left out in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

_HEAD = 12  # bytes that hold any element's id and size
_MATROSKA, _SEGMENT, _CLUSTER = 0x1A45DFA3, 0x18538067, 0x1F43B675
_ELEMENTS = {
    *(_CLUSTER, 0x114D9B74, 0x1549A966, 0x1654AE6B, 0x1C53BB6B, 0x1941A469, 0x1043A770, 0x1254C367),  # of a segment
    *(0xE7, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF, 0x5854),  # of a cluster
    *(0xEC, 0xBF),  # anywhere: padding, checksums
}
_BOXES = {b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"moof", b"styp", b"sidx", b"uuid", b"meta", b"pnot"}
_SYNC, _TS_PACKETS = 0x47, (188, 192, 204)
_PIECE = 188 * 192 * 204 // 16  # bytes of a transport stream looked at in one go: whole packets of every size


def lacks_bytes(path: Path) -> bool:
    """Whether a Matroska or mp4 file is shorter than it says. Reads a few bytes."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if _element(file, 0)[0] == _MATROSKA:
            _, length, at = _element(file, 0)
            kind, length, at = _element(file, at + (length or 0))
            return kind == _SEGMENT and length is not None and at + length > size
        return _cut_box(file, size)


def is_torn(path: Path) -> bool:
    """Whether something inside a Matroska file or a transport stream is no part of it. Reads along the whole file."""
    with path.open("rb") as file:
        if _element(file, 0)[0] == _MATROSKA:
            return _torn_elements(file, path.stat().st_size)
        return _torn_packets(file)


def _torn_elements(file: BinaryIO, size: int) -> bool:
    """Follow all elements of the segment and its clusters; an unknown one, or one beyond the end, is damage."""
    _, length, at = _element(file, 0)
    kind, _, at = _element(file, at + (length or 0))
    if kind != _SEGMENT:
        return True
    while at < size:
        kind, length, at = _element(file, at)
        if kind not in _ELEMENTS or (length is None and kind != _CLUSTER):
            return True
        at += 0 if kind == _CLUSTER else length or 0
    return at > size


def _element(file: BinaryIO, at: int) -> tuple[int, int | None, int]:
    """Id, size of the content (None: until the next of its kind) and its beginning; id 0 if there is none."""
    file.seek(at)
    head = file.read(_HEAD)
    width = 9 - head[0].bit_length() if head else 9
    if width > 4 or len(head) <= width:
        return 0, None, at
    kind, more = int.from_bytes(head[:width], "big"), 9 - head[width].bit_length()
    if more > 8 or len(head) < width + more:
        return 0, None, at
    size = int.from_bytes(head[width : width + more], "big") & ~(1 << 7 * more)
    return kind, None if size == (1 << 7 * more) - 1 else size, at + width + more


def _cut_box(file: BinaryIO, size: int) -> bool:
    """Follow the outermost boxes of an mp4 file to its end."""
    at = 0
    while at + 8 <= size:
        file.seek(at)
        head = file.read(16)
        length, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if kind not in _BOXES or length == 0:  # another kind of file, or a box to the end
            return False
        if length == 1:
            length = int.from_bytes(head[8:16], "big")
        if length < 8:
            return False
        at += length
    return at > size


def _torn_packets(file: BinaryIO) -> bool:
    """Whether a transport stream loses its step: every packet begins with the same byte."""
    file.seek(0)
    head = file.read(5 * max(_TS_PACKETS))
    steps = ((step, at) for step in _TS_PACKETS for at in (0, 4) if set(head[at::step][:4]) == {_SYNC})
    step, at = next(steps, (0, 0))
    if not step:
        return False
    file.seek(at)
    while piece := file.read(_PIECE - _PIECE % step):
        if np.any(np.frombuffer(piece, np.uint8)[::step] != _SYNC):
            return True
    return False
