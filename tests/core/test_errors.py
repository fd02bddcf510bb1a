"""Failures that no part foresaw are told in words."""

import errno

import pytest

from saffa.core.errors import InputError, SaffaError, came_from_ctrl_c, plain_words

FULL = OSError(errno.EMFILE, "Too many open files")
LOCKED = OSError(errno.EACCES, "Permission denied", "o.mp4")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (SaffaError("As it is."), "As it is."),
        (InputError("As it is."), "As it is."),
        (MemoryError(), "There is not enough memory or room for threads (refused by the system)."),
        (
            RuntimeError("can't start new thread"),
            "There is not enough memory or room for threads (can't start new thread).",
        ),
        (
            ImportError("x.so: failed to map segment from shared object"),
            "There is not enough memory or room for threads",
        ),
        (FULL, "Standard output or another open file cannot be used (Too many open files)."),
        (LOCKED, "o.mp4 cannot be used (Permission denied)."),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "The current folder is gone"),
        (KeyError("x"), "KeyError: 'x'"),
        (None, "NoneType: None"),
    ],
)
def test_what_is_said(error: Exception | None, says: str) -> None:
    assert plain_words(error).startswith(says)


def test_interrupts_are_found_behind_other_errors() -> None:
    error = RuntimeError("odd")
    assert not came_from_ctrl_c(error)
    error.__cause__ = KeyboardInterrupt()
    assert came_from_ctrl_c(error)
