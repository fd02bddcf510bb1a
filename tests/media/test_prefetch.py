"""Prefetch: order, bounded memory, errors that arrive, and a quick end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from saffa.media.render import Prefetch


def test_items_arrive_in_order() -> None:
    with Prefetch() as prefetch:
        assert list(prefetch.run("a", iter(range(1000)), 4)) == list(range(1000))


def test_a_lane_runs_only_a_little_ahead() -> None:
    made = 0

    def items() -> Iterator[int]:
        nonlocal made
        while True:
            made += 1
            yield made

    with Prefetch() as prefetch:
        lane = iter(prefetch.run("a", items(), 3))
        time.sleep(0.2)
        assert made <= 5
        assert next(lane) == 1


def test_lanes_can_follow_each_other() -> None:
    with Prefetch() as prefetch:
        first = prefetch.run("a", iter(range(50)), 2)
        second = prefetch.run("b", (2 * i for i in first), 2)
        assert list(second) == list(range(0, 100, 2))


def test_errors_arrive_at_the_end_of_the_chain() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise RuntimeError("broken")

    with Prefetch() as prefetch:
        first = prefetch.run("a", failing(), 2)
        second = prefetch.run("b", (i for i in first), 2)
        with pytest.raises(RuntimeError, match="broken"):
            list(second)


def test_leaving_stops_everything_and_closes_the_sources() -> None:
    closed = threading.Event()
    before = threading.active_count()

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 0
        finally:
            closed.set()

    with pytest.raises(KeyboardInterrupt), Prefetch() as prefetch:
        first = prefetch.run("a", endless(), 2)
        second = prefetch.run("b", (i for i in first), 2)
        next(iter(second))
        raise KeyboardInterrupt
    assert closed.wait(1)
    assert threading.active_count() == before


def test_a_second_ctrl_c_still_waits_for_the_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    join, calls = threading.Thread.join, []

    def impatient(thread: threading.Thread, timeout: float | None = None) -> None:
        calls.append(thread)
        if len(calls) == 1:
            raise KeyboardInterrupt
        join(thread, timeout)

    def slow() -> Iterator[int]:
        for i in range(3):
            time.sleep(0.05)
            yield i

    before = threading.active_count()
    monkeypatch.setattr(threading.Thread, "join", impatient)
    with pytest.raises(KeyboardInterrupt), Prefetch() as prefetch:
        prefetch.run("a", slow(), 9)
    assert threading.active_count() == before
    assert len(calls) > 1
