"""Telling pages what has changed, as server-sent events."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable

from saffa.web.errors import RefusedError
from saffa.web.limits import Limits

ALIVE = 15.0
"""Seconds after which a line without meaning keeps the connection open."""
PAUSE = 0.2
"""Seconds between two messages to one page at least."""


class Bells:
    """Rings for everybody who listens to a topic, such as the id of a project."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._listening: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._closed = False

    def ring(self, *topics: str) -> None:
        """Something about these topics has changed."""
        for topic in topics:
            for bell in self._listening.get(topic, ()):
                bell.set()

    def close(self) -> None:
        """Let everybody go: the server ends."""
        self._closed = True
        self.ring(*self._listening)

    def messages(self, topic: str, name: str, current: Callable[[], str | None]) -> AsyncIterator[bytes]:
        """The state as JSON now and after each change, as the event `name`; ends with `gone` when there is none."""
        if sum(map(len, self._listening.values())) >= self._limits.listeners:
            raise RefusedError(429, "Too many pages are open; close one and reload.")
        bell = asyncio.Event()
        self._listening[topic].add(bell)
        return self._messages(topic, name, current, bell)

    async def _messages(
        self, topic: str, name: str, current: Callable[[], str | None], bell: asyncio.Event
    ) -> AsyncIterator[bytes]:
        try:
            while not self._closed:
                bell.clear()
                state = current()
                if state is None:
                    yield b"event: gone\ndata: {}\n\n"
                    return
                yield f"event: {name}\ndata: {state}\n\n".encode()
                await asyncio.sleep(PAUSE)
                while not bell.is_set():
                    try:
                        await asyncio.wait_for(bell.wait(), ALIVE)
                    except TimeoutError:
                        yield b": still here\n\n"
        finally:
            self._listening[topic].discard(bell)
            if not self._listening[topic]:
                del self._listening[topic]
