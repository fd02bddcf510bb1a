"""The engine of one machine: several processes that last, each doing one task at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import TypeVar

from saffa.pipeline.engine import Answer
from saffa.pipeline.worker_process import PATIENCE
from saffa.scale.station import Station, TaskLimits

Task = TypeVar("Task")
Value = TypeVar("Value")


@dataclass(frozen=True)
class ProcessPool:
    """Up to `workers` tasks at a time. A crash costs its own task only."""

    workers: int = 1
    limits: TaskLimits = field(default_factory=TaskLimits)

    def run(self, work: Callable[[Task], Value], tasks: Sequence[Task]) -> Generator[Answer[Value]]:
        """The answer of each task as it is finished. An interrupt, or closing this, ends the processes at work."""
        stations = [Station(self.limits) for _ in range(min(self.workers, len(tasks)))]
        places = iter(range(len(tasks)))
        lock = Lock()
        finished: SimpleQueue[Answer[Value] | BaseException] = SimpleQueue()

        def serve(station: Station) -> None:
            try:
                while True:
                    with lock:
                        place = next(places, None)
                    if place is None:
                        return
                    finished.put(station.answer(work, tasks[place], place))
            except BaseException as error:
                finished.put(error)
                raise

        threads = [Thread(target=serve, args=(station,), daemon=True) for station in stations]
        for thread in threads:
            thread.start()
        try:
            for _ in tasks:
                answer = finished.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        finally:
            _close(stations)


def _close(stations: Sequence[Station]) -> None:
    """Ask all processes to end at once, and give them time together."""
    for station in stations:
        station.interrupt()
    end = monotonic() + PATIENCE
    for station in stations:
        station.close(max(0.0, end - monotonic()))
