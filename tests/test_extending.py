"""The examples of docs/extending.md run as they stand."""

import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "extending.md"


def test_the_examples_run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for place, block in enumerate(re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)):
        exec(compile(block, f"{PAGE.name}, example {place + 1}", "exec"), names)
    encoder, method, *rows = capsys.readouterr().out.splitlines()
    assert encoder.startswith("same-words ")
    assert method.endswith(" 10.0×")
    uniform, plan = (float(row.split()[-1]) for row in rows)
    assert plan > uniform
    assert list(tmp_path.iterdir()) == []


def test_an_encoder_has_twenty_lines() -> None:
    block = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    lines = [line for line in block.partition("class ")[2].partition("\n\n\n")[0].splitlines() if line.strip()]
    assert len(lines) <= 20
