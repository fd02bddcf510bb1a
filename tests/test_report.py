"""What people and machines are told at the end of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from saffa.cli import run
from tests.media.movies import Movie, make

Capture = pytest.CaptureFixture[str]
SPOKEN = "".join(f"{k + 1}\n00:00:0{k},000 --> 00:00:0{k},900\n{'abcdef'[k] * 70}\n\n" for k in range(6))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a video of six seconds, a text and lines too long to share the screen."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "m.mp4", Movie(frames=150))
    (tmp_path / "m.srt").write_text(SPOKEN, "utf-8")
    (tmp_path / "t.txt").write_text("Boil water.\nDrink it.\n", "utf-8")
    return tmp_path


def told(capsys: Capture, *arguments: str) -> str:
    capsys.readouterr()
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


COMMAND = ("accelerate", "m.mp4", "--text", "t.txt", "--method", "uniform", "--speed", "4")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("method", ["uniform", "saffa+"])
def test_lines_that_are_left_out_are_counted_once(capsys: Capture, method: str) -> None:
    note = "4 of 6 subtitle lines are left out: the fast parts leave no time for more."
    chosen = (*COMMAND, "--method", method, "--encoder", "narrated")
    assert told(capsys, *chosen, "-o", "a.mp4", "--timeline", "a.json").count(note) == 1
    data: dict[str, Any] = json.loads(told(capsys, *chosen, "--json", "-o", "b.mp4"))
    assert (data["notes"], data["warnings"]) == ([note], [])
    assert told(capsys, "render", "a.json", "-o", "c.mp4").count(note) == 1
    assert json.loads(told(capsys, "render", "a.json", "-o", "d.mp4", "--json"))["notes"] == [note]
