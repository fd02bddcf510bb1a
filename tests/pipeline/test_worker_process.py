"""Work in a process of its own: results, errors, progress and prints come back as they should."""

import os
import signal
from contextlib import suppress

import pytest

from saffa.core.clock import format_length, parse_length
from saffa.core.errors import InputError
from saffa.core.types import Progress
from saffa.pipeline.worker_process import Worker, run_in_worker


def ignore(stage: str, share: float) -> None:
    pass


def formatted(_: Progress, seconds: float) -> str:
    return format_length(seconds)


def parsed(_: Progress, text: str) -> object:
    return parse_length(text)


def talkative(_: Progress, value: int) -> tuple[int, int]:
    print("to standard output")
    return value + 1, os.getpid()


def slow(progress: Progress, steps: int) -> str:
    for k in range(steps):
        progress("Counting", k / steps)
    return "counted"


def dies(_: Progress) -> None:
    os._exit(3)


def test_gives_back_what_the_work_returns() -> None:
    assert run_in_worker(formatted, ignore, 90.5) == "1:30.5"


def test_raises_what_the_work_raises() -> None:
    with pytest.raises(InputError, match="Write it like"):
        run_in_worker(parsed, ignore, "soon")


def test_prints_do_not_get_between() -> None:
    value, process = run_in_worker(talkative, ignore, 41)
    assert value == 42
    assert process != os.getpid()


def test_progress_is_heard_while_it_works() -> None:
    heard: list[tuple[str, float]] = []
    assert run_in_worker(slow, lambda stage, share: heard.append((stage, share)), 4) == "counted"
    assert heard == [("Counting", 0.0), ("Counting", 0.25), ("Counting", 0.5), ("Counting", 0.75)]


def test_a_process_that_dies_is_told_plainly() -> None:
    with pytest.raises(Exception, match="exit code 3"):
        run_in_worker(dies, ignore)


def test_a_process_that_nobody_waits_for_is_ended() -> None:
    with suppress(ValueError), Worker() as worker:
        raise ValueError
    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_while_it_starts_is_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with Worker() as worker:
        os.kill(worker.pid, signal.SIGINT)
        worker.end(60)
    assert capfd.readouterr().err == ""
