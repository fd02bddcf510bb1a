"""Renders: each in a process of its own, so many at a time, kept on disk so that they survive a restart."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path, PurePath
from time import monotonic, time
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from saffa.core.whole_file import sweep
from saffa.web.errors import RefusedError, missing
from saffa.web.events import Bells
from saffa.web.limits import Limits
from saffa.web.process import LostError, Process
from saffa.web.projects import ProjectDesk
from saffa.web.shapes import ExportKind, FileKind, Job, JobFile, NewRender, Wanted
from saffa.web.shelf import Shelf

EXPORTS: dict[ExportKind, str] = {
    "otio": ".otio",
    "fcpxml": ".fcpxml",
    "premiere": ".xml",
    "edl": ".edl",
    "csv": ".csv",
    "mpv": ".lua",
}
WRITING = "Writing the video"
_WRITING_FROM = 0.1  # share of a job before the first picture is written


class JobRecord(BaseModel):
    """A render as it is kept."""

    model_config = ConfigDict(frozen=True)
    shown: Job
    wanted: Wanted
    audio: Literal["stretch", "mute", "drop"]
    container: Literal["mp4", "mkv", "webm"]
    subtitles: str | None = None

    @property
    def output(self) -> str:
        """The name of the movie in the job's folder."""
        return f"short.{self.container}"


