"""The process that answers about plans: one for all projects, loaded and warm, started again when it is lost."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from saffa.web.errors import RefusedError
from saffa.web.limits import Limits
from saffa.web.process import LostError, Process

LONGEST = 30.0
"""Seconds that an answer may take."""
IDLE = 1800.0
"""Seconds without a question after which the process ends, and gives its memory back."""


class WarmPlanner:
    """Answers one question after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._asked = monotonic()
        self._waiting = 0

    async def ask(self, work: str, **arguments: Any) -> dict[str, Any]:
        """The answer of the process; RefusedError with its line if it refuses."""
        if self._waiting >= self._limits.waiting:
            raise RefusedError(503, "Too many plans are asked for at once; try again.")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._answer(work, arguments)
        finally:
            self._waiting -= 1

    async def _answer(self, work: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self._asked = monotonic()
        try:
            process = await self._started()
            await process.tell({"work": work, "arguments": arguments})
            answer = await asyncio.wait_for(process.answer(), LONGEST)
        except (TimeoutError, LostError):
            await self.stop()
            raise RefusedError(503, "The plan took too long or too much memory; try again with less.") from None
        except asyncio.CancelledError:  # its answer must not be taken for that of the next question
            await self.stop()
            raise
        if answer.get("kind") == "done":
            return dict(answer["result"])
        allowed = answer.get("allowed")
        more = {"allowed": dict(zip(("shortest", "longest"), allowed, strict=True))} if allowed else {}
        raise RefusedError(422, str(answer.get("message")), **more)

    async def _started(self) -> Process:
        if self._process is None or not self._process.alive:
            self._process = await Process.start(self._limits)
            await self._process.tell({"work": "wait"})
        return self._process

    async def warm(self, alignment: Path) -> None:
        """Have the process load what it needs for a project, before anybody asks."""
        kept = {"kind": "keep", "start": 0, "end": 0.1}  # what corrections need is loaded too
        with suppress(RefusedError):
            await self.ask("plan", alignment=str(alignment), wanted={"corrections": [kept]})

    async def rest(self) -> None:
        """End the process when nobody has asked for long; runs for as long as the server does."""
        while True:
            await asyncio.sleep(60)
            if monotonic() - self._asked > IDLE and not self._turn.locked():
                await self.stop()

    async def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            await process.stop()
