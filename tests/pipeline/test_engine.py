"""The plainest engine: in order, errors kept apart, what is loaded once serves all."""

from __future__ import annotations

import pytest

from saffa.core.errors import InputError
from saffa.pipeline.engine import InThisProcess, answers_of, values_of
from saffa.pipeline.worker_process import KEPT, kept


def halved(number: int) -> float:
    if number == 13:
        raise InputError("unlucky")
    return number / 2


def test_answers_stand_in_the_order_of_the_tasks() -> None:
    heard: list[float] = []
    answers = answers_of(InThisProcess(), halved, (4, 13, 8), heard.append)
    assert [(a.place, a.value, str(a.error or "")) for a in answers] == [(0, 2, ""), (1, None, "unlucky"), (2, 4, "")]
    assert heard == [1 / 3, 2 / 3, 1]


def test_values_stop_at_the_first_error() -> None:
    heard: list[float] = []
    with pytest.raises(InputError, match="unlucky"):
        values_of(InThisProcess(), halved, (4, 13, 8), heard.append)
    assert heard == [1 / 3]


def test_what_is_loaded_serves_all_tasks_and_is_forgotten_then() -> None:
    loads: list[str] = []

    def work(_: int) -> str:
        return kept("model", lambda: loads.append("loaded") or "weights")  # type: ignore[func-returns-value]

    assert values_of(InThisProcess(), work, (1, 2, 3)) == ["weights"] * 3
    assert loads == ["loaded"]
    assert KEPT.get() is None
    assert work(4) == "weights"
    assert loads == ["loaded"] * 2
