"""The videos that a project may be made of: those below the allowed folders, and what was uploaded.

Ids are hashes, so that no path ever comes in or goes out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from saffa.web.errors import missing
from saffa.web.shapes import VideoListed

SUFFIXES = {
    *(".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".flv", ".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".wmv"),
    *(".asf", ".ogv", ".3gp", ".mxf", ".vob", ".f4v"),
}
MOST_VIDEOS = 2000
MOST_FILES = 50_000
DEEPEST = 6


@dataclass(frozen=True)
class VideoFile:
    """A video that may be read."""

    path: Path
    listed: VideoListed


def video_id(path: Path) -> str:
    """The id of a resolved path."""
    return hashlib.sha256(b"saffa video\0" + os.fsencode(path)).hexdigest()[:16]


def as_text(name: str) -> str:
    """A name to show; question marks stand for its bytes that are no letters."""
    return name.encode("utf-8", "replace").decode("utf-8")


class VideoFolders:
    """Videos below some folders, links resolved."""

    def __init__(self, folders: Sequence[Path], demo: Path | None = None) -> None:
        self.roots = tuple(dict.fromkeys(folder.resolve() for folder in folders))
        self.demo = demo.resolve() if demo else None

    def allows(self, path: Path) -> bool:
        """Whether a file is below an allowed folder, and so are the files beside it that would be read with it."""
        try:
            real = path.resolve(strict=True)
            str(real).encode("utf-8")  # a name that is no text can neither be kept nor told as JSON
            if real == self.demo:
                return True
            if not real.is_file() or not self._inside(real):
                return False
            beside = [one for one in real.parent.iterdir() if one.name.startswith(f"{real.stem}.") and one.is_symlink()]
            return all(self._inside(one.resolve()) for one in beside)
        except (OSError, ValueError, RuntimeError):
            return False

    def _inside(self, real: Path) -> bool:
        return any(real.is_relative_to(root) for root in self.roots)

    def files(self) -> Iterator[VideoFile]:
        """All videos, the sample first, then by folder and name."""
        if self.demo is not None:
            yield self._file(self.demo, "sample", demo=True)
        seen = set()
        for root in self.roots:
            for path in sorted(self._walk(root))[:MOST_VIDEOS]:
                real = path.resolve()
                if real not in seen and self.allows(real):
                    seen.add(real)
                    inner = path.parent.relative_to(root).as_posix()
                    yield self._file(real, root.name if inner == "." else f"{root.name}/{inner}", path.name)

    def find(self, key: str) -> VideoFile:
        """The video of an id."""
        for file in self.files():
            if file.listed.id == key:
                return file
        raise missing("video")

    def _file(self, real: Path, folder: str, name: str = "", demo: bool = False) -> VideoFile:
        size = real.stat().st_size
        shown = "sample.mp4" if demo else name
        listed = VideoListed(id=video_id(real), name=as_text(shown), folder=as_text(folder), size=size, demo=demo)
        return VideoFile(real, listed)

    def _walk(self, root: Path) -> Iterator[Path]:
        """Files that look like videos, not too deep and not too many; linked folders are not entered."""
        seen = 0
        for folder, inner, names in os.walk(root):
            depth = len(Path(folder).relative_to(root).parts)
            inner[:] = [] if depth >= DEEPEST else sorted(one for one in inner if not one.startswith("."))
            for name in names:
                seen += 1
                if seen > MOST_FILES:
                    return
                if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                    yield Path(folder, name)
