"""Many tasks of one kind: the one interface of everything that does them, and the plainest one that does.

Whoever has many videos takes an `Engine` and never asks whether it is this process, several of this machine or a
cluster. Answers are the same; only their order is that in which they are finished.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar, cast

from saffa.core.types import Share
from saffa.pipeline.worker_process import KEPT

Task = TypeVar("Task")
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


@dataclass(frozen=True)
class Answer(Generic[Value_co]):
    """What became of the task at a place in the list; `error` says why there is no value."""

    place: int
    value: Value_co | None
    error: Exception | None = None
    seconds: float = 0.0
    attempts: int = 1
    """How often it was begun: more than once if a process or a machine was lost."""

    def get(self) -> Value_co:
        """The value; raises the error."""
        if self.error is not None:
            raise self.error
        return cast(Value_co, self.value)


class Engine(Protocol):
    """Does tasks. `work` must be a function of a module (or a `partial` of one), and tasks must pickle."""

    def run(self, work: Callable[[Task], Value], tasks: Sequence[Task]) -> Generator[Answer[Value]]:
        """The answer of each task as it is finished; closing this ends what is at work."""
        ...


@dataclass(frozen=True)
class InThisProcess:
    """The engine that does one task after the other in this process."""

    def run(self, work: Callable[[Task], Value], tasks: Sequence[Task]) -> Generator[Answer[Value]]:
        """The answer of each task, in order."""
        shelf: dict[object, Any] = {}
        for place, task in enumerate(tasks):
            before = KEPT.set(shelf)
            try:
                answer = answered(work, task, place)
            finally:
                KEPT.reset(before)
            yield answer


def answered(work: Callable[[Task], Value], task: Task, place: int) -> Answer[Value]:
    """What a task gives in this process."""
    began = perf_counter()
    try:
        value, error = work(task), None
    except Exception as failure:
        return Answer(place, None, failure, perf_counter() - began)
    return Answer(place, value, error, perf_counter() - began)


def answers_of(
    engine: Engine,
    work: Callable[[Task], Value],
    tasks: Sequence[Task],
    progress: Share = lambda _: None,
    *,
    strict: bool = False,
) -> list[Answer[Value]]:
    """All answers in the order of the tasks; `progress` hears the share done. `strict` raises the first error."""
    found: list[Answer[Value]] = []
    with closing(engine.run(work, tasks)) as answers:
        for answer in answers:
            if strict:
                answer.get()
            found.append(answer)
            progress(len(found) / len(tasks))
    return sorted(found, key=lambda answer: answer.place)


def values_of(
    engine: Engine, work: Callable[[Task], Value], tasks: Sequence[Task], progress: Share = lambda _: None
) -> list[Value]:
    """All values in the order of the tasks; the first error is raised at once."""
    return [answer.get() for answer in answers_of(engine, work, tasks, progress, strict=True)]
