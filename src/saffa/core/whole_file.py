"""Files that saffa writes: checked before any work, appearing whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from saffa.core.errors import InputError, SaffaError, StoppedError, came_from_ctrl_c
from saffa.core.files.part import part_of, sweep

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


def check_output_file(path: Path, inputs: tuple[Path, ...], overwrite: bool) -> None:
    """InputError unless the file can be made: its folder is there, it is new (or `overwrite`) and no input."""
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


def check_distinct(paths: Sequence[Path]) -> None:
    """InputError if two outputs would be the same file: the later one would replace the earlier."""
    places = [path.resolve() for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise InputError(f"{path} is named for two outputs; give each its own name.")


@contextmanager
def told_what_is_whole(asked: Sequence[Path], beside: Sequence[Path] = ()) -> Iterator[None]:
    """A Ctrl-C inside the block says which files were finished before it; `beside` may be made or not."""
    before = {path: _stamp(path) for path in (*asked, *beside)}
    try:
        yield
    except BaseException as error:
        if not came_from_ctrl_c(error):
            raise
        done = [path for path, stamp in before.items() if _stamp(path) not in (None, stamp)]
        if not done:
            raise
        lacking = ", ".join(str(path) for path in asked if path not in done)
        rest = f"; not written: {lacking}" if lacking else ""
        raise StoppedError(f"Interrupted. Finished before: {', '.join(map(str, done))}{rest}.") from None


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes whenever another file takes the place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


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
        if error.errno in _NO_ROOM:
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
