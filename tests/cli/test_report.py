"""What people and machines are told at the end of a run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saffa.cli.main import run
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
    assert [line for line in err.splitlines() if "does not seem to fit" not in line] == []  # the lines are no words
    return out


COMMAND = ("accelerate", "m.mp4", "--text", "t.txt", "--method", "uniform", "--speed", "4")
ALL = ("--subtitle-lines", "all")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("method", ["uniform", "saffa"])
def test_lines_that_are_left_out_are_counted_once(capsys: Capture, method: str) -> None:
    chosen = (*COMMAND, *ALL, "--method", method, "--encoder", "narrated")
    said = told(capsys, *chosen, "-o", "a.mp4", "--timeline", "a.json")
    (note,) = [line for line in said.splitlines() if "subtitle lines are left out" in line]
    assert re.match(r"[1-5] of 6 subtitle lines are left out: the fast parts leave no time for more\.", note)
    data: dict[str, Any] = json.loads(told(capsys, *chosen, "--json", "-o", "b.mp4"))
    assert data["notes"] == [note]
    assert told(capsys, "render", "a.json", *ALL, "-o", "c.mp4").count(note) == 1
    assert json.loads(told(capsys, "render", "a.json", *ALL, "-o", "d.mp4", "--json"))["notes"] == [note]


def test_render_names_subtitles_and_knows_its_own(here: Path, capsys: Capture) -> None:
    told(capsys, *COMMAND, *ALL, "-o", "a.mp4", "--timeline", "a.json")
    assert "wrote b.mkv, b.srt: 38 frames" in told(capsys, "render", "a.json", *ALL, "-o", "b.mkv")
    data = json.loads(told(capsys, "render", "a.json", *ALL, "-o", "c.mkv", "--json"))
    assert data["subtitles"] == "c.srt"
    # a.srt was written for this very cut, so nothing is said about it, and it is not written again.
    assert "wrote a.mkv: " in told(capsys, "render", "a.json", *ALL, "-o", "a.mkv")
    (here / "a.srt").write_bytes(SPOKEN.encode("utf-16"))
    assert run(("render", "a.json", *ALL, "-o", "a.mov")) == 0
    assert "may not fit a.mov" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["uniform", "saffa"])
def test_the_files_are_written_though_nobody_reads_the_table(here: Path, method: str) -> None:
    """As with `| head -1`."""
    command = [sys.executable, "-m", "saffa", *COMMAND, "--method", method]
    command += ["-o", "o.mp4", "--timeline", "o.json", "--plot", "o.svg"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=here) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 0, said
    assert "Traceback" not in said
    assert {"o.mp4", "o.json", "o.svg"} <= {path.name for path in here.iterdir()}


@pytest.mark.parametrize("method", ["uniform", "saffa"])
def test_fewer_bits_are_told_of(here: Path, capsys: Capture, method: str) -> None:
    make(here / "deep.mkv", Movie(frames=50, pix_fmt="yuv420p10le"))
    command = ("accelerate", "deep.mkv", "--text", "t.txt", "--method", method, "--encoder", "none", "--speed", "5")
    assert "--codec av1 keeps 10." in told(capsys, *command, "-o", "a.webm")
    assert json.loads(told(capsys, *command, "--json", "-o", "a.mkv"))["notes"] == []
