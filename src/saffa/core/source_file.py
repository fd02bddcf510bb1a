"""What an editing program has to know about a video file: where it is, its size, its sound, its timecode."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PureWindowsPath
from urllib.parse import quote


@dataclass(frozen=True)
class SourceFile:
    """A video file as an editing program refers to it.

    `frames` and `rate` are those of the constant-rate axis that frames are counted on. `width` and `height` are 0
    and the sound is empty where the file was not at hand.
    """

    path: str
    frames: int
    rate: Fraction
    width: int = 0
    height: int = 0
    sound_rate: int = 0
    sound_channels: int = 0
    timecode: str = ""
    """Label of the first frame, such as 01:00:00:00, or 01:00:00;00 for drop-frame; empty is zero."""
    picture_start: Fraction = Fraction(0)
    """Seconds from the start of the file, as a player counts, to the first frame."""

    @property
    def name(self) -> str:
        """File name without its folder, from a path of this system or of Windows."""
        return PureWindowsPath(self.path).name or self.path

    @property
    def has_sound(self) -> bool:
        """Whether there is a sound track to link."""
        return self.sound_channels > 0

    def url(self, beside: Path | None = None) -> str:
        """`file://` URL, or the path relative to the folder `beside`; spaces and umlauts are percent-encoded."""
        windows = PureWindowsPath(self.path)
        if windows.drive and "\\" in self.path:
            return windows.as_uri()
        path = Path(self.path).absolute()
        if beside is None:
            return path.as_uri()
        return quote(Path(os.path.relpath(path, beside.absolute())).as_posix())
