"""A process that crashes in compiled code: one line, exit code 1, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from saffa.cli.main import _outcome, run
from saffa.core.errors import SaffaError
from tests.media.movies import Movie, make

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there is the work watched")

MOVIE = Movie(frames=600, size=(320, 240))


def at_work(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """A command that has begun to write its video, and the process that does the work."""
    make(folder / "v.mkv", MOVIE)
    (folder / "t.txt").write_text("Stir the pot.")
    arguments = ["accelerate", "v.mkv", "--text", "t.txt", "--method", "uniform", "--speed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "saffa", *arguments, "--preset", "veryslow", "-o", "o.mp4"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        parts = [path.name for path in folder.iterdir() if ".part" in path.name]
        if parts:
            return process, int(parts[0].split("-")[2])
        time.sleep(0.1)
    raise AssertionError("nothing was begun")


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (signal.SIGSEGV, "A decoder crashed on v.mkv (SIGSEGV)"),
        (signal.SIGABRT, "A decoder crashed on v.mkv (SIGABRT)"),
        (signal.SIGKILL, "The process was killed"),
    ],
)
def test_a_crash(tmp_path: Path, number: signal.Signals, says: str) -> None:
    process, worker = at_work(tmp_path)
    with process:
        os.kill(worker, number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.startswith(f"saffa: {says}") and said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.txt", "v.mkv"]


@pytest.mark.parametrize(
    ("number", "says", "code"),
    [
        (signal.SIGSEGV, "crashed on the video", 1),
        (signal.SIGXCPU, "ended by SIGXCPU", 1),
        (signal.SIGINT, "Interrupted; files that are there are whole", 130),  # while Python ends
    ],
)
def test_the_words_of_a_step_are_no_name_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SaffaError, match=says) as told:
        _outcome(-number, ["accelerate", "--step", "x" * 5000, "a\0b"])
    assert told.value.exit_code == code


def test_words_that_are_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["x" * 5000]) == 2
    assert capsys.readouterr().err.startswith("saffa: No such command")


def test_the_work_ends_with_the_command(tmp_path: Path) -> None:
    """Also if the command cannot hand it on, because it is killed itself."""
    process, _ = at_work(tmp_path)
    with process:
        process.kill()
        _, said = process.communicate(timeout=60)  # the worker has the pipe too: it is gone afterwards
    assert said == "saffa: Interrupted; nothing was written.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.txt", "v.mkv"]
