"""The command's way in."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from saffa.__main__ import main
from saffa.cli.main import run
from tests.media.movies import Movie, make


class Slow(ModuleType):
    """A command line that is interrupted while it is being loaded."""

    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt if name == "main" else AttributeError(name)


def test_a_ctrl_c_while_it_is_loading(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "saffa.cli.main", Slow("saffa.cli.main"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "saffa: Interrupted; nothing was written.\n"


def test_it_runs_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["saffa", "--version"])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("saffa ")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "says"), [("2>&-", ""), (">&-", "saffa: no.mp4 does not exist"), ("<&- >&- 2>&-", "")]
)
def test_closed_standard_streams(tmp_path: Path, closed: str, says: str) -> None:
    """The exit code is told, and nothing that is printed lands in a file that took the number of a closed stream."""
    (tmp_path / "t.txt").write_text("Boil water.", "utf-8")
    script = f'"$0" -P -m saffa accelerate no.mp4 --text t.txt {closed}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(says) and "Traceback" not in done.stderr
    script = f'"$0" -P -m saffa --version {closed}; echo $?'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("0\n")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_video_is_written_with_closed_standard_streams(tmp_path: Path, closed: str) -> None:
    """The process that plans had no place for its errors, and ended."""
    make(tmp_path / "v.mp4", Movie(frames=50))
    (tmp_path / "t.txt").write_text("Boil water.", "utf-8")
    script = f'"$0" -P -m saffa accelerate v.mp4 --text t.txt --method uniform --speed 3 -o o.mp4 {closed}'
    done = subprocess.run(["sh", "-c", script, sys.executable], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert (tmp_path / "o.mp4").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["models", "list", "--json"], ["models", "list"]])
def test_standard_output_that_is_full(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "saffa", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith("saffa: Standard output") and "No space left" in done.stderr


def test_a_file_that_goes_away_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(*_: object, **__: object) -> None:
        (tmp_path / "film.mp4").read_bytes()

    monkeypatch.setattr("saffa.api.align", gone)
    text = tmp_path / "t.txt"
    text.write_text("Chop.")
    assert run(["align", str(tmp_path / "film.mp4"), "--text", str(text), "-o", str(tmp_path / "o.npz")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"saffa: {tmp_path / 'film.mp4'} is gone") and said.count("\n") == 1
