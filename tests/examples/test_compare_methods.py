"""The notebook of examples/: its cells run from the first to the last, and it is stored without outputs."""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from tests.conftest import REPOSITORY

NOTEBOOK = REPOSITORY / "examples" / "compare_methods.ipynb"


def code_cells() -> list[dict[str, Any]]:
    return [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_it_is_stored_without_outputs() -> None:
    assert len(code_cells()) == 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells())


@pytest.mark.slow
def test_all_cells_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(), 1):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    told = capsys.readouterr().out
    assert [line.split()[0] for line in told.splitlines()[-3:]] == ["uniform", "plan", "saffa"]
    frames = {len(one.frames) for one in names["selections"].values()}
    assert len(frames) == 1
    fits = {name: fit for name, _, _, fit, _ in names["rows"]}
    assert fits["uniform"] < fits["saffa"] and fits["uniform"] < fits["plan"]
