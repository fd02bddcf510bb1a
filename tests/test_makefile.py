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
