"""Memory that was freed goes back to the system, where the C library would keep it for later."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress


def give_back_memory() -> None:
    """Hand back what is free; decoders and networks leave much behind. Only glibc can."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
