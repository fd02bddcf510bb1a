"""`make` takes the first Python that is new enough, and says what is missing where there is none."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine without any Python; its programs are in `bin`."""
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, tmp_path)
    (tmp_path / "bin").mkdir()
    for name in ("sh", "make", "test", "touch", "mkdir"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    return tmp_path


def install(machine: Path, name: str, answer: int) -> None:
    """A Python that answers the question whether it will do with this exit code."""
    program = machine / "bin" / name
    program.write_text(f"#!/bin/sh\nexit {answer}\n")
    program.chmod(0o755)


def make(machine: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine / "bin")}
    return subprocess.run(
        ["make", *arguments], cwd=machine, env=environment, capture_output=True, text=True, check=False
    )


def test_a_machine_with_a_newer_python_only(machine: Path) -> None:
    install(machine, "python3.13", 0)
    assert "python3.13 -m venv .venv" in make(machine, "-n", "demo").stdout


def test_a_python_that_is_too_old_is_passed_over(machine: Path) -> None:
    install(machine, "python3.11", 1)
    install(machine, "python3", 0)
    assert "|| python3 -m venv .venv" in make(machine, "-n", "demo").stdout


def test_no_python_is_told(machine: Path) -> None:
    install(machine, "python3", 1)
    done = make(machine, "demo")
    assert done.returncode != 0
    assert done.stderr.startswith("No Python 3.11 or newer")


def program(machine: Path, name: str, body: str) -> None:
    """A program of this machine that notes that it was called."""
    path = machine / "bin" / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >> called\n{body}\n')
    path.chmod(0o755)


def browser(machine: Path) -> tuple[subprocess.CompletedProcess[str], str]:
    """What `make` says when it looks for a browser, and which programs it called."""
    (machine / ".venv").mkdir()
    (machine / ".venv" / ".demo").touch()
    done = make(machine, ".venv/.browser")
    assert done.returncode == 0, done.stderr
    called = machine / "called"
    return done, called.read_text() if called.exists() else ""


def test_root_gets_chromium_for_the_tests_of_the_page(machine: Path) -> None:
    program(machine, "id", "echo 0")
    program(machine, "apt-get", "exit 0")
    done, called = browser(machine)
    assert "install -y -qq --no-install-recommends chromium" in called
    assert "skipped" not in done.stderr


@pytest.mark.parametrize(("user", "answer"), [(0, 100), (1000, 0)])
def test_without_chromium_the_tests_go_on(machine: Path, user: int, answer: int) -> None:
    program(machine, "id", f"echo {user}")
    program(machine, "apt-get", f"exit {answer}")
    done, called = browser(machine)
    assert "the tests of the page will be skipped" in done.stderr
    assert ("apt-get" in called) == (user == 0)


def test_a_browser_that_is_there_is_taken(machine: Path) -> None:
    program(machine, "id", "echo 0")
    program(machine, "apt-get", "exit 0")
    program(machine, "chromium", "exit 0")
    assert "apt-get" not in browser(machine)[1]
