"""Lasting processes: they keep what they load, a crash costs its own task, and limits hold."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from saffa.core.errors import InputError
from saffa.pipeline.engine import answers_of
from saffa.pipeline.worker_process import kept
from saffa.scale.engines import limits_of
from saffa.scale.pool import ProcessPool
from saffa.scale.station import TaskLimits
from tests.conftest import REPOSITORY

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals differ")


def squared(number: int) -> int:
    if number == 13:
        raise InputError("unlucky")
    return number * number


def loaded_by(_: int) -> tuple[int, int]:
    """(this process, the process that loaded what is kept)"""
    return os.getpid(), kept("model", os.getpid)


def crashes_at_three(number: int) -> int:
    if number == 3:
        ctypes.string_at(0)
    return os.getpid()


def slow_at_one(number: int) -> int:
    if number == 1:
        time.sleep(60)
    return number


def greedy_at_one(number: int) -> int:
    if number == 1:
        hoard = []
        while True:
            hoard.append(bytearray(b"x" * 10**7))
            time.sleep(0.01)
    return number


def leaves_a_trace(folder: Path) -> None:
    try:
        (folder / "begun").touch()
        time.sleep(60)
    finally:
        (folder / "cleaned").touch()


def test_answers_and_errors_are_those_of_one_process() -> None:
    answers = answers_of(ProcessPool(2), squared, (2, 13, 4))
    assert [(a.value, str(a.error or "")) for a in answers] == [(4, ""), (None, "unlucky"), (16, "")]
    assert isinstance(answers[1].error, InputError)


def test_a_process_loads_once_and_a_crash_takes_only_its_own_task() -> None:
    found = [answer.get() for answer in answers_of(ProcessPool(1), loaded_by, range(4))]
    assert len(set(found)) == 1
    assert found[0][0] == found[0][1] != os.getpid()
    answers = answers_of(ProcessPool(1), crashes_at_three, range(6))
    assert [a.place for a in answers if a.error] == [3]
    assert "ended without an answer" in str(answers[3].error)
    assert answers[3].attempts == 2
    assert answers[0].value == answers[2].value != answers[4].value == answers[5].value


class Unreadable:
    """Cannot be understood by another process."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return parsed, ("x" * 100,)


def parsed(text: str) -> int:
    return int(text)


def test_a_task_that_cannot_be_read_is_said_and_the_next_is_done() -> None:
    answers = answers_of(ProcessPool(1), str, (1, Unreadable(), 3))
    assert [answer.value for answer in answers] == ["1", None, "3"]
    assert "invalid literal" in str(answers[1].error)


@POSIX
def test_a_task_that_takes_too_long_or_too_much_is_stopped_alone() -> None:
    late = answers_of(ProcessPool(1, TaskLimits(seconds=3)), slow_at_one, range(3))
    assert [a.value for a in late] == [0, None, 2]
    assert "took longer than the 0.05 minutes" in str(late[1].error)
    if Path("/proc/self/statm").exists():
        large = answers_of(ProcessPool(1, TaskLimits(memory=3 * 10**8)), greedy_at_one, range(3))
        assert [a.value for a in large] == [0, None, 2]
        assert "more memory than the 0.3 GB" in str(large[1].error)


@POSIX
def test_closing_lets_tasks_clean_up(tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    with closing(ProcessPool(2).run(touches, (tmp_path, tmp_path / "slow"))) as answers:
        next(answers)
    assert (tmp_path / "slow" / "cleaned").exists()


def touches(folder: Path) -> None:
    """The first task ends when the second has begun."""
    if folder.name == "slow":
        leaves_a_trace(folder)
    while not (folder / "slow" / "begun").exists():
        time.sleep(0.01)


@POSIX
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[2])\n"
    code += "from pathlib import Path; from saffa.scale.pool import ProcessPool\n"
    code += "from tests.scale.test_pool import leaves_a_trace as work\n"
    code += "next(ProcessPool(1).run(work, [Path(sys.argv[1])]))"
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(REPOSITORY)]) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    end = time.monotonic() + 30
    while not (tmp_path / "cleaned").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert (tmp_path / "cleaned").exists()


def test_limits_as_people_give_them() -> None:
    assert limits_of(None, None) == TaskLimits()
    assert limits_of(2, 0) == TaskLimits(120.0, None)
    with pytest.raises(InputError, match="--job-memory must be"):
        limits_of(None, float("nan"))
