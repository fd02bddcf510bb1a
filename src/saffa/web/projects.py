"""Projects: a video with a text, compared in the background, kept on disk with what the person has decided."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

from pydantic import BaseModel, ConfigDict

from saffa.core.whole_file import sweep
from saffa.web.errors import RefusedError, missing
from saffa.web.events import Bells
from saffa.web.folders import VideoFile, VideoFolders
from saffa.web.limits import Limits
from saffa.web.process import LostError, Process
from saffa.web.shapes import (
    Making,
    NewProject,
    ProjectChange,
    ProjectKept,
    ProjectVideo,
    SettingsShape,
    Stage,
    Wanted,
)
from saffa.web.shelf import Shelf
from saffa.web.uploads import UploadDesk

STAGES = {
    "Reading the video": "reading",
    "Listening": "listening",
    "Looking at the video": "looking",
    "Comparing with the text": "comparing",
}
NOT_BEGUN = ("waiting", "skipped")
_NOTES_BYTES = 16_384


class ProjectRecord(BaseModel):
    """A project as it is kept: with the path that nobody is told."""

    model_config = ConfigDict(frozen=True)
    shown: ProjectKept
    path: str
    upload: str | None = None


class ProjectDesk:
    """All projects, and the work in the background that they need."""

    def __init__(self, folder: Path, folders: VideoFolders, uploads: UploadDesk, limits: Limits, bells: Bells) -> None:
        self._shelf = Shelf(folder, ProjectRecord)
        self._folders, self._uploads, self._limits, self._bells = folders, uploads, limits, bells
        self._work: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._turns = {"analyse": asyncio.Semaphore(1), "pictures": asyncio.Semaphore(1)}

    def resume(self) -> None:
        """Take up again what a restart has interrupted."""
        for record in self._shelf.all():
            if record.shown.state == "analysing":
                self._begin(record.shown.id, "analyse")
            elif record.shown.video.seconds is not None and record.shown.thumbnails.state != "ready":
                self._begin(record.shown.id, "pictures")

    def all(self) -> list[ProjectKept]:
        """All projects, newest first."""
        return sorted((record.shown for record in self._shelf.all()), key=lambda one: -one.created)

    def get(self, key: str) -> ProjectKept:
        """A project by its id."""
        return self._record(key).shown

    def has(self, key: str) -> bool:
        """Whether there is such a project."""
        return key in self._shelf

    def _record(self, key: str) -> ProjectRecord:
        found = self._shelf.get(key)
        if found is None:
            raise missing("project")
        return found

    def place(self, key: str) -> Path:
        """The private folder of a project."""
        self._record(key)
        return self._shelf.place(key)

    def alignment(self, key: str) -> Path:
        """The file of the last comparison; 409 before the first is there."""
        path = self.place(key) / "alignment.npz"
        if not path.is_file():
            raise RefusedError(409, "The video is still being compared with the text; wait until it is ready.")
        return path

    def source(self, key: str) -> Path:
        """The video of a project, if it still may be read."""
        path = Path(self._record(key).path)
        if not (self._folders.allows(path) or self._uploads.allows(path)):
            raise RefusedError(409, "The video is no longer in the folders that this server may read; start it there.")
        return path

    def playable(self, key: str) -> Path:
        """What a browser can play: the video, or a copy of it."""
        video = self.get(key).video
        if video.playable is not False:
            return self.source(key)
        if video.proxy.state != "ready":
            raise RefusedError(404, "The copy that browsers can play is still being made; wait a little.")
        return self.place(key) / "proxy.mp4"

    def find_video(self, key: str) -> tuple[str | None, VideoFile]:
        """A video by its id, with the id of the upload if it is one."""
        return self._uploads.find(key) or (None, self._folders.find(key))

    def create(self, new: NewProject) -> ProjectKept:
        """A new project, whose analysis begins."""
        if len(self._shelf) >= self._limits.projects:
            raise RefusedError(429, "There are too many projects; delete some.")
        if (new.text is None) == (not new.narration):
            raise RefusedError(422, "Give a text, or narration: true to follow what is said; not both.")
        self._check(new)
        upload, file = self.find_video(new.video)
        key = self._shelf.new_id()
        shown = ProjectKept(
            id=key,
            name=file.listed.name,
            created=time(),
            video=ProjectVideo(id=new.video, name=file.listed.name),
            text=new.text,
            text_name=new.text_name,
            narration=new.narration,
            listen=new.listen,
            settings=new.settings,
            stages=_stages(),
        )
        self._shelf.put(key, ProjectRecord(shown=shown, path=str(file.path), upload=upload))
        self._begin(key, "analyse")
        return shown

    def _check(self, asked: NewProject | ProjectChange) -> None:
        text, settings = asked.text, asked.settings
        try:  # halves of letters, which could neither be kept nor told again
            json.dumps(asked.model_dump(exclude={"video"}), ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise RefusedError(422, "The text or its name holds halves of letters; send it as UTF-8.") from None
        if text is not None and len(text.encode("utf-8", "replace")) > self._limits.text_bytes:
            raise RefusedError(413, "The text is too long for this server.")
        if text is not None and not text.strip():
            raise RefusedError(422, "The text is empty; write at least one step.")
        if settings is not None and len(json.dumps(settings.ui)) > _NOTES_BYTES:
            raise RefusedError(413, "The notes of the page (ui) are too long.")

    async def change(self, key: str, wanted: ProjectChange) -> ProjectKept:
        """Store settings; another text, or another way of listening, begins a new comparison."""
        shown = self.get(key)
        self._check(wanted)
        if wanted.text is not None and wanted.narration:
            raise RefusedError(422, "Give a text, or narration: true to follow what is said; not both.")
        changes: dict[str, Any] = {} if wanted.settings is None else {"settings": wanted.settings}
        if wanted.text is not None:
            changes |= {"text": wanted.text, "text_name": wanted.text_name, "narration": False}
        elif wanted.narration:
            changes |= {"text": None, "text_name": None, "narration": True}
        if wanted.listen is not None:
            changes |= {"listen": wanted.listen}
        compared = ("text", "text_name", "narration", "listen")
        again = any(name in changes and changes[name] != getattr(shown, name) for name in compared)
        if again:
            kept = changes.get("settings", shown.settings)
            changes["settings"] = kept.model_copy(
                update={"corrections": tuple(c for c in kept.corrections if c.sentence is None)}
            )
            changes |= {"state": "analysing", "error": None, "stages": _stages(), "notes": [], "warnings": []}
        self.update(key, **changes)
        if again:
            await self._end(key, "analyse")
            self._begin(key, "analyse")
        return self.get(key)

    def update(self, key: str, *, on_disk: bool = True, **changes: Any) -> None:
        """Change what is shown of a project, and tell."""
        record = self._shelf.get(key)
        if record is None:
            return
        shown = record.shown.model_copy(update=changes)
        self._shelf.put(key, record.model_copy(update={"shown": shown}), on_disk=on_disk)
        self._bells.ring(key)

    async def remove(self, key: str) -> None:
        """Forget a project, and its upload if no other project needs it."""
        upload = self._record(key).upload
        for kind in self._turns:
            await self._end(key, kind)
        self._shelf.remove(key)
        if upload is not None and all(record.upload != upload for record in self._shelf.all()):
            with suppress(RefusedError):
                self._uploads.remove(upload)
        self._bells.ring(key)

    async def stop(self) -> None:
        """End all work in the background; it is taken up again after a restart."""
        for key, kind in list(self._work):
            await self._end(key, kind)

    def _begin(self, key: str, kind: str) -> None:
        self._work[key, kind] = asyncio.create_task(self._turn(key, kind))

    async def _end(self, key: str, kind: str) -> None:
        task = self._work.pop((key, kind), None)
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _turn(self, key: str, kind: str) -> None:
        async with self._turns[kind]:
            try:
                await (self._analyse(key) if kind == "analyse" else self._pictures(key))
            except (RefusedError, LostError, OSError) as error:
                message = str(error) if isinstance(error, RefusedError | LostError) else "The server's disk is full."
                self._failed(key, kind, message)
        if self._work.get((key, kind)) is asyncio.current_task():
            del self._work[key, kind]

    def _failed(self, key: str, kind: str, message: str) -> None:
        if kind == "analyse":
            self.update(key, state="failed", error=message)
        elif key in self._shelf:
            video = self.get(key).video
            copy = video.proxy if video.proxy.state in ("none", "ready") else Making(state="failed")
            self.update(key, thumbnails=Making(state="failed"), video=video.model_copy(update={"proxy": copy}))

    async def _analyse(self, key: str) -> None:
        shown = self.get(key)
        arguments = {
            "video": str(self.source(key)),
            "name": shown.name,
            "folder": str(self.place(key)),
            "text": shown.text,
            "text_name": shown.text_name,
            "listen": shown.listen,
            "max_seconds": self._limits.seconds,
            "max_pixels": self._limits.pixels,
            "max_sentences": self._limits.sentences,
        }
        process = await Process.start(self._limits)
        try:
            await process.tell({"work": "analyse", "arguments": arguments})
            async for message in process.answers():
                self._heard(key, message)
        finally:
            await process.stop()
            sweep(self.place(key))

    def _heard(self, key: str, message: dict[str, Any]) -> None:
        kind, shown = message.get("kind"), self.get(key)
        if kind == "progress":
            stage = STAGES.get(message["stage"], "looking")
            self.update(key, on_disk=False, stages=_advanced(shown.stages, stage, float(message["share"])))
        elif kind == "facts":
            facts = dict(message["facts"])
            first = shown.video.seconds is None
            copy = shown.video.proxy if facts["playable"] or not first else Making()
            stages = _advanced(shown.stages, "reading", 1.0)
            self.update(key, video=shown.video.model_copy(update={**facts, "proxy": copy}), stages=stages)
            if first:
                self._begin(key, "pictures")
        elif kind == "done":
            result = message["result"]
            stages = [
                one.model_copy(
                    update={"state": "done" if one.state in ("running", "done") else "skipped", "share": 1.0}
                )
                for one in shown.stages
            ]
            news = {"notes": result["notes"], "warnings": result["warnings"], "revision": shown.revision + 1}
            self.update(key, state="ready", error=None, stages=stages, **news)
        elif kind == "failed":
            raise RefusedError(422, str(message.get("message")))

    async def _pictures(self, key: str) -> None:
        video = self.get(key).video
        copy = video.playable is False and video.proxy.state != "ready"
        arguments = {"video": str(self.source(key)), "name": video.name, "folder": str(self.place(key)), "copy": copy}
        process = await Process.start(self._limits)
        try:
            await process.tell({"work": "pictures", "arguments": arguments})
            async for message in process.answers():
                self._pictured(key, message)
        finally:
            await process.stop()
            sweep(self.place(key))

    def _pictured(self, key: str, message: dict[str, Any]) -> None:
        kind, video = message.get("kind"), self.get(key).video
        if kind == "progress":
            making = Making(state="making", share=float(message["share"]))
            if message["stage"] == "proxy":
                self.update(key, on_disk=False, video=video.model_copy(update={"proxy": making}))
            else:
                self.update(key, on_disk=False, thumbnails=making)
        elif kind == "made":
            ready = Making(state="ready", share=1.0)
            self.update(key, video=video.model_copy(update={"proxy": ready, "offset": 0.0}))
        elif kind == "done":
            self.update(key, thumbnails=Making(state="ready", share=1.0))
        elif kind == "failed":
            raise RefusedError(422, str(message.get("message")))

    def wanted(self, key: str, given: SettingsShape | None) -> Wanted:
        """What a render is to be like: as given, or as stored."""
        return (given or self.get(key).settings).wanted


def _stages() -> list[Stage]:
    return [Stage(name="reading"), Stage(name="listening"), Stage(name="looking"), Stage(name="comparing")]


def _advanced(stages: list[Stage], name: str, share: float) -> list[Stage]:
    """The stages when one of them is that far: earlier ones are over."""
    place = next(i for i, stage in enumerate(stages) if stage.name == name)
    out = []
    for i, stage in enumerate(stages):
        if i == place:
            out.append(stage.model_copy(update={"state": "done" if share >= 1 else "running", "share": share}))
        elif i < place and stage.state == "running":
            out.append(stage.model_copy(update={"state": "done", "share": 1.0}))
        elif i < place and stage.state == "waiting":
            out.append(stage.model_copy(update={"state": "skipped"}))
        else:
            out.append(stage)
    return out
