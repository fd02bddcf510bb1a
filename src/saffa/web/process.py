"""A process at work for the server: one line of JSON tells it what to do, its answers come as lines of JSON.

What it reads may be hostile and its answers are not trusted further than JSON. It dies with the server: its standard
input stays open for as long as somebody waits for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from saffa.core.errors import SaffaError
from saffa.core.python_process import python_command, python_environment
from saffa.web.limits import Limits

LONGEST_LINE = 64 * 1024 * 1024
_PATIENCE = 5.0


class LostError(SaffaError):
    """The process ended without an answer."""


class Process:
    """Another Python that runs `saffa.web.work:serve`; end it with `stop`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, limits: Limits) -> Process:
        """Start one; `limits` bound its processor time and memory, each."""
        started = await asyncio.create_subprocess_exec(
            *python_command("saffa.web.work:serve"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if os.environ.get("SAFFA_DEBUG") else asyncio.subprocess.DEVNULL,
            env=python_environment(),
            start_new_session=True,
            limit=LONGEST_LINE,
        )
        process = cls(started)
        await process.tell({"cpu_seconds": limits.cpu_seconds, "memory_bytes": limits.memory_bytes})
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
            raise LostError("The working process ended without an answer: it may have used too much memory or time.")
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
        if self.alive:
            self._signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
            try:
                await asyncio.wait_for(self._process.wait(), _PATIENCE)
            except (TimeoutError, asyncio.CancelledError):
                self.kill()
        self.kill()
        await self._process.wait()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: signal.Signals) -> None:
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)
