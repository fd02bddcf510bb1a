import json
from math import inf, nan

from saffa.core.strict_json import json_text


def refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def test_what_is_no_number_is_null() -> None:
    facts = {"a": nan, "b": [1.5, inf, {"c": (-inf, "é", None, True, 3)}]}
    text = json_text(facts)
    assert json.loads(text, parse_constant=refuse) == {"a": None, "b": [1.5, None, {"c": [None, "é", None, True, 3]}]}
    assert "é" in text
    assert "\n" not in json_text(facts, indent=None)
