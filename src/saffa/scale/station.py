"""A place where tasks are done one after the other in a process that lasts, within limits.

What a task loads (word vectors, networks, compiled code) stays for the next. A task that crashes takes only its own
process with it: the next one gets another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from saffa.core.errors import SaffaError
from saffa.core.types import Progress
from saffa.pipeline.engine import Answer
from saffa.pipeline.worker_process import PATIENCE, Worker, WorkerLostError

ATTEMPTS = 2
"""A process that was lost is started once more: it may have been killed for want of memory."""
_MOST_TASKS = 200
"""After so many a process is replaced, so that what leaks in a decoder never adds up."""
_LOOK = 0.25
"""Seconds between two looks at a process at work."""
_PAGE = 4096


@dataclass(frozen=True)
class TaskLimits:
    """What one task may take; None is no limit."""

    seconds: float | None = 6 * 3600.0
    memory: int | None = 2 * 10**9
    """Bytes. A cluster also reserves as much for each worker."""

    def broken_by(self, pid: int, elapsed: float) -> str:
        """What to say about a process that takes too much; empty if it does not."""
        if self.seconds is not None and elapsed > self.seconds:
            return f"It took longer than the {self.seconds / 60:g} minutes allowed (--job-minutes) and was stopped."
        if self.memory is not None and _resident(pid) > self.memory:
            return f"It needed more memory than the {self.memory / 1e9:g} GB allowed (--job-memory) and was stopped."
        return ""


class Station:
    """Does one task at a time; safe to be stopped from another thread."""

    def __init__(self, limits: TaskLimits, folder: Path | None = None) -> None:
        self._limits, self._folder = limits, folder
        self._worker: Worker | None = None
        self._tasks, self._stopped, self._lock = 0, False, Lock()

    def answer(self, work: Callable[[Any], Any], task: Any, place: int) -> Answer[Any]:
        """What becomes of a task, tried once more if its process is lost."""
        began, attempt = monotonic(), 1
        while True:
            try:
                return Answer(place, self._do(work, task), None, monotonic() - began, attempt)
            except Exception as error:
                if not isinstance(error, WorkerLostError) or attempt == ATTEMPTS or self._stopped:
                    return Answer(place, None, error, monotonic() - began, attempt)
            attempt += 1

    def _do(self, work: Callable[[Any], Any], task: Any) -> Any:
        worker = self._ready()
        try:
            with _watched(worker, self._limits) as (begun, broken):
                return worker.do(begun, _plain, work, task)
        except WorkerLostError:
            self._leave()
            if broken:
                raise SaffaError(broken[0]) from None
            raise

    def _ready(self) -> Worker:
        """The process, started or replaced if need be."""
        if self._worker is not None and self._tasks >= _MOST_TASKS:
            self._leave()
        with self._lock:
            if self._stopped:
                raise WorkerLostError("Stopped before it began.")
            if self._worker is None:
                self._worker, self._tasks = Worker(lasting=True, folder=self._folder), 0
            self._tasks += 1
            return self._worker

    def _leave(self) -> None:
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.__exit__(None, None, None)

    def interrupt(self) -> None:
        """Begin nothing more, and ask what is at work to end as by Ctrl-C."""
        with self._lock:
            self._stopped, worker = True, self._worker
        if worker is not None:
            worker.interrupt()

    def close(self, patience: float = PATIENCE) -> None:
        """End the process; after so many seconds it is killed."""
        with self._lock:
            self._stopped, worker = True, self._worker
        if worker is not None:
            worker.end(patience)
        self._leave()


def _plain(progress: Progress, work: Callable[[Any], Any], task: Any) -> Any:
    progress("begun", 0.0)  # before that a process may have been started, which is not the task's time
    return work(task)


@contextmanager
def _watched(worker: Worker, limits: TaskLimits) -> Iterator[tuple[Progress, list[str]]]:
    """Look at a process at work and end it when it takes too much; the reason is then in the list.

    The clock of the task starts when the first of the two is called.
    """
    broken: list[str] = []
    done, began = Event(), [inf]

    def look() -> None:
        while not done.wait(_LOOK):
            reason = limits.broken_by(worker.pid, monotonic() - began[0])
            if reason:
                broken.append(reason)
                worker.interrupt()
                if not done.wait(PATIENCE):
                    worker.end()
                return

    def begin(_stage: str, _share: float) -> None:
        began[0] = monotonic()

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield begin, broken
    finally:
        done.set()
        watcher.join()


def _resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where the system does not tell in this way."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
