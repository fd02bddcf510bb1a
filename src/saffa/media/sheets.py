"""Small pictures of a whole video on a few large ones, for a strip along its time."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

from PIL import Image

from saffa.core.types import Rgb, Share
from saffa.core.video import Video
from saffa.core.whole_file import whole_file
from saffa.media.frame_stream import upright
from saffa.media.thumbnails import timed_pictures

WIDTH = 160
MOST = 600
"""Pictures of a video at most: ten minutes at one a second; longer videos get fewer a minute."""
COLUMNS, ROWS = 10, 10
DESCRIPTION = "sheets.json"


@dataclass(frozen=True)
class Sheets:
    """Picture k shows time k · `interval`; each sheet `N.jpg` holds columns × rows of them, row by row."""

    interval: float
    count: int
    width: int
    height: int
    columns: int = COLUMNS
    rows: int = ROWS

    @classmethod
    def of(cls, video: Video) -> Sheets:
        """The layout for a video."""
        seconds = float(video.duration)
        interval = max(1.0, seconds / MOST)
        across, down = video.size
        aspect = float(video.pixel_aspect if video.rotation not in (90, 270) else 1 / video.pixel_aspect)
        height = min(4 * WIDTH, max(8, round(WIDTH * down / (across * aspect) / 2) * 2))
        return cls(interval, max(1, ceil(seconds / interval)), WIDTH, height)

    @property
    def sheets(self) -> int:
        """Number of sheets."""
        return ceil(self.count / (self.columns * self.rows))


def write_sheets(video: Video, folder: Path, progress: Share) -> Sheets:
    """Write the sheets into a folder, each as soon as it is full, and what they hold as `sheets.json` before them."""
    sheets = Sheets.of(video)
    with whole_file(folder / DESCRIPTION) as part:
        part.write_text(json.dumps(asdict(sheets)), "utf-8")
    writer = _Writer(sheets, folder)
    for time, frame in timed_pictures(video):
        cell = int(time / sheets.interval + 1e-6)
        if writer.filled <= cell < sheets.count:
            small = frame.reformat(*_stored_size(sheets, video.rotation), "rgb24", interpolation="AREA")
            writer.put(upright(small, video.rotation), cell)
            progress(min(1.0, (cell + 1) / sheets.count))
    writer.finish()
    return sheets


def _stored_size(sheets: Sheets, rotation: int) -> tuple[int, int]:
    return (sheets.height, sheets.width) if rotation in (90, 270) else (sheets.width, sheets.height)


class _Writer:
    """Puts pictures on sheets in order; where none came, the one before is shown."""

    def __init__(self, sheets: Sheets, folder: Path) -> None:
        self.filled = 0
        self._sheets, self._folder = sheets, folder
        self._sheet = self._empty()
        self._last: Rgb | None = None

    def put(self, picture: Rgb, cell: int) -> None:
        """The picture of a cell, which also fills those before it that are still empty if it is the first."""
        self._last = picture if self._last is None else self._last
        while self.filled < cell:
            self._paste()
        self._last = picture
        self._paste()

    def finish(self) -> None:
        """Fill what is left and write the last sheet."""
        while self._last is not None and self.filled < self._sheets.count:
            self._paste()

    def _paste(self) -> None:
        sheets, last = self._sheets, self._last
        assert last is not None
        size = sheets.columns * sheets.rows
        row, column = divmod(self.filled % size, sheets.columns)
        self._sheet.paste(Image.fromarray(last), (column * sheets.width, row * sheets.height))
        self.filled += 1
        if self.filled % size == 0 or self.filled == sheets.count:
            with whole_file(self._folder / f"{(self.filled - 1) // size}.jpg") as part:
                self._sheet.save(part, quality=70)
            self._sheet = self._empty()

    def _empty(self) -> Image.Image:
        sheets = self._sheets
        return Image.new("RGB", (sheets.columns * sheets.width, sheets.rows * sheets.height))