class JobDesk:
    """All renders; `limits.jobs` of them are at work at a time."""

    def __init__(self, folder: Path, projects: ProjectDesk, limits: Limits, bells: Bells) -> None:
        self._shelf = Shelf(folder, JobRecord)
        self._projects, self._limits, self._bells = projects, limits, bells
        self._turn = asyncio.Semaphore(limits.jobs)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def resume(self) -> None:
        """Take up again what a restart has interrupted, the oldest first."""
        for record in sorted(self._shelf.all(), key=lambda one: one.shown.created):
            if record.shown.state in ("waiting", "running"):
                self._update(record.shown.id, state="waiting", share=0.0, seconds_left=None, stage="")
                self._begin(record.shown.id)

    def all(self, project: str | None = None) -> list[Job]:
        """All jobs, or those of a project, newest first."""
        found = [one.shown for one in self._shelf.all() if project in (None, one.shown.project)]
        return sorted(found, key=lambda job: -job.created)

    def get(self, key: str) -> Job:
        """A job by its id."""
        return self._record(key).shown

    def has(self, key: str) -> bool:
        """Whether there is such a job."""
        return key in self._shelf

    def _record(self, key: str) -> JobRecord:
        found = self._shelf.get(key)
        if found is None:
            raise missing("job")
        return found

    def create(self, project: str, new: NewRender) -> Job:
        """A new render of a project."""
        if sum(job.state in ("waiting", "running") for job in self.all()) >= self._limits.waiting:
            raise RefusedError(429, "Too many renders are waiting; cancel some or wait.")
        alignment = self._projects.alignment(project)
        self._projects.source(project)
        name = PurePath(self._projects.get(project).name).stem
        key = self._shelf.new_id()
        shutil.copy(alignment, self._shelf.place(key) / "alignment.npz")  # the text may change meanwhile
        shown = Job(id=key, project=project, name=f"{name}-short.{new.container}", created=time())
        wanted = self._projects.wanted(project, new.settings)
        self._shelf.put(key, JobRecord(shown=shown, wanted=wanted, audio=new.audio, container=new.container))
        self._begin(key)
        self._bells.ring(project)
        return shown

    async def cancel(self, key: str) -> Job:
        """End a render that waits or is at work; what it has half written vanishes."""
        job = self.get(key)
        if job.state in ("waiting", "running"):
            await self._end(key)
            self._update(key, state="cancelled", seconds_left=None)
        return self.get(key)

    async def cancel_of(self, project: str) -> None:
        """End all renders of a project."""
        for job in self.all(project):
            await self.cancel(job.id)

    async def remove(self, key: str) -> None:
        """Forget a job and its files."""
        project = (await self.cancel(key)).project
        self._shelf.remove(key)
        self._bells.ring(key, project)

    async def stop(self) -> None:
        """End all work; it is taken up again after a restart."""
        for key in list(self._tasks):
            await self._end(key)

    def file(self, key: str, kind: FileKind) -> tuple[Path, str]:
        """A file of a finished job, and its name for people."""
        record = self._record(key)
        found = next((file for file in record.shown.files if file.kind == kind), None)
        path = self._shelf.place(key) / self._stored(record, kind)
        if found is None or not path.is_file():
            raise missing("file")
        return path, found.name

    def _stored(self, record: JobRecord, kind: FileKind) -> str:
        names = {"video": record.output, "timeline": "short.json", "subtitles": record.subtitles or "short.srt"}
        return names.get(kind) or f"export-{kind}{EXPORTS[kind]}"  # type: ignore[index]

    def _begin(self, key: str) -> None:
        self._tasks[key] = asyncio.create_task(self._run(key))

    async def _end(self, key: str) -> None:
        task = self._tasks.pop(key, None)
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _update(self, key: str, *, on_disk: bool = True, **changes: Any) -> None:
        record = self._shelf.get(key)
        if record is None:
            return
        outer = {"subtitles": changes.pop("subtitles")} if "subtitles" in changes else {}
        shown = record.shown.model_copy(update=changes)
        self._shelf.put(key, record.model_copy(update={"shown": shown, **outer}), on_disk=on_disk)
        self._bells.ring(key, shown.project)

    async def _run(self, key: str) -> None:
        async with self._turn:
            try:
                await self._render(key)
            except (RefusedError, LostError) as error:
                self._update(key, state="failed", error=str(error), seconds_left=None)
            except OSError:
                self._update(key, state="failed", error="The server cannot write; is its disk full?", seconds_left=None)
        if self._tasks.get(key) is asyncio.current_task():
            del self._tasks[key]

    async def _render(self, key: str) -> None:
        record, place = self._record(key), self._shelf.place(key)
        source = self._projects.source(record.shown.project)
        self._update(key, state="running")
        arguments = {
            "video": str(source),
            "name": self._projects.get(record.shown.project).name,
            "alignment": str(place / "alignment.npz"),
            "folder": str(place),
            "wanted": record.wanted.model_dump(mode="json"),
            "output": record.output,
            "audio": record.audio,
            "exports": {kind: self._stored(record, kind) for kind in EXPORTS},
        }
        process = await Process.start(self._limits)
        try:
            await process.tell({"work": "render", "arguments": arguments})
            began: float | None = None
            async for message in process.answers():
                if message.get("kind") == "progress":
                    began = self._advance(key, str(message["stage"]), float(message["share"]), began)
                elif message.get("kind") == "failed":
                    raise RefusedError(422, str(message.get("message")))
                else:
                    self._done(key, message["result"])
        finally:
            await process.stop()
            sweep(place)

    def _advance(self, key: str, stage: str, share: float, began: float | None) -> float | None:
        if stage != WRITING:
            self._update(key, on_disk=False, stage=stage, share=round(share * _WRITING_FROM, 4))
            return None
        began = began or monotonic()
        gone = monotonic() - began
        left = round(gone * (1 - share) / share, 1) if share > 0.02 and gone > 0.5 else None
        whole = round(_WRITING_FROM + share * (1 - _WRITING_FROM), 4)
        self._update(key, on_disk=False, stage=stage, share=whole, seconds_left=left)
        return began

    def _done(self, key: str, result: dict[str, Any]) -> None:
        self._update(
            key,
            state="done",
            share=1.0,
            stage="",
            seconds_left=0.0,
            output_seconds=float(result["seconds"]),
            warnings=[str(one) for one in result["warnings"]],
            subtitles=result["subtitles"],
        )
        self._update(key, files=self._files(key))

    def _files(self, key: str) -> list[JobFile]:
        record = self._record(key)
        name = PurePath(record.shown.name).stem
        subtitles = record.subtitles
        names: dict[FileKind, str] = {"video": record.shown.name, "timeline": f"{name}.json"}
        if subtitles is not None:
            names["subtitles"] = f"{name}{PurePath(subtitles).suffix}"
        names |= {kind: f"{name}{suffix}" for kind, suffix in EXPORTS.items()}
        places = {kind: self._shelf.place(key) / self._stored(record, kind) for kind in names}
        return [
            JobFile(kind=kind, name=name, size=place.stat().st_size, url=f"/api/v1/jobs/{key}/files/{kind}")
            for (kind, name), place in zip(names.items(), places.values(), strict=True)
            if place.is_file()
        ]
