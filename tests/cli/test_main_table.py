"""The table of commands: every entry leads to a command, and asking for help imports none of them."""

import subprocess
import sys

import pytest

from saffa.cli.main import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_entry_leads_to_a_command(name: str) -> None:
    command = COMMANDS[name].load(name)
    assert command.help
    assert command.params or hasattr(command, "commands")


def test_help_imports_no_command() -> None:
    code = "import sys; from saffa.cli.main import run; run(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for heavy in ("numpy", "av", "saffa.cli.app", "saffa.api"):
        assert f"'{heavy}'" not in done.stderr
    assert all(name in done.stdout for name in COMMANDS)


def test_shortening_loads_no_compiler_into_the_process_that_renders() -> None:
    code = "import sys, saffa.api, saffa.cli.app, saffa.cli.report; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'saffa.media.render'" in done.stdout
    for heavy in ("numba", "onnxruntime", "matplotlib", "scipy"):
        assert f"'{heavy}'" not in done.stdout
