"""The command line with real pipes."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import IO

import pytest

from tests.media.movies import Movie, Sound, make, numbers

SAFFA = [sys.executable, "-m", "saffa", "accelerate", "-", "--text", "text.txt", "--encoder", "none"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text("chop the onions\nfry them\n", encoding="utf-8")
    return make(tmp_path / "m.mkv", Movie(frames=300, sounds=[Sound()]))


def test_standard_input(source: Path) -> None:
    command = [*SAFFA, "--method", "saffa", "--speed", "5", "--timeline", "t.json", "--plot", "p.png", "--json"]
    pour = subprocess.Popen(["cat", source.name], stdout=subprocess.PIPE, cwd=source.parent)
    done = subprocess.run(
        command, stdin=pour.stdout, cwd=source.parent, capture_output=True, text=True, check=False, timeout=120
    )
    assert pour.stdout is not None
    pour.stdout.close()
    assert pour.wait(20) == 0
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["output"]["frames"] == 60 and told["warnings"] == []
    timeline = json.loads((source.parent / "t.json").read_text(encoding="utf-8"))
    assert numbers(source.parent / "video-short.mp4") == timeline["frames"]
    assert (source.parent / "p.png").stat().st_size > 1000


def test_a_file_behind_standard_input_may_keep_its_index_at_the_end(source: Path) -> None:
    late = make(source.with_name("late.mp4"), Movie(frames=600, faststart=False))
    with late.open("rb") as file:
        done = subprocess.run(
            [*SAFFA, "--method", "saffa", "--dry-run", "--json"],
            stdin=file,
            cwd=source.parent,
            capture_output=True,
            check=True,
            timeout=120,
        )
    assert json.loads(done.stdout)["source"]["frames"] == 600


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        (["--method", "plan"], "Use --method saffa"),
        (["--method", "saffa", "--text", "-"], "cannot both come through standard input"),
        (["--method", "saffa", "--agent", "nobody"], "There is no agent 'nobody'"),
        (["--method", "saffa", "--duration", "0"], "--duration must be positive"),
        (["--method", "saffa", "--duration", "-5"], "--duration must be positive"),
    ],
)
def test_bad_input_is_one_line(source: Path, extra: list[str], reason: str) -> None:
    done = subprocess.run([*SAFFA, *extra], input=b"", cwd=source.parent, capture_output=True, check=False, timeout=120)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert reason in said and said.count("\n") == 1
    assert sorted(p.name for p in source.parent.iterdir()) == ["m.mkv", "text.txt"]


def test_ctrl_c_while_the_pipe_stalls(source: Path) -> None:
    half = source.read_bytes()[: source.stat().st_size // 2]
    work = subprocess.Popen(
        [*SAFFA, "--method", "saffa", "--speed", "5", "-o", "out.mp4"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=source.parent,
    )
    assert work.stdin is not None and work.stderr is not None
    work.stdin.write(half)
    work.stdin.flush()  # and then nothing
    until = time.monotonic() + 60
    while _unread(work.stdin) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _unread(work.stdin), "it has read all there was"
    work.send_signal(signal.SIGINT)
    assert work.wait(30) == 130
    assert b"Interrupted; nothing was written." in work.stderr.read()
    work.stdin.close()
    work.stderr.close()
    assert sorted(p.name for p in source.parent.iterdir()) == ["m.mkv", "text.txt"]


def _unread(pipe: IO[bytes]) -> int:
    """Bytes that wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)
