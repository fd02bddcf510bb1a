"""Starting another Python that runs a function of this package, and nothing that lies in the current folder."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path


def python_command(place: str, *arguments: bool) -> list[str]:
    """The command that calls the function at `place` (module:name) in a Python that finds the modules of this one.

    `-P` keeps `-c` from looking into the current folder first; the rest of the path is handed over as arguments,
    because a variable of the environment would be cut at colons and could hold relative pieces.
    """
    module, _, name = place.partition(":")
    package = str(Path(__file__).resolve().parent.parent)
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    code = f"import sys; sys.path[:] = sys.argv[1:]; from {module} import {name}; {name}(*{arguments})"
    isolated = ["-I"] if sys.flags.isolated else []
    return [sys.executable, "-P", *isolated, "-c", code, *path, *([package] if package not in path else [])]


def python_environment() -> dict[str, str]:
    """This process's variables; numba's store of compiled code stays where it is by default unless they name another.

    Without that, a settings file `.numba_config.yaml` in the current folder could name it, and code would be loaded
    from there. Threads of glibc share two stores of free memory: one for each would keep ten megabytes and more.
    """
    return {"NUMBA_CACHE_DIR": "", "MALLOC_ARENA_MAX": "2"} | os.environ


def hear_interrupts() -> None:
    """Let the parent interrupt this process by SIGINT, in a session of its own where no terminal sends that.

    A shell script starts `saffa ... &` deaf to it, and a process inherits that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
