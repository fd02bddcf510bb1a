"""All that a server holds together: folders, uploads, projects, jobs and the warm planner."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from saffa.core.errors import InputError
from saffa.core.whole_file import whole_file
from saffa.sample import RECIPE, VIDEO
from saffa.web.events import Bells
from saffa.web.folders import VideoFolders, video_id
from saffa.web.jobs import JobDesk
from saffa.web.limits import Limits
from saffa.web.planner import WarmPlanner
from saffa.web.projects import ProjectDesk
from saffa.web.shapes import NewProject, Project, Wanted
from saffa.web.uploads import UploadDesk

LISTENERS = ("moonshine_voice", "faster_whisper")
"""Packages with which speech can be heard."""


@dataclass(frozen=True)
class Choices:
    """What a server is started with."""

    state: Path
    folders: Sequence[Path] = ()
    demo: bool = False
    limits: Limits = field(default_factory=Limits)


class Studio:
    """The rooms of a server; `open` makes them work."""

    def __init__(self, choices: Choices) -> None:
        state, limits = choices.state, choices.limits
        self.choices, self.limits = choices, limits
        try:
            state.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(state / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            _lock(self._lock)
        except BlockingIOError:
            raise InputError(f"Another `saffa serve` uses {state}; stop it, or give --state DIR.") from None
        except OSError as error:
            raise InputError(f"The folder {state} cannot be used ({error.strerror}); give --state DIR.") from None
        self.bells = Bells(limits)
        self.folders = VideoFolders(choices.folders, VIDEO if choices.demo else None)
        self.uploads = UploadDesk(state / "uploads", limits)
        self.projects = ProjectDesk(state / "projects", self.folders, self.uploads, limits, self.bells)
        self.jobs = JobDesk(state / "jobs", self.projects, limits, self.bells)
        self.planner = WarmPlanner(limits)

    @asynccontextmanager
    async def open(self, _: object = None) -> AsyncIterator[None]:
        """Take up interrupted work; end all processes in the end."""
        self.projects.resume()
        self.jobs.resume()
        self._show_sample()
        resting = asyncio.create_task(self.planner.rest())
        try:
            yield
        finally:
            self.bells.close()
            resting.cancel()
            with suppress(asyncio.CancelledError):
                await resting
            await asyncio.gather(self.jobs.stop(), self.projects.stop(), self.planner.stop())

    def close(self) -> None:
        """Let another server use the folder."""
        os.close(self._lock)

    def _show_sample(self) -> None:
        """With --demo: a project of the sample, unless there is one."""
        sample = video_id(VIDEO.resolve())
        if self.choices.demo and all(project.video.id != sample for project in self.projects.all()):
            self.projects.create(NewProject(video=sample, text=RECIPE.read_text("utf-8"), text_name="recipe.txt"))

    @property
    def can_listen(self) -> bool:
        """Whether a recogniser of speech is installed; asked without loading one."""
        return any(find_spec(name) is not None for name in LISTENERS)

    def project(self, key: str) -> Project:
        """A project with its jobs."""
        return Project(**dict(self.projects.get(key)), jobs=self.jobs.all(key))

    async def plan(self, key: str, wanted: Wanted) -> bytes:
        """How a project would play, as JSON; the last answer is kept on disk, so that a page is there at once."""
        shown, alignment = self.projects.get(key), self.projects.alignment(key)
        asked = wanted.model_dump(mode="json", exclude_none=True)
        stamp = [shown.revision, alignment.stat().st_mtime_ns, asked]
        name = hashlib.sha256(json.dumps(stamp, sort_keys=True).encode()).hexdigest()[:40]
        kept = self.projects.place(key) / "plan.json"
        with suppress(OSError):
            first, _, answer = kept.read_bytes().partition(b"\n")
            if first == name.encode():
                return answer
        found: dict[str, Any] = await self.planner.ask("plan", alignment=str(alignment), wanted=asked)
        answer = json.dumps({"revision": shown.revision, **found, "warnings": []}, separators=(",", ":")).encode()
        if self.projects.has(key):
            with whole_file(kept) as part:
                part.write_bytes(name.encode() + b"\n" + answer)
        return answer


def _lock(file: int) -> None:
    """Keep others out, where the system can; BlockingIOError if somebody is in."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
