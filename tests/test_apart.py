"""Work in a process of its own: results, errors and prints come back as they should."""

import os

import pytest

from saffa.apart import run_apart
from saffa.clock import format_length, parse_length
from saffa.errors import InputError


def talkative(value: int) -> tuple[int, int]:
    print("to standard output")
    return value + 1, os.getpid()


def dies() -> None:
    os._exit(3)


def test_gives_back_what_the_work_returns() -> None:
    assert run_apart(format_length, 90.5) == "1:30.5"


def test_raises_what_the_work_raises() -> None:
    with pytest.raises(InputError, match="Write it like"):
        run_apart(parse_length, "soon")


def test_prints_do_not_get_between() -> None:
    value, process = run_apart(talkative, 41)
    assert value == 42
    assert process != os.getpid()


def test_a_process_that_dies_is_told_plainly() -> None:
    with pytest.raises(Exception, match="exit code 3"):
        run_apart(dies)
