"""A process that ends when the one that started it does."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

_SET_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl


def die_with_parent(parent: int, number: signal.Signals) -> None:
    """Have this process sent a signal when `parent` is gone, also by `kill -9`; only Linux can."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(number), 0, 0, 0)
    if os.getppid() != parent:  # it went before the request was made
        os.kill(os.getpid(), number)
