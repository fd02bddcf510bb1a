"""A process at work for the server: one line of JSON tells it what to do, its answers come as lines of JSON.

What it reads may be hostile and its answers are not trusted further than JSON. It dies with the server: its standard
input stays open for as long as somebody waits for it. Its memory is watched from here: where the system refuses memory,
decoders call a good video damaged and OpenBLAS asks for ever, so the system's own bound lies far above.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from saffa.core.errors import SaffaError
from saffa.core.python_process import python_command, python_environment
from saffa.web.limits import MEGABYTE, Limits

LONGEST_LINE = 64 * 1024 * 1024
_PATIENCE = 5.0
_LOOK = 0.2
"""Seconds between two looks at its memory."""
_PAGE = 4096
_MARGIN = 512 * MEGABYTE


class LostError(SaffaError):
    """The process ended without an answer."""


class Process:
    """Another Python that runs `saffa.web.work:serve`; end it with `stop`."""

    def __init__(self, process: asyncio.subprocess.Process, memory_bytes: int) -> None:
        self._process = process
        self._reason = "The working process ended without an answer: it may have used too much memory or time."
        self._watch = asyncio.create_task(self._watch_memory(memory_bytes))

    @classmethod
    async def start(cls, limits: Limits) -> Process:
        """Start one; `limits` bound its processor time, and its memory with that of all that it starts."""
        started = await asyncio.create_subprocess_exec(
            *python_command("saffa.web.work:serve"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if os.environ.get("SAFFA_DEBUG") else asyncio.subprocess.DEVNULL,
            env=python_environment(),
            start_new_session=True,
            limit=LONGEST_LINE,
        )
        process = cls(started, limits.memory_bytes)
        most = limits.memory_bytes + limits.memory_bytes // 2 + _MARGIN
        await process.tell({"cpu_seconds": limits.cpu_seconds, "memory_bytes": most})
        return process

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.returncode is None

    async def tell(self, message: dict[str, Any]) -> None:
        """Send one line."""
        assert self._process.stdin is not None
        with suppress(ConnectionError):  # it has ended: `answer` tells
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()

    async def answer(self) -> dict[str, Any]:
        """The next line it sends; LostError if it ends instead."""
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
            found = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise LostError(self._reason)
        return found

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """Lines up to the one that ends the work."""
        while True:
            message = await self.answer()
            yield message
            if message.get("kind") in ("done", "failed"):
                return

    async def stop(self) -> None:
        """Ask it to end, so that it leaves nothing half-written; end it if it does not, and all that it started."""
        self._watch.cancel()
        await self._end(_PATIENCE)

    async def _end(self, patience: float) -> None:
        if self.alive:
            self._signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
            try:
                await asyncio.wait_for(self._process.wait(), patience)
            except (TimeoutError, asyncio.CancelledError):
                self.kill()
        self.kill()
        await self._process.wait()

    async def _watch_memory(self, most: int) -> None:
        """End it when it and all that it started hold more bytes."""
        while self.alive:
            if memory_of(self.pid) > most:
                self._reason = (
                    f"This needs more than the {most / MEGABYTE:g} MB of memory that the server allows; whoever runs "
                    "the server can start it with a higher --max-memory."
                )
                await self._end(_LOOK)
                return
            await asyncio.sleep(_LOOK)

    def kill(self) -> None:
        """End it at once, with all that it started."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: signal.Signals) -> None:
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)


def memory_of(pid: int) -> int:
    """Bytes of memory of a process and all that it started; 0 where the system does not tell in this way."""
    place = Path("/proc") / str(pid)
    try:
        pages = int((place / "statm").read_text("ascii").split()[1])
        started = " ".join(path.read_text("ascii") for path in place.glob("task/*/children"))
    except (OSError, ValueError, IndexError):  # it has just ended, or this is no Linux
        return 0
    return pages * _PAGE + sum(memory_of(int(child)) for child in started.split())
