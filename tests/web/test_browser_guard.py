"""What guards the browser tests: a process that dies or hangs is ended, and the test is tried once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.web.browser.guard import Guard

CONFTEST = """
import os
from tests.web.browser.guard import CHANNEL, obey

def pytest_runtestloop(session):
    obey(session, int(os.environ[CHANNEL]))
    return True
"""
TESTS = """
import os, time, pathlib, pytest

def test_passes(): pass

def test_fails(): assert 1 == 2

def test_dies_once():
    tried = pathlib.Path(__file__).with_name("tried")
    if not tried.exists():
        tried.touch()
        os._exit(1)

def test_dies(): os._exit(1)

def test_fails_once():
    tried = pathlib.Path(__file__).with_name("failed")
    if not tried.exists():
        tried.touch()
        assert 1 == 2

def test_loses_its_browser(): raise RuntimeError("TargetClosedError: Target page has been closed")

def test_hangs(): time.sleep(1000)
"""


@pytest.fixture
def outcome(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], tuple[str, str]]]:
    """The outcome of a test under guard, and what it says."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_all.py").write_text(TESTS)
    (tmp_path / "test_other.py").write_text("def test_nothing(): pass\n")
    guard = Guard(tmp_path, deadline=20)

    class Named:
        config = request.config
        location = ("test_all.py", 0, "")

        def __init__(self, name: str) -> None:
            self.nodeid = f"test_all.py::{name}"

        def get_closest_marker(self, _: str) -> None:
            return None

    def found(name: str) -> tuple[str, str]:
        reports = guard.reports(Named(name))  # type: ignore[arg-type]
        bad = [report for report in reports if report.failed]
        return ("failed", bad[0].longreprtext) if bad else (reports[-1].outcome, "")

    yield found
    guard.end()


def test_reports_are_those_of_the_child(outcome: Callable[[str], tuple[str, str]]) -> None:
    assert outcome("test_passes") == ("passed", "")
    result, words = outcome("test_fails")
    assert result == "failed"
    assert "assert 1 == 2" in words


def test_a_lost_process_is_replaced_once(outcome: Callable[[str], tuple[str, str]]) -> None:
    assert outcome("test_dies_once") == ("passed", "")
    result, words = outcome("test_dies")
    assert result == "failed"
    assert words.startswith(
        "The browser was lost, and a fresh one did not help: the process of the browser tests ended"
    )
    assert outcome("test_passes") == ("passed", "")


def test_what_failed_is_tried_once_more(outcome: Callable[[str], tuple[str, str]]) -> None:
    assert outcome("test_fails_once") == ("passed", "")


def test_a_lost_browser_is_told(outcome: Callable[[str], tuple[str, str]]) -> None:
    result, words = outcome("test_loses_its_browser")
    assert result == "failed"
    assert words.count("the browser went away") == 2


@pytest.mark.slow
def test_what_hangs_is_ended(outcome: Callable[[str], tuple[str, str]]) -> None:
    result, words = outcome("test_hangs")
    assert result == "failed"
    assert words.count("no answer within 20 seconds") == 2
