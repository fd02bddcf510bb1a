"""What was found first in `accelerate`, tried through `batch`, `transcribe`, `export` and `render`: one line each."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from saffa.cli.main import run
from tests.media.movies import Movie, make

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and devices")
PLAYLIST = "ffconcat version 1.0\nfile '../v.mp4'\n"
NO_FILE = "is not a regular file"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a video, a text, a timeline, a pipe that nobody writes to, a playlist that is called .mp4."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "v.mp4", Movie(frames=60))
    (tmp_path / "t.txt").write_text("Chop the onions.\n")
    for name in ("f", "f.json", "f.csv", "f.srt"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "x.mp4").write_text(PLAYLIST)
    plan = ["--text", "t.txt", "--method", "uniform", "--speed", "3", "--dry-run", "--timeline", "tl.json", "--json"]
    assert run(["accelerate", "v.mp4", *plan]) == 0
    (tmp_path / "deep.json").write_text("[" * 100_000)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    """The one line of a command that fails; nothing is left behind."""
    before = sorted(Path().rglob("*"))
    capsys.readouterr()
    assert run(arguments) == code
    said = capsys.readouterr().err
    lines = [line for line in said.splitlines() if not line.startswith("saffa: warning: ")]
    assert len(lines) == 1, said
    assert [path for path in sorted(Path().rglob("*")) if path not in before and path.name != "out"] == []
    return lines[0]


@pytest.mark.parametrize("what", ["f.json", "/dev/zero"])
def test_export_reads_no_pipes_and_devices(here: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    assert here.is_dir()
    assert NO_FILE in told(capsys, "export", what, "--to", "csv", "-o", "o.csv")


def test_export_writes_over_nothing_that_it_reads(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {name: (here / name).read_bytes() for name in ("tl.json", "v.mp4")}
    for name in before:
        assert "is an input itself" in told(capsys, "export", "tl.json", "--to", "csv", "-o", name, "--overwrite")
    assert "is a pipe or a device" in told(capsys, "export", "tl.json", "--to", "csv", "-o", "f", "--overwrite")
    assert "is not a saffa.timeline" in told(capsys, "export", "deep.json", "--to", "csv", "-o", "o.csv")
    assert before == {name: (here / name).read_bytes() for name in before}


@pytest.mark.parametrize("source", ["/dev/zero", "f", "films/x.mp4"])
def test_a_timeline_of_something_else_than_a_video(here: Path, capsys: pytest.CaptureFixture[str], source: str) -> None:
    facts = json.loads((here / "tl.json").read_text("utf-8"))
    facts["source"]["path"] = source
    (here / "other.json").write_text(json.dumps(facts), "utf-8")
    assert told(capsys, "render", "other.json", "-o", "o.mp4")
    assert run(["export", "other.json", "--to", "csv", "-o", "o.csv"]) == 0  # the plan alone
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "row",
    ["video,text\nv.mp4,/dev/zero", "video,text\nv.mp4,f", "video,subtitles\nv.mp4,f", "video\n/dev/zero", "video\nf"],
)
def test_lists_of_pipes_and_devices(here: Path, capsys: pytest.CaptureFixture[str], row: str) -> None:
    (here / "list.csv").write_text(f"{row}\n", "utf-8")
    assert "There is no file" in told(capsys, "batch", "list.csv", "--text", "t.txt", "-o", "out")
    for name in ("f.csv", "/dev/zero"):
        assert NO_FILE in told(capsys, "batch", name, "--text", "t.txt", "-o", "out")


def test_the_page_of_a_batch_replaces_nothing_else(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "list.csv").write_text("video\nv.mp4\n", "utf-8")
    asked = ("batch", "list.csv", "--text", "t.txt", "-o", "out", "--html")
    for name in ("list.csv", "v.mp4", "t.txt"):
        assert "is an input itself" in told(capsys, *asked, name)
    for name in ("out/v-short.mp4", "out/results.jsonl"):
        assert "named for two outputs" in told(capsys, *asked, name)
    assert (here / "list.csv").read_text("utf-8") == "video\nv.mp4\n"


def test_results_that_are_no_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("batch", "list.csv", "--text", "t.txt", "-o", "out")
    (here / "list.csv").write_text("video\nv.mp4\n", "utf-8")
    (here / "out" / "results.jsonl").mkdir(parents=True)
    assert "is a folder" in told(capsys, *asked)
    (here / "out" / "results.jsonl").rmdir()
    os.mkfifo(here / "out" / "results.jsonl")
    assert "is a pipe or a device" in told(capsys, *asked)


def test_a_pipe_or_a_playlist_among_the_videos_of_a_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(here / "films" / "p.mp4")
    asked = ["batch", "films", "--text", "t.txt", "-o", "out", "--encoder", "none", "--method", "uniform"]
    assert run(asked) == 1
    assert "1/1 failed films/x.mp4: films/x.mp4 is a playlist" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["/dev/zero", "f", "films/x.mp4"])
def test_transcribe_reads_videos_only(here: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    assert here.is_dir()
    assert told(capsys, "transcribe", what, "-o", "o.srt")


def test_transcribe_writes_over_nothing_that_it_reads(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "v.srt").symlink_to("v.mp4")
    assert "is an input itself" in told(capsys, "transcribe", "v.mp4", "-o", "v.srt", "--overwrite")
    assert "is a pipe or a device" in told(capsys, "transcribe", "v.mp4", "-o", "f.srt", "--overwrite")
    assert "named for two outputs" in told(capsys, "transcribe", "v.mp4", "films/../v.mp4", "-o", "out")
