"""Work in a process of its own, whose memory is given back when it ends.

Comparing and planning load a compiler and word vectors: some 200 MB that rendering, which comes after and takes
long, has no use for.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from saffa.errors import SaffaError

P = ParamSpec("P")
Result = TypeVar("Result")


def run_apart(work: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """What `work(*args, **kwargs)` returns or raises. `work` must be a function of a module; all must pickle."""
    if not sys.executable:  # Python inside another program: no interpreter to start
        return work(*args, **kwargs)
    command = [sys.executable, "-c", "from saffa.apart import serve; serve()"]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
    ) as process:
        try:
            answer, _ = process.communicate(pickle.dumps((work, args, kwargs)))
        except BaseException:  # also Ctrl-C: leave no process behind
            process.kill()
            raise
    if not answer:
        raise SaffaError(f"The planning process ended without an answer (exit code {process.returncode}).")
    fine, outcome = pickle.loads(answer)
    if not fine:
        raise outcome
    result: Result = outcome
    return result


def serve() -> None:
    """The other side: one piece of work from standard input, its outcome to standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not get between
    try:
        work, args, kwargs = pickle.loads(sys.stdin.buffer.read())
        outcome: tuple[bool, Any] = (True, work(*args, **kwargs))
    except KeyboardInterrupt:
        return
    except Exception as error:
        outcome = (False, error)
    with answers:
        pickle.dump(outcome, answers)
