"""Checks of paths before any work is done, so that nothing is lost and nothing is half-written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from saffa.document import Document
from saffa.errors import InputError

WRITABLE_VIDEO = (".mp4", ".mkv", ".mov", ".webm")


def check_side_file(path: Path, inputs: tuple[Path, ...], overwrite: bool) -> None:
    """An output beside the video: its folder must exist, it must be new (or `overwrite`) and no input."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file name.")
    if not path.parent.is_dir():
        raise InputError(f"The folder {path.parent} does not exist. Create it or choose another place.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"The folder {path.parent} is not writable.")
    for used in inputs:
        if path.exists() and used.exists() and path.samefile(used):
            raise InputError(f"{path} is an input; saffa never writes over what it reads. Choose another name.")
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists. Use --overwrite to replace it.")


def default_output(video: Path) -> Path:
    """`NAME-short` in the current folder, in the video's own format if it can be written, else mp4."""
    suffix = video.suffix.lower()
    return Path(f"{video.stem}-short{suffix if suffix in WRITABLE_VIDEO else '.mp4'}")


def read_text_argument(text: str) -> Document:
    """`--text`: a file, or `-` for standard input."""
    if text == "-":
        return Document.from_bytes(sys.stdin.buffer.read(), name="standard input")
    return Document.from_file(Path(text))
