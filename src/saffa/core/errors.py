"""What saffa says when it cannot go on: one line, what is wrong and what to do."""

import errno
import re


class SaffaError(Exception):
    """A failure while working (exit code 1): a full disk, a codec that gave up."""

    exit_code = 1


class StoppedError(SaffaError):
    """Stopped by the user (exit code 130) when some files were finished already."""

    exit_code = 130


class InputError(SaffaError):
    """Something the user gave is not usable (exit code 2)."""

    exit_code = 2


class LengthError(InputError):
    """A length that cannot be had; `shortest` and `longest`, in seconds, can."""

    def __init__(self, message: str, shortest: float = 0.0, longest: float = 0.0) -> None:
        super().__init__(message)
        self.shortest, self.longest = shortest, longest


_NO_MEMORY = re.compile("start new thread|allocate memory|map segment|bad_alloc")


def plain_words(error: BaseException | None) -> str:
    """A failure that nobody foresaw, in words: what the system lacks or refuses, else what Python calls it."""
    if isinstance(error, SaffaError):
        return str(error)
    if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
        return f"There is not enough memory or room for threads ({str(error) or 'refused by the system'})."
    if isinstance(error, OSError) and error.strerror:  # a disk, a pipe or a permission that nobody asked about before
        if error.errno == errno.ENOENT and error.filename is None:
            return "The current folder is gone; go to another one."
        place = error.filename[:200] if isinstance(error.filename, str) else "Standard output or another open file"
        return f"{place} cannot be used ({error.strerror})."
    return f"{type(error).__name__}: {error}"


def came_from_ctrl_c(error: BaseException | None) -> bool:
    """Whether an error is, or was caused by, an interrupt: compiled code may turn one into another error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
