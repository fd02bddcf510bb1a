"""Files that come in pieces and can go on after a break; each under a name of the server's choice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path, PureWindowsPath

from saffa.web.errors import RefusedError, missing
from saffa.web.folders import SUFFIXES, VideoFile, video_id
from saffa.web.limits import Limits
from saffa.web.shapes import NewUpload, Upload, VideoListed
from saffa.web.shelf import Shelf


class UploadDesk:
    """All uploads, finished or not."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._shelf = Shelf(folder, Upload)
        self._limits = limits
        self._writing: set[str] = set()

    def begin(self, new: NewUpload) -> Upload:
        """Make room for a file."""
        if new.size > self._limits.upload_bytes:
            most = self._limits.upload_bytes / 1e6
            raise RefusedError(413, f"The file is larger than the {most:g} MB that this server takes.")
        if len(self._shelf) >= self._limits.uploads:
            raise RefusedError(429, "There are too many uploads; delete projects or uploads that are not needed.")
        key = self._shelf.new_id()
        upload = Upload(id=key, name=_shown_name(new.name), size=new.size)
        self._file(upload).touch(mode=0o600)
        self._shelf.put(key, upload)
        return upload

    def get(self, key: str) -> Upload:
        """An upload by its id."""
        found = self._shelf.get(key)
        if found is None:
            raise missing("upload")
        return found

    def unfinished(self) -> list[Upload]:
        """Uploads of which a part is missing."""
        return [upload for upload in self._shelf.all() if upload.video is None]

    async def add(self, key: str, offset: int, pieces: AsyncIterator[bytes]) -> Upload:
        """Append bytes; what has come before a break stays."""
        upload = self.get(key)
        if offset != upload.received or key in self._writing:
            raise RefusedError(409, "The upload goes on at another place.", received=upload.received)
        self._writing.add(key)
        received = offset
        try:
            with self._file(upload).open("r+b") as file:
                file.truncate(offset)
                file.seek(offset)
                async for piece in pieces:
                    if received + len(piece) > upload.size:
                        raise RefusedError(413, "More bytes came than were told of.", received=received)
                    file.write(piece)
                    received += len(piece)
                file.flush()
        except OSError as error:
            raise RefusedError(507, "The server cannot store the file; is its disk full?") from error
        finally:
            self._writing.discard(key)
            upload = self._noted(key, received)
        return upload

    def _noted(self, key: str, received: int) -> Upload:
        upload = self._shelf.get(key)
        if upload is None:  # removed in the meantime
            raise missing("upload")
        whole = received == upload.size
        changed = upload.model_copy(
            update={"received": received, "video": video_id(self._file(upload).resolve()) if whole else None}
        )
        self._shelf.put(key, changed)
        return changed

    def remove(self, key: str) -> None:
        """Forget an upload and its bytes."""
        self.get(key)
        self._shelf.remove(key)

    def files(self) -> list[VideoFile]:
        """What has come whole."""
        return [self._video(upload) for upload in self._shelf.all() if upload.video is not None]

    def find(self, video: str) -> tuple[str, VideoFile] | None:
        """The upload's id and the file of a video id."""
        found = next((upload for upload in self._shelf.all() if upload.video == video), None)
        return None if found is None else (found.id, self._video(found))

    def allows(self, path: Path) -> bool:
        """Whether a file is one of these."""
        real = path.resolve()
        return real.is_relative_to(self._shelf.folder.resolve()) and real.is_file()

    def _video(self, upload: Upload) -> VideoFile:
        listed = VideoListed(id=upload.video or "", name=upload.name, folder="uploads", size=upload.size, uploaded=True)
        return VideoFile(self._file(upload).resolve(), listed)

    def _file(self, upload: Upload) -> Path:
        suffix = PureWindowsPath(upload.name).suffix.lower()
        return self._shelf.place(upload.id) / f"video{suffix if suffix in SUFFIXES else '.bin'}"


def _shown_name(name: str) -> str:
    """The last part of a name, printable, for people; it is never used as a path."""
    last = PureWindowsPath(name.replace("\0", "")).name
    shown = "".join(c for c in last if c.isprintable()).strip()
    return shown.encode("utf-8", "replace").decode("utf-8")[:200] or "video"
