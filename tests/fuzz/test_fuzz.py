"""The search for faults finds those that are there, and a small search of every kind finds none."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from saffa.core.errors import InputError
from tests.fuzz.campaign import run_cases, run_commands
from tests.fuzz.mutations import damaged, damaged_json, damaged_text
from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import tried


def test_damage_is_the_same_for_the_same_numbers() -> None:
    data = b'{"a": [1, 2, {"b": "text"}],\n"c": 4}' * 1
    for damage in (damaged, damaged_text, damaged_json):
        made = [damage(data, Random(i), data) for i in range(50)]
        assert made == [damage(data, Random(i), data) for i in range(50)]
        assert len(set(made)) > 25


def _line(*_: object) -> None:
    raise InputError("two\nlines")


def _leftover(_: Path, out: Path, *_more: object) -> None:
    (out / "half").touch()
    raise InputError("refused")


def _unforeseen(*_: object) -> None:
    raise IndexError("list index out of range")


def test_what_counts_as_a_fault(tmp_path: Path) -> None:
    target = TARGETS["subtitles"]
    assert "fault" not in tried(target, 1, 1, tmp_path)
    for use, says in ((_line, "not one line"), (_leftover, "left"), (_unforeseen, "IndexError")):
        assert says in str(tried(replace(target, use=use), 1, 1, tmp_path)["fault"])


def test_crashes_and_hangs_are_found_and_the_rest_goes_on(tmp_path: Path) -> None:
    state = run_cases("lists", 1, 7, tmp_path, patience=3, worker="tests.fuzz.broken_worker")
    assert [(case, str(fault)[:6]) for case, fault in state.faults] == [(2, "the pr"), (4, "no end"), (5, "the pr")]
    assert (state.done, state.counts["fine"]) == (7, 4)
    again = run_cases("lists", 1, 7, tmp_path, worker="none")  # nothing is left to do
    assert again == state


@pytest.mark.slow
@pytest.mark.parametrize("kind", TARGETS)
def test_no_fault_in_a_small_search(kind: str, tmp_path: Path) -> None:
    count = 150
    assert run_cases(kind, 7, count, tmp_path).faults == []
    assert run_commands(kind, 7, count, tmp_path, 50).faults == []
