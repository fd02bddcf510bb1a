"""One video of a batch, from the file to the shorter file: done once, however often it is begun.

A job works in a hidden folder of its own beside the outputs, which is locked as long as somebody is at work in it.
When all is whole it writes a receipt there and moves the files to their places; so whoever comes next, after a lost
machine or a kill, finishes what is left to do and makes nothing twice.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from saffa.api import accelerate
from saffa.core.errors import InputError, SaffaError
from saffa.core.result import Result
from saffa.core.strict_json import json_text
from saffa.core.whole_file import check_output_file, put_in_place, whole_file
from saffa.scale.jobs import RESULTS, BatchJob
from saffa.scale.results import ResultsFile
from saffa.storage.fingerprint import fingerprint

ROOM = ".making"
"""The folder beside the outputs with a folder for each job at work."""
_RECEIPT, _LOCK = "made.json", "lock"
_TURN = 60.0
"""Seconds to wait for another process that is at work on the same job, or for its end to be noticed."""
_LONGEST_WARNING = 500


@dataclass(frozen=True)
class Made:
    """The figures of a shortened video; `key` is the hash of all that it was made from."""

    key: str
    frames: int | None = None
    speed: float | None = None
    fit: float | None = None
    source_seconds: float | None = None
    warnings: tuple[str, ...] = ()
    before: bool = False
    """Whether it was there already."""

    @classmethod
    def of(cls, key: str, result: Result) -> Made:
        """The figures of what `accelerate` did."""
        written = result.rendered.warnings if result.rendered else ()
        warnings = tuple(dict.fromkeys(one[:_LONGEST_WARNING] for one in (*result.warnings, *written)))
        seconds = round(float(result.timemap.source_duration), 3)
        selection = result.selection
        return cls(key, len(selection.frames), selection.speed, result.alignment.fit, seconds, warnings)


@dataclass(frozen=True)
class Order:
    """A job, and the keys under which its output is known to be finished."""

    job: BatchJob
    done: tuple[str, ...] = ()
    overwrite: bool = False


def make(order: Order) -> Made:
    """Shorten the video of a job unless that is done."""
    job, key = order.job, order.job.key()
    if job.output.is_file() and (key in order.done or key in _done_meanwhile(job)):
        return Made(key, before=True)
    with _own_room(job, key) as room:
        receipt = _Receipt.read(room, job.output.parent)
        if receipt is None:
            _clear(room)
            receipt = _work(order, key, room)
        try:
            return receipt.deliver(room, job, order.overwrite)
        except InputError:  # another program has taken the name: what was made is of no use
            settle(job, key)
            raise


def _done_meanwhile(job: BatchJob) -> tuple[str, ...]:
    """Keys of what another run has finished since this one began, for an output that is there."""
    return ResultsFile(job.output.parent / RESULTS).done().get(job.output.name, ())


def settle(job: BatchJob, key: str) -> None:
    """Forget the receipt of a job whose outcome is written down."""
    with suppress(OSError):
        shutil.rmtree(_room_of(job, key))
        (job.output.parent / ROOM).rmdir()


def _room_of(job: BatchJob, key: str) -> Path:
    return job.output.parent / ROOM / fingerprint(key, job.output.name)[:32]


def _work(order: Order, key: str, room: Path) -> _Receipt:
    job, choices = order.job, order.job.choices
    check_output_file(job.output, job.inputs, order.overwrite)
    result = accelerate(
        job.video,
        job.text,
        speed=choices.speed,
        length=choices.length,
        output=room / job.output.name,
        text_part=choices.text_part,
        subtitles=job.subtitles,
        listen=choices.listen,
        method=choices.method,
        balance=choices.balance,
        min_speed=choices.min_speed,
        max_speed=choices.max_speed,
        agent=choices.agent,
        ramp=choices.ramp,
        encoder=choices.encoder,
        corrections=choices.corrections,
        strict=choices.strict,
        options=choices.render_options(),
    )
    beside = result.rendered.subtitles if result.rendered else None
    receipt = _Receipt(Made.of(key, result), (*([beside.name] if beside else []), job.output.name))
    with whole_file(room / _RECEIPT) as part:
        part.write_text(json_text(asdict(receipt), indent=None), "utf-8")
    return receipt


@dataclass(frozen=True)
class _Receipt:
    """What was made, and the names of its files; the video is the last."""

    made: Made
    files: tuple[str, ...]

    @classmethod
    def read(cls, room: Path, places: Path) -> _Receipt | None:
        """The receipt of a job whose files are all there, in the room or in their places."""
        try:
            facts: dict[str, Any] = json.loads((room / _RECEIPT).read_text("utf-8"))
            made = facts["made"]
            receipt = cls(Made(**(made | {"warnings": tuple(made["warnings"])})), tuple(map(str, facts["files"])))
        except (OSError, ValueError, KeyError, TypeError):  # none, or not ours
            return None
        whole = receipt.files and all(
            name == Path(name).name and ((room / name).is_file() or (places / name).is_file()) for name in receipt.files
        )
        return receipt if whole else None

    def deliver(self, room: Path, job: BatchJob, overwrite: bool) -> Made:
        """Move what is not in its place yet. Subtitles beside the video never take the place of others."""
        warnings = list(self.made.warnings)
        for name in self.files:
            here, place = room / name, job.output.with_name(name)
            if not here.is_file():
                continue
            if place.exists() and place.samefile(here):  # stopped between the two names of one file
                here.unlink()
            elif name != job.output.name and _is_taken(place, job.inputs, overwrite):
                here.unlink()
                warnings.append(f"{place} was there already and is left as it is; it may not fit {job.output.name}.")
            else:
                put_in_place(here, place, overwrite=overwrite)
        return replace(self.made, warnings=tuple(warnings))


def _is_taken(place: Path, inputs: Sequence[Path], overwrite: bool) -> bool:
    return place.exists() and (not overwrite or any(place.samefile(path) for path in inputs if path.exists()))


@contextmanager
def _own_room(job: BatchJob, key: str) -> Iterator[Path]:
    """The job's folder, for this process alone. It is removed unless the work is done."""
    room = _room_of(job, key)
    with _locked(room, job):
        try:
            yield room
        except BaseException:
            if not (room / _RECEIPT).exists():
                settle(job, key)
            raise


