"""Files that saffa writes: checked before any work, appearing whole or not at all.

What is in the making has a hidden name that says whose it is. A process that is killed at once (`kill -9`, a power cut)
cannot clean up; whoever writes into the same folder next does it: only regular files and folders with exactly such a
name, made on this machine by a process that is no more. A `Stamp` tells whether a file that was read is still the same.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from saffa.core.errors import InputError, SaffaError, StoppedError, came_from_ctrl_c

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_PROCESSES = Path("/proc")
_DEAD = ("Z", "X", "x")
_PART = re.compile(
    r"\..{0,40}\.(?P<machine>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-(?P<process>\d{1,10})-(?P<start>\d{1,20})"
    r"\.[0-9a-f]{8}\.part(\.[^.]*)?",
    re.DOTALL,
)


def check_output_file(path: Path, inputs: tuple[Path, ...], overwrite: bool) -> None:
    """InputError unless the file can be made: its folder is there, it is new (or `overwrite`) and no input."""
    check_name(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file name.")
    if not path.parent.is_dir():
        raise InputError(f"The folder {path.parent} does not exist; create it or choose another place.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"The folder {path.parent} is not writable; choose another place.")
    if path.exists():
        # Also through links: the same file under another name.
        if any(used.exists() and path.samefile(used) for used in inputs):
            raise InputError(f"{path} is an input itself; saffa never writes over what it reads. Choose another name.")
        if not path.is_file():
            raise InputError(f"{path} is a pipe or a device, not a file; choose another name.")
    if os.path.lexists(path) and not overwrite:  # also a link that leads nowhere
        raise InputError(f"{path} exists; use --overwrite to replace it.")


def check_name(path: Path) -> None:
    """InputError for a name that no file can have."""
    try:
        folder = next((place for place in path.parents if place.is_dir()), Path())  # that of a batch is made later
        (folder / path.name).lstat()
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) or error.errno == errno.ENAMETOOLONG:
            why = (
                "longer than names of files may be" if isinstance(error, OSError) else "not a name that a file can have"
            )
            raise InputError(f"{path.name[:40]!r}… is {why}; choose another for the output.") from None


def check_distinct(paths: Sequence[Path]) -> None:
    """InputError if two outputs would be the same file: the later one would replace the earlier."""
    places = [path.resolve() for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise InputError(f"{path} is named for two outputs; give each its own name.")


@contextmanager
def told_what_is_whole(asked: Sequence[Path], beside: Sequence[Path] = ()) -> Iterator[None]:
    """A Ctrl-C inside the block says which files were finished before it; `beside` may be made or not."""
    before = {path: stamp_of(path) for path in (*asked, *beside)}
    try:
        yield
    except BaseException as error:
        if not came_from_ctrl_c(error):
            raise
        done = [path for path, stamp in before.items() if stamp_of(path) not in (None, stamp)]
        if not done:
            raise
        lacking = ", ".join(str(path) for path in asked if path not in done)
        rest = f"; not written: {lacking}" if lacking else ""
        raise StoppedError(f"Interrupted. Finished before: {', '.join(map(str, done))}{rest}.") from None


@contextmanager
def whole_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """A place to write to; it becomes `path` when the block ends well and vanishes when it does not.

    Without `overwrite`, a file that another program made under that name in the meantime stays: InputError.
    """
    sweep(path.parent)
    part = part_of(path)
    try:
        yield part
        put_in_place(part, path, overwrite=overwrite)
    except OSError as error:
        if error.errno in _NO_ROOM or error.filename == str(part):  # the folder took no file after all, or is gone
            raise write_failure(path, error) from error
        raise
    finally:
        part.unlink(missing_ok=True)


def put_in_place(part: Path, path: Path, *, overwrite: bool) -> None:
    """Give a finished file its final name at once; without `overwrite` only if there is no file of that name."""
    if overwrite:
        part.replace(path)
        return
    try:
        _claim(part, path)
    except FileExistsError:
        raise InputError(
            f"{path} was made by another program meanwhile and is left as it is; choose another name, or use "
            "--overwrite to replace it."
        ) from None


def _claim(part: Path, path: Path) -> None:
    """Move a file to a name that must be free; of several that try at once, one succeeds."""
    try:
        path.hardlink_to(part)  # unlike a rename, it never replaces
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without hard links: take the name first, then replace
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        part.replace(path)
    else:
        part.unlink()


def write_failure(path: Path, error: BaseException) -> SaffaError:
    """What stopped the writing of a file, in one line."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return SaffaError(f"The disk is full: {path} could not be written. Free some space and try again.")
    reason = getattr(error, "strerror", None) or str(error)
    return SaffaError(f"{path} could not be written ({reason}).")


def part_of(path: Path) -> Path:
    """A hidden name beside the final one, with the same extension, that no other file has."""
    # Cut, because a name near the file system's limit must not grow beyond it.
    return path.with_name(f".{path.stem[:40]}.{_owner()}.{secrets.token_hex(4)}.part{path.suffix}")


def sweep(folder: Path) -> None:
    """Remove what processes that are gone left half-written in a folder. Does nothing where that cannot be told."""
    if not _started(os.getpid()):
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and ".part" in entry.name and _is_orphan(entry.name):
                _remove(entry)


def _remove(entry: os.DirEntry[str]) -> None:
    with suppress(OSError):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            Path(entry.path).unlink()


def _is_orphan(name: str) -> bool:
    """Whether a name is that of a part whose process, on this machine, is gone."""
    found = _PART.fullmatch(name)
    machine, boot = _machine(), _boot()
    if found is None or found["machine"] != machine:
        return False
    return found["boot"] != boot or _started(int(found["process"])) != found["start"]


def _owner() -> str:
    """Machine, its last start, number and start of this process."""
    return f"{_machine()}-{_boot()}-{os.getpid()}-{_started(os.getpid()) or 0}"


def _machine() -> str:
    """This machine, or this container: numbers of processes mean the same only inside one."""
    numbers = ""
    with suppress(OSError):
        numbers = str((_PROCESSES / "self/ns/pid").readlink())
    return _short(f"{socket.gethostname()} {_read(Path('/etc/machine-id'))} {numbers}")


def _boot() -> str:
    """The time since the machine was last started."""
    return _short(_read(_PROCESSES / "sys/kernel/random/boot_id"))


def _started(process: int) -> str:
    """When a process was started, in ticks since the machine was; empty if there is none or that is not known.

    One that is dead but still listed, because nobody has asked how it ended, is none.
    """
    _, _, rest = _read(_PROCESSES / str(process) / "stat").rpartition(")")  # its name may hold anything
    facts = rest.split()
    return facts[19] if len(facts) > 19 and facts[0] not in _DEAD else ""


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class Stamp(NamedTuple):
    """What changes when another file takes the place of one, or it is written to."""

    place: int
    size: int
    changed: int


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None if it is gone."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return Stamp(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's contents, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
