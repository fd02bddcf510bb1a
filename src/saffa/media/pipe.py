"""A video that comes through a pipe: read once, forwards, and hashed on the way."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import BinaryIO

import av
from av.container import InputContainer

from saffa.core.errors import InputError
from saffa.media.container import MEDIA_ERRORS, READ_OPTIONS, STDIN, ByteSource, no_movie, settle_layouts

_BUFFER = 1 << 18
_HEAD = 4096


class Pipe(ByteSource):
    """Standard input or a named pipe, with the methods that PyAV looks for."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self.name = file, name
        self._hash = hashlib.sha256()
        self._head = b""
        super().__init__(self._read)
        self._whole = file.seekable()
        if self._whole:  # a file behind `<`: libav may go back and forth in it
            self.seek, self.tell = file.seek, file.tell

    @classmethod
    def of(cls, path: Path) -> Pipe:
        """Standard input for `-`, else a named pipe."""
        if str(path) != STDIN:
            return cls(path.open("rb"), str(path))
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("There is no video on standard input; pipe one in, or give a file instead of -.")
        return cls(sys.stdin.buffer, "standard input")

    def _read(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end."""
        read1 = getattr(self._file, "read1", self._file.read)
        data: bytes = read1(size)
        self._hash.update(data)
        if len(self._head) < _HEAD:
            self._head += data[: _HEAD - len(self._head)]
        return data

    def close(self) -> None:
        """Let go of it; whoever writes into it hears so."""
        if self._file is not sys.stdin.buffer:
            self._file.close()

    def sha256(self) -> str:
        """SHA-256 of everything to the end of the pipe; what the demuxer did not want is read now."""
        if self._whole:  # it was not read in order
            self._file.seek(0)
            self._hash = hashlib.sha256()
        while self.read(_BUFFER):
            pass
        self.check_stopped()
        return self._hash.hexdigest()

    def open(self) -> InputContainer:
        """The container; InputError with a plain line if this is no video that can be read forwards."""
        try:
            container = av.open(self, "r", options=READ_OPTIONS, buffer_size=_BUFFER, metadata_errors="replace")
        except MEDIA_ERRORS as error:
            self.check_stopped()
            if not self._head:
                raise InputError(f"There is no video on {self.name}: it is empty.") from error
            if not self._index_comes_late():
                raise InputError(f"{self.name} {no_movie(self._head)}") from error
        self.check_stopped()
        if self._index_comes_late():
            raise InputError(
                "This mp4 keeps its index at the end and cannot be read from a pipe. Give the file itself, or pipe "
                "mkv, ts, fragmented mp4 or mp4 made with -movflags +faststart."
            )
        settle_layouts(container)
        return container

    def _index_comes_late(self) -> bool:
        """An mp4 whose `mdat` box comes before `moov`: its packets can only be found after all have gone by."""
        at, head = 0, self._head
        while not self._whole and head[4:8] == b"ftyp" and at + 8 <= len(head):
            kind = head[at + 4 : at + 8]
            if kind in (b"moov", b"mdat"):
                return kind == b"mdat"
            at += max(8, int.from_bytes(head[at : at + 4], "big"))
        return False
