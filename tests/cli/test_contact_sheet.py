"""The contact sheet."""

from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageDraw

from saffa.cli.contact_sheet import MARGIN, WIDTH, draw_sheet
from saffa.cli.main import run
from saffa.core.document import Document
from saffa.encoders.replay import NoEncoder
from saffa.media.probe import probe
from tests.media.movies import Movie, make, number


def test_pictures_stand_in_order(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "m.mp4", Movie(frames=90)))
    alignment = NoEncoder().encode(video, Document(("Boil the water and wait.", "Stir.")), None)
    draw_sheet(video, alignment, tmp_path / "sheet.png", columns=3, rows=2)
    with Image.open(tmp_path / "sheet.png") as drawn:
        sheet = np.asarray(drawn.convert("RGB"))
    height = round(WIDTH * 72 / 96)
    cell = (WIDTH + 2 * MARGIN, sheet.shape[0] // 2)
    assert sheet.shape[1] == 3 * cell[0]
    shown = []
    for place in range(6):
        left, top = place % 3 * cell[0] + MARGIN, place // 3 * cell[1] + MARGIN
        picture = np.ascontiguousarray(sheet[top : top + height, left : left + WIDTH])
        shown.append(number(av.VideoFrame.from_ndarray(picture)))
    assert shown == [7, 22, 37, 52, 67, 82]
    below = sheet[MARGIN + height + 8 : cell[1], : cell[0]]
    assert (below < 160).any()  # something is written there


def test_times_are_true_to_the_tenth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda _self, _place, text, *_: written.append(text))
    video = probe(make(tmp_path / "m.mp4", Movie(frames=90)))  # 25 a second
    alignment = NoEncoder().encode(video, Document(("Boil.",)), None)
    draw_sheet(video, alignment, tmp_path / "sheet.png", columns=3, rows=2)
    assert [text.split()[0] for text in written[::2]] == ["0:00.3", "0:00.9", "0:01.5", "0:02.1", "0:02.7", "0:03.3"]


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "m.mp4", Movie(frames=30))
    (tmp_path / "t.txt").write_text("Boil water.\n", "utf-8")
    command = ["align", "m.mp4", "--text", "t.txt", "-o", "a.npz", "--sheet"]
    assert run([*command, "a.npz"]) == 2
    assert run([*command, "s.png"]) == 0
    assert "wrote a.npz, s.png: " in capsys.readouterr().out
    assert run([*command, "s.png"]) == 2
    with Image.open(tmp_path / "s.png") as sheet:
        assert sheet.format == "PNG"
