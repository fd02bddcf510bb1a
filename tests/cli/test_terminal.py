"""Texts and names that look like commands: markup, formulas, escapes of terminals, bytes that are no letters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from saffa.cli.main import run
from saffa.cli.report import Screen
from saffa.cli.terminal import printable, printable_lines
from saffa.core.strict_json import json_text
from saffa.core.timeline import Timeline
from tests.media.movies import Movie, make

SAFFA = (sys.executable, "-P", "-m", "saffa")
HOSTILE = "Costs $\\frac{1$ for [/b] onions :egg: [red].\nFry them\x1b]0;title\x07 in \u202eoil.\n"
UNIFORM = ("--method", "uniform", "--speed", "3", "--listen", "off")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    make(tmp_path / "v.mp4", Movie(frames=60))
    (tmp_path / "t.txt").write_text(HOSTILE, "utf-8")
    return tmp_path


def test_what_steers_a_terminal_is_shown_as_an_escape() -> None:
    assert printable("a\x1b[31m\r\nb\u202e\x9b\udcff") == "a\\x1b[31m\\r\\nb\\u202e\\x9b\\udcff"
    assert printable("한국어 é \u200c 🥚") == "한국어 é \u200c 🥚"
    assert printable_lines("a\nb\r") == "a\nb\\r"


def test_a_text_is_shown_as_it_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets are no markup, colons no emoji, dollars no formula; nothing reaches the terminal that steers it."""
    asked = ["accelerate", "v.mp4", "--text", "t.txt", *UNIFORM, "--dry-run", "--plot", "p.svg"]
    (here / "v.srt").write_text("1\n00:00:00,000 --> 00:00:02,000\nfry them in oil\n", "utf-8")
    assert run([*asked, "--method", "plan"]) == 0
    said = "".join(capsys.readouterr())
    assert "for [/b] onions :egg: [red]." in said
    assert "\\x1b]0;title" in said
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    drawn = (here / "p.svg").read_text("utf-8")
    assert "Costs $\\frac{1$ for" in drawn


def test_errors_steer_no_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert here.is_dir()
    assert run(["accelerate", "\x1b[2Jno.mp4", "--text", "t.txt"]) == 2
    assert capsys.readouterr().err.startswith("saffa: \\x1b[2Jno.mp4 does not exist")
    assert run(["align", "v.mp4", "--text", "t.txt", "-o", "no/\x1bx.npz"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_tables_take_words_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().print("[bold]a[/b] \x1b :egg:")
    assert capsys.readouterr().out == "[bold]a[/b] \\x1b :egg:\n"


def test_names_that_are_no_text_come_back_from_json() -> None:
    name = os.fsdecode(b"\xff\xfe.mp4")
    assert json.loads(json_text({"name": name, "é": 1.0})) == {"name": name, "é": 1.0}
    json_text({"name": name}).encode("utf-8")
    assert json_text({"é": "\udcff"}, None, ascii_only=True) == '{"\\u00e9": "\\udcff"}'


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_file_whose_name_is_no_text(here: Path, encoding: str) -> None:
    name = b"\xff\xc3\xa9.mp4"
    (here / "v.mp4").rename(here / os.fsdecode(name))
    asked = ["--text", "t.txt", *UNIFORM, "--timeline", "tl.json"]
    variables = os.environ | {"PYTHONIOENCODING": encoding}
    for more in (["-o", "o.mkv"], ["--dry-run", "--json", "--overwrite"]):
        done = subprocess.run(
            [*SAFFA, "accelerate", name, *asked, *more], capture_output=True, env=variables, check=False
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    assert json.loads(done.stdout)["files"] == {"timeline": "tl.json"}
    assert Timeline.load(here / "tl.json").source.path.endswith(os.fsdecode(name))
    assert run(["render", "tl.json", "-o", "r.mkv"]) == 0
    for to in ("fcpxml", "premiere", "edl", "csv", "mpv"):
        assert run(["export", "tl.json", "--to", to, "-o", f"x.{to}"]) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
def test_a_batch_of_files_whose_names_are_no_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "films").mkdir()
    for name in (b"\xff.mp4", b"two\nlines\x1b.mp4"):
        (here / "films" / os.fsdecode(name)).write_bytes((here / "v.mp4").read_bytes())
    asked = ["batch", "films", "--text", "t.txt", "--method", "uniform", "-o", "out", "--html", "p.html"]
    assert run(asked) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert len(said.err.splitlines()) == 2
    assert run(asked) == 0
    assert "2 done before" in capsys.readouterr().out
