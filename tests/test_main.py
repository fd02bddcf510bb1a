"""The command's way in."""

import sys
from types import ModuleType

import pytest

from saffa.__main__ import main


class Slow(ModuleType):
    """A command line that is interrupted while it is being loaded."""

    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt if name == "main" else AttributeError(name)


def test_a_ctrl_c_while_it_is_loading(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "saffa.cli.app", Slow("saffa.cli.app"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "saffa: Interrupted; nothing was written.\n"


def test_it_runs_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["saffa", "--version"])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("saffa ")
