"""`saffa serve` before the server starts: what is refused, and what the options become."""

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from saffa.cli.main import run
from saffa.web import server
from saffa.web.limits import Limits
from saffa.web.server import Address
from saffa.web.studio import Choices

Capture = pytest.CaptureFixture[str]
TOKEN = "a-secret-of-20-letters"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Choices, Address, bool]]:
    """What servers were started with; none really is."""
    found: list[tuple[Choices, Address, bool]] = []

    def note(choices: Choices, address: Address, *, open_browser: bool) -> None:
        found.append((choices, address, open_browser))

    monkeypatch.setattr(server, "serve", note)
    return found


def test_without_options_the_server_is_for_this_machine_alone(
    started: list[tuple[Choices, Address, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run(["serve"]) == 0
    ((choices, address, opens),) = started
    assert choices.limits == Limits()
    assert (choices.folders, choices.demo, opens) == ((), False, False)
    assert choices.state.is_absolute() and choices.state.parts[-2:] == ("saffa", "serve")
    assert address == Address("127.0.0.1", 8642, None, ())
    assert address.is_local


def test_options_in_the_units_of_people(
    started: list[tuple[Choices, Address, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "videos").mkdir()
    options: dict[str, Any] = {
        "--port": 0,
        "--host": "0.0.0.0",
        "--token": TOKEN,
        "--state": "kept",
        "--jobs": 3,
        "--max-upload": 1.5,
        "--max-hours": 0.5,
        "--max-pixels": 640,
        "--max-sentences": 7,
        "--max-jobs": 9,
        "--max-cpu": 0.25,
        "--max-memory": 500,
    }
    asked = [str(part) for pair in options.items() for part in pair]
    assert run(["serve", "videos", *asked, "--name", "cook", "--name", "cook.local", "--open", "--demo"]) == 0
    ((choices, address, opens),) = started
    assert choices.state == tmp_path / "kept"
    assert (choices.folders, choices.demo, opens) == ((Path("videos"),), True, True)
    assert address == Address("0.0.0.0", 0, TOKEN, ("cook", "cook.local"))
    assert not address.is_local
    assert choices.limits == Limits(
        upload_bytes=1_500_000,
        seconds=1800,
        pixels=640,
        sentences=7,
        jobs=3,
        waiting=9,
        cpu_seconds=900,
        memory_bytes=500_000_000,
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no-folder"], "no-folder is not a folder"),
        (["--token", "short"], "at least 16 characters"),
        (["--token", "x" * 16 + " y"], "letters, digits, - and _ only"),
        (["--token", "ü" * 20], "letters, digits, - and _ only"),
        (["--max-memory", "10"], "--max-memory"),
        (["--port", "70000"], "--port"),
    ],
)
def test_bad_options_start_nothing(
    started: list[tuple[Choices, Address, bool]], capsys: Capture, arguments: list[str], told: str
) -> None:
    assert run(["serve", *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert started == []


def test_without_the_web_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.delitem(sys.modules, "saffa.web.server")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delattr("saffa.web.server", raising=False)
    assert run(["serve"]) == 2
    assert capsys.readouterr().err == "saffa: The page needs uvicorn; install saffa[web].\n"