@contextmanager
def _locked(room: Path, job: BatchJob) -> Iterator[None]:
    """Hold the lock of a folder, which the system takes back when a process ends, however it ends."""
    end = monotonic() + _TURN
    while (file := _try_lock(room)) is None:
        if monotonic() > end:
            raise SaffaError(f"Another process is at work on {job.output}; run this again when it is done.")
        sleep(0.1)
    try:
        yield
    finally:
        os.close(file)


def _try_lock(room: Path) -> int | None:
    """An open file that holds the lock; None while somebody else does."""
    try:
        room.mkdir(parents=True, exist_ok=True)
        file = os.open(room / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    except FileNotFoundError:  # removed in between
        return None
    except OSError as error:
        raise InputError(f"The folder {room.parent} cannot be used: {error.strerror}.") from None
    try:
        import fcntl  # noqa: PLC0415 – not on Windows, where open files cannot be removed under others
    except ImportError:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    except OSError:  # a file system without locks: outputs are still made at once or not at all
        return file
    if os.fstat(file).st_nlink == 0:  # its last holder removed the folder
        os.close(file)
        return None
    return file


def _clear(room: Path) -> None:
    """Remove what an earlier process left half-written."""
    for path in room.iterdir():
        if path.name != _LOCK:
            path.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove rooms of jobs that nobody works on and that hold no receipt, for example after another choice."""
    room = folder / ROOM
    with suppress(OSError):
        for place in room.iterdir() if room.is_dir() else ():
            file = None if (place / _RECEIPT).exists() else _try_lock(place)
            if file is not None:
                shutil.rmtree(place, ignore_errors=True)
                os.close(file)
        room.rmdir()
