"""Hidden files in the making: their names say whose they are, so that those of a process that is gone can be removed.

A process that is killed at once (`kill -9`, a power cut) cannot clean up. Whoever writes into the same folder next does
it: only regular files and folders with exactly such a name, made on this machine by a process that is no more.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import socket
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")
_DEAD = ("Z", "X", "x")
_PART = re.compile(
    r"\..{0,40}\.(?P<machine>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-(?P<process>\d{1,10})-(?P<start>\d{1,20})"
    r"\.[0-9a-f]{8}\.part(\.[^.]*)?",
    re.DOTALL,
)


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
