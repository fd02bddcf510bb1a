"""Reading text files that people have: UTF-8, UTF-16, Windows-1252; anything else is refused plainly."""

from __future__ import annotations

import codecs
import errno
from pathlib import Path

from saffa.core.errors import InputError

MAX_BYTES = 32 * 2**20
TEXT = "text file"


def read_bytes(path: Path, kind: str = TEXT) -> bytes:
    """The bytes of a text file, with a plain error for what cannot be one."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder, not a {kind}.")
        if path.exists() and not path.is_file():  # a pipe would be waited for, a device read without end
            raise InputError(f"{path} is not a regular file. Give a {kind}, or pipe a text in with --text -.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InputError(f"{path} is too large for a text (over {MAX_BYTES // 2**20} MB).")
        return data
    except FileNotFoundError:
        words = kind == TEXT and " " in path.name
        hint = (
            " To give the words themselves, pipe them in with --text - or use --step TEXT "
            "(in Python: give a list of sentences)."
            if words
            else ""
        )
        raise InputError(f"There is no {kind} {str(path).rstrip('.')}.{hint}") from None
    except OSError as error:
        if kind == TEXT and error.errno == errno.ENAMETOOLONG:
            raise InputError(
                "--text takes the name of a file; pipe the words themselves in with --text -, or use --step TEXT."
            ) from None
        raise InputError(f"Cannot read the {kind} {path}: {error.strerror}.") from None


def decode_text(data: bytes, name: str) -> str:
    """UTF-8, UTF-16 (with or without a mark) or Windows-1252; refuses what is not text."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                raise InputError(f"{name} is not a readable text file.") from None
    text = _without_mark(data)
    control = sum(ord(c) < 32 and c not in "\t\n\r\f\x1b" for c in text[:4096])
    if control > 0.02 * len(text[:4096]):
        raise InputError(f"{name} is not a text file (it holds binary data).")
    return text


def _without_mark(data: bytes) -> str:
    head = data[:4096]
    if len(data) % 2 == 0 and head.count(0) > len(head) // 4:  # ASCII-range text in UTF-16 is half zeros
        encoding = "utf-16-le" if sum(b == 0 for b in head[1::2]) > sum(b == 0 for b in head[::2]) else "utf-16-be"
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
