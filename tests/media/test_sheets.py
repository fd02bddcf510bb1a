"""Small pictures of a whole video on sheets: each cell shows its own time."""

import json
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from saffa.media.probe import probe
from saffa.media.sheets import write_sheets
from tests.media.movies import Movie, make, number


@pytest.mark.parametrize("rotation", [0, 90])
def test_each_cell_shows_its_time(tmp_path: Path, rotation: int) -> None:
    video = probe(make(tmp_path / "m.mp4", Movie(frames=150, size=(160, 120), rate=Fraction(1), rotation=rotation)))
    told: list[float] = []
    sheets = write_sheets(video, tmp_path, told.append)
    assert (sheets.interval, sheets.count, sheets.sheets) == (1.0, 150, 2)
    assert json.loads((tmp_path / "sheets.json").read_text())["count"] == 150
    assert told == sorted(told)
    assert told[-1] == 1.0
    upright = (160, 120) if not rotation else (160, 214)
    assert (sheets.width, sheets.height) == upright
    if not rotation:
        for k in (0, 42, 99, 100, 149):
            with Image.open(tmp_path / f"{k // 100}.jpg") as sheet:
                row, column = divmod(k % 100, 10)
                x, y = column * sheets.width, row * sheets.height
                cell = sheet.crop((x, y, x + sheets.width, y + sheets.height))
                assert number(av.VideoFrame.from_ndarray(np.asarray(cell), format="rgb24")) == k


def test_a_long_video_gets_fewer_a_minute(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "m.mp4", Movie(frames=240, size=(64, 48), rate=Fraction(1, 5))))
    sheets = write_sheets(video, tmp_path, lambda _: None)
    assert sheets.interval == 2.0
    assert sheets.count == 600
