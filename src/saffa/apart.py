"""Work in a process of its own, whose memory is given back when it ends.

Comparing and planning load a compiler, word vectors and networks: some 200 MB that rendering, which comes after and
takes long, has no use for.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from saffa.errors import SaffaError

P = ParamSpec("P")
Result = TypeVar("Result")
Progress = Callable[[str, float], None]
"""Called with the name of the stage and the share done."""


def run_apart(
    work: Callable[Concatenate[Progress, P], Result], progress: Progress, *args: P.args, **kwargs: P.kwargs
) -> Result:
    """What `work(progress, *args, **kwargs)` returns or raises; `progress` is called here, as it is called there.

    `work` must be a function of a module; all arguments but `progress` must pickle.
    """
    if not sys.executable:  # Python inside another program: no interpreter to start
        return work(progress, *args, **kwargs)
    command = [sys.executable, "-c", "from saffa.apart import serve; serve()"]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    outcome: tuple[bool, Any] | None = None
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with process.stdin as tasks:  # read there as a whole before anything is answered
                tasks.write(pickle.dumps((work, args, kwargs)))
            while outcome is None:
                kind, *rest = pickle.load(process.stdout)
                if kind == "progress":
                    progress(*rest)
                else:
                    outcome = (kind == "done", rest[0])
        except (EOFError, BrokenPipeError):
            pass
        except BaseException:  # also Ctrl-C: leave no process behind
            process.kill()
            raise
    if outcome is None:
        raise SaffaError(f"The planning process ended without an answer (exit code {process.returncode}).")
    fine, answer = outcome
    if not fine:
        raise answer
    result: Result = answer
    return result


def serve() -> None:
    """The other side: one piece of work from standard input; how far it is and its outcome to standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not get between

    def tell(*message: Any) -> None:
        pickle.dump(message, answers)
        answers.flush()

    try:
        work, args, kwargs = pickle.loads(sys.stdin.buffer.read())
        outcome: tuple[str, Any] = ("done", work(lambda stage, share: tell("progress", stage, share), *args, **kwargs))
    except KeyboardInterrupt:
        return
    except Exception as error:
        outcome = ("failed", error)
    with answers:
        tell(*outcome)
