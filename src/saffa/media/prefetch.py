"""Iterators that run in threads of their own, a few items ahead of whoever takes them, with bounded memory."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")

# How often a waiting thread looks whether the work was called off; items themselves wake it at once.
_GLANCE = 0.1


class CalledOff(Exception):  # noqa: N818 - not an error, a signal between threads
    """The work was stopped from another thread."""


class Prefetch:
    """A group of threads; leaving the `with` block stops all of them and waits until they are gone."""

    def __init__(self) -> None:
        self._off = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Prefetch:
        return self

    def __exit__(self, kind: type[BaseException] | None, _e: object, _t: object) -> None:
        self._off.set()
        interrupted = False
        while running := [thread for thread in self._threads if thread.is_alive()]:
            try:
                running[0].join()
            except KeyboardInterrupt:
                # It must not leave threads at work on files that are closed next: libav would crash.
                interrupted = True
        if interrupted and kind is None:
            raise KeyboardInterrupt

    def run(self, name: str, items: Iterator[Item], ahead: int) -> Prefetched[Item]:
        """Start working through `items`, at most `ahead` of whoever takes them."""
        prefetched = Prefetched(items, ahead, self._off)
        thread = threading.Thread(target=prefetched.work, name=f"saffa-{name}", daemon=True)
        self._threads.append(thread)
        thread.start()
        return prefetched


class Prefetched(Generic[Item]):
    """Items of one thread: iterate to get them; what went wrong in the thread is raised here."""

    def __init__(self, items: Iterator[Item], ahead: int, off: threading.Event) -> None:
        self._items = items
        self._off = off
        self._queue: queue.Queue[tuple[Item | None, BaseException | None]] = queue.Queue(ahead)

    def work(self) -> None:
        """Put all items into the queue; runs in the thread."""
        ending: BaseException | None = None
        try:
            for item in self._items:
                self._put((item, None))
        except CalledOff:
            return
        except BaseException as error:
            ending = error
        finally:
            if isinstance(self._items, Generator):
                self._items.close()  # here, not wherever the garbage collector happens to run
        try:
            self._put((None, ending or StopIteration()))
        except CalledOff:
            return

    def __iter__(self) -> Iterator[Item]:
        while True:
            try:
                item, ending = self._queue.get(timeout=_GLANCE)
            except queue.Empty:
                if self._off.is_set():
                    raise CalledOff from None
                continue
            if isinstance(ending, StopIteration):
                return
            if ending is not None:
                raise ending
            yield item  # type: ignore[misc]

    def _put(self, entry: tuple[Item | None, BaseException | None]) -> None:
        while not self._off.is_set():
            try:
                self._queue.put(entry, timeout=_GLANCE)
                return
            except queue.Full:
                continue
        raise CalledOff
