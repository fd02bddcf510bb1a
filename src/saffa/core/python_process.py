"""Starting another Python that runs a function of this package, and nothing that lies in the current folder."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path


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
    place = os.environ.get("NUMBA_CACHE_DIR") or compiled_store()
    return {"MALLOC_ARENA_MAX": "2"} | os.environ | {"NUMBA_CACHE_DIR": place}


@cache
def compiled_store() -> str:
    """Where numba keeps compiled code; empty for its own choice: beside the modules, else in the user's cache folder.

    Where it may write to neither, as for a service without a home, it would end the program. Then it is $SAFFA_CACHE,
    or a new folder for this run alone: code from a folder that others write to must not be run.
    """
    if _is_writable(Path(__file__).parents[1]) or _is_writable(user_cache_path("numba", appauthor=False)):
        return ""
    given = os.environ.get("SAFFA_CACHE")
    if given and _is_writable(Path(given).expanduser() / "compiled"):
        return str(Path(given).expanduser().absolute() / "compiled")
    folder = tempfile.mkdtemp(prefix="saffa-compiled-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_writable(folder: Path) -> bool:
    """Whether a folder may be written to, or made."""
    there = next((place for place in (folder, *folder.parents) if os.path.lexists(place)), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def hear_interrupts() -> None:
    """Let the parent interrupt this process by SIGINT, in a session of its own where no terminal sends that.

    A shell script starts `saffa ... &` deaf to it, and a process inherits that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
