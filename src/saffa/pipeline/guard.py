"""A second process does the work, so that one that crashes in compiled code still ends in one plain line.

Decoders are large C libraries, and a damaged file may bring one down together with its process. The first process
only waits: it hands signals on, says what happened, and removes what was left half-written. It is a copy made before
anything heavy is loaded, which takes less than a millisecond.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from saffa.core.errors import SaffaError
from saffa.core.whole_file import sweep

_KERNEL = 0x80  # the sender of what a terminal sends to every process in it: Ctrl-C, a closed window
_SET_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl


def guarded(arguments: Sequence[str]) -> int | None:
    """None in the process that is to do the work; in the one that waited for it, its exit code."""
    if sys.platform != "linux":
        return None
    told = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would hide how the process ended
    before = signal.pthread_sigmask(signal.SIG_BLOCK, told)
    parent = os.getpid()
    worker = os.fork()
    if not worker:
        die_with_parent(parent, signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return None
    while True:
        came = signal.sigwaitinfo(told)
        if came.si_signo != signal.SIGCHLD:
            if came.si_code != _KERNEL:
                os.kill(worker, came.si_signo)
            continue
        ended, status = os.waitpid(worker, os.WNOHANG)
        if ended:
            return _outcome(os.waitstatus_to_exitcode(status), arguments)


def _outcome(code: int, arguments: Sequence[str]) -> int:
    """The exit code; SaffaError for a process that was killed, after its leftovers are removed."""
    if code >= 0:
        return code
    for folder in {Path(), *(Path(argument).parent for argument in arguments)}:
        sweep(folder)
    name = signal.Signals(-code).name
    if -code == signal.SIGKILL:
        raise SaffaError("The process was killed, perhaps for want of memory; what it had not finished is removed.")
    file = next((argument for argument in arguments[1:] if Path(argument).is_file()), "the video")
    raise SaffaError(
        f"A decoder crashed on {file} ({name}), so it cannot be used as it is; what was not finished is removed. "
        "Convert the file with another program first."
    )


def die_with_parent(parent: int, number: signal.Signals) -> None:
    """Have this process sent a signal when `parent` is gone, also by `kill -9`; only Linux can."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(number), 0, 0, 0)
    if os.getppid() != parent:  # it went before the request was made
        os.kill(os.getpid(), number)
