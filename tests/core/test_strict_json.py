import json
from math import inf, nan
from pathlib import Path

import pytest

from saffa.core.strict_json import json_text, read_json


def refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def test_what_is_no_number_is_null() -> None:
    facts = {"a": nan, "b": [1.5, inf, {"c": (-inf, "é", None, True, 3)}]}
    text = json_text(facts)
    assert json.loads(text, parse_constant=refuse) == {"a": None, "b": [1.5, None, {"c": [None, "é", None, True, 3]}]}
    assert "é" in text
    assert "\n" not in json_text(facts, indent=None)


def test_a_file_is_read_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1, "é"]}', "utf-8")
    assert read_json(path) == {"a": [1, "é"]}
    for text in ("[" * 100_000, '{"a":' * 100_000, "{", "[1,]", "\xff"):
        path.write_text(text, "latin-1")
        with pytest.raises(ValueError):
            read_json(path)
    monkeypatch.setattr("saffa.core.strict_json.MOST_BYTES", 5)
    path.write_text("[1, 2]", "utf-8")
    with pytest.raises(ValueError, match="more than"):
        read_json(path)
