"""Work in a process of its own, whose memory is given back when it ends.

Comparing and planning load a compiler, word vectors and networks: some 200 MB that rendering, which comes after and
takes long, has no use for.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from saffa.core.errors import SaffaError
from saffa.core.types import Progress
from saffa.pipeline.parent_process import die_with_parent

P = ParamSpec("P")
Value = TypeVar("Value")


class WorkerLostError(SaffaError):
    """The process was killed or crashed: nothing is known of its work."""


def run_in_worker(
    work: Callable[Concatenate[Progress, P], Value], progress: Progress, *args: P.args, **kwargs: P.kwargs
) -> Value:
    """Run `work(progress, *args, **kwargs)` in a worker process; returns or raises what it does.

    `progress` is called here. `work` must be a function of a module; all arguments but `progress` must pickle.
    """
    if not sys.executable:  # Python inside another program: no interpreter to start
        return work(progress, *args, **kwargs)
    with start_worker() as process:
        result: Value = answer_of(process, progress, work, *args, **kwargs)
    return result


def start_worker(*, apart: bool = False) -> subprocess.Popen[bytes]:
    """Another Python that waits for one piece of work; `apart`: a Ctrl-C at the terminal and its messages stay out."""
    errors = subprocess.DEVNULL if apart else None
    pipe = subprocess.PIPE
    return subprocess.Popen(
        _command(), stdin=pipe, stdout=pipe, stderr=errors, env=_environment(), start_new_session=apart
    )


def answer_of(
    process: subprocess.Popen[bytes],
    progress: Progress,
    work: Callable[Concatenate[Progress, P], Value],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Value:
    """What `work` returns or raises in a started worker; WorkerLostError if the process ends without an answer."""
    outcome: tuple[bool, Any] | None = None
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin as tasks:  # read there as a whole before anything is answered
            tasks.write(pickle.dumps((os.getpid(), work, args, kwargs)))
        while outcome is None:
            kind, *rest = pickle.load(process.stdout)
            if kind == "progress":
                progress(*rest)
            else:
                outcome = (kind == "done", rest[0])
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):  # killed before or within an answer
        pass
    except BaseException:  # also Ctrl-C: leave no process behind
        process.kill()
        raise
    if outcome is None:
        raise WorkerLostError(f"The working process ended without an answer (exit code {process.wait()}).")
    fine, answer = outcome
    if not fine:
        raise answer
    result: Value = answer
    return result


def _command() -> list[str]:
    """Start another Python that finds the modules of this one, and none in the current folder.

    `-P` keeps `-c` from looking there first; the rest of the path is handed over as arguments, because a variable of
    the environment would be cut at colons and could hold relative pieces.
    """
    package = str(Path(__file__).resolve().parent.parent)
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    code = "import sys; sys.path[:] = sys.argv[1:]; from saffa.pipeline.worker_process import serve; serve()"
    isolated = ["-I"] if sys.flags.isolated else []
    return [sys.executable, "-P", *isolated, "-c", code, *path, *([package] if package not in path else [])]


def _environment() -> dict[str, str]:
    """This process's variables; numba's store of compiled code stays where it is by default unless they name another.

    Without that, a settings file `.numba_config.yaml` in the current folder could name it, and code would be loaded
    from there.
    """
    return {"NUMBA_CACHE_DIR": ""} | os.environ


def serve() -> None:
    """The other side: one piece of work from standard input; how far it is and its outcome to standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not get between

    def tell(*message: Any) -> None:
        pickle.dump(message, answers)
        answers.flush()

    try:
        parent, work, args, kwargs = pickle.loads(sys.stdin.buffer.read())
        die_with_parent(parent, signal.SIGINT)
        outcome: tuple[str, Any] = ("done", work(lambda stage, share: tell("progress", stage, share), *args, **kwargs))
    except KeyboardInterrupt:
        return
    except Exception as error:
        outcome = ("failed", error)
    with answers:
        tell(*outcome)
