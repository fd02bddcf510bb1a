"""Work in a process of its own: results, errors, progress and prints come back as they should."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from saffa.core.clock import format_length, parse_length
from saffa.core.errors import InputError
from saffa.core.types import Progress
from saffa.pipeline.worker_process import Worker, WorkerLostError, run_in_worker


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


def sleeps(_: Progress, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As `saffa ... &` in a shell script: interrupts are ignored, and what is started inherits that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.usefixtures("in_the_background")
def test_a_process_that_lasts_hears_its_parent_also_in_the_background() -> None:
    with Worker(lasting=True) as worker:
        assert worker.do(ignore, sleeps, 0.0) == 0
        asking = threading.Timer(0.2, worker.interrupt)
        asking.start()
        with pytest.raises(WorkerLostError, match="exit code 0"):
            worker.do(ignore, sleeps, 60.0)


@pytest.mark.usefixtures("in_the_background")
def test_an_idle_process_ends_by_itself_when_nothing_more_comes() -> None:
    with Worker() as worker:
        worker.do(ignore, sleeps, 0.0)
        worker.end(60)
        assert worker._process.returncode == 0  # not killed
