"""Work in a process of its own, whose memory is given back when it ends.

Comparing and planning load a compiler, word vectors and networks: some 200 MB that rendering, which comes after and
takes long, has no use for. A process that lasts does many pieces of work and keeps what it loaded.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from threading import Thread, Timer, main_thread
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from saffa.core.errors import SaffaError
from saffa.core.python_process import hear_interrupts, python_command, python_environment
from saffa.core.types import Progress

P = ParamSpec("P")
Value = TypeVar("Value")
SERVE = "saffa.pipeline.worker_process:serve"
PATIENCE = 20.0
"""Seconds that a process gets to remove what it has half written."""
KEPT: ContextVar[dict[object, Any] | None] = ContextVar("KEPT", default=None)
"""What was loaded for one piece of work and serves the next; None where there is no next."""


def kept(key: object, load: Callable[[], Value]) -> Value:
    """What `load` gives; where many pieces of work are done one after the other it is loaded once for all."""
    shelf = KEPT.get()
    if shelf is None:
        return load()
    if key not in shelf:
        shelf[key] = load()
    found: Value = shelf[key]
    return found


class WorkerLostError(SaffaError):
    """The process was killed or crashed: nothing is known of its work."""


def may_start() -> bool:
    """Whether work belongs into another process: a worker that lasts keeps what it loads for the next video itself."""
    return bool(sys.executable) and KEPT.get() is None  # Python inside another program: nothing to start


def run_in_worker(
    work: Callable[Concatenate[Progress, P], Value], progress: Progress, *args: P.args, **kwargs: P.kwargs
) -> Value:
    """Run `work(progress, *args, **kwargs)` in a worker process; returns or raises what it does.

    `progress` is called here. `work` must be a function of a module; all arguments but `progress` must pickle.
    """
    if not may_start():
        return work(progress, *args, **kwargs)
    with Worker() as worker:
        result: Value = worker.do(progress, work, *args, **kwargs)
    return result


class Worker:
    """Another Python that does one piece of work after the other and keeps nothing.

    `lasting`: it keeps what it loaded, a Ctrl-C at the terminal and its messages stay out. `folder` is its current one.
    `place` is the function that is called there, with `arguments`, and ends in `serve`.
    """

    def __init__(self, place: str = SERVE, *arguments: bool, lasting: bool = False, folder: Path | None = None) -> None:
        with _no_interrupt():  # until `serve` can end plainly; a process inherits what is held back
            self._process = subprocess.Popen(
                python_command(place, *(arguments or (lasting,))),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if lasting else None,
                env=python_environment(),
                cwd=folder,
                start_new_session=lasting,
            )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def do(
        self, progress: Progress, work: Callable[Concatenate[Progress, P], Value], *args: P.args, **kwargs: P.kwargs
    ) -> Value:
        """What `work` returns or raises there; WorkerLostError if the process ends without an answer."""
        outcome: tuple[bool, Any] | None = None
        try:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            # Bytes within bytes: what cannot be understood there is still read as a whole.
            self._process.stdin.write(pickle.dumps(pickle.dumps((work, args, kwargs))))
            self._process.stdin.flush()
            while outcome is None:
                kind, *rest = pickle.load(self._process.stdout)
                if kind == "progress":
                    progress(*rest)
                else:
                    outcome = (kind == "done", rest[0])
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):  # killed before or within an answer
            pass
        except BaseException:  # also Ctrl-C: leave no process behind
            self._process.kill()
            raise
        if outcome is None:
            raise WorkerLostError(f"The working process ended without an answer ({_ending(self._process.wait())}).")
        fine, answer = outcome
        if not fine:
            raise answer
        result: Value = answer
        return result

    def interrupt(self) -> None:
        """Ask it to end as Ctrl-C does, so that it leaves nothing behind."""
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                self._process.send_signal(signal.SIGINT)

    def end(self, patience: float = 0.0) -> None:
        """Tell it that nothing more comes, wait so many seconds for its end, then kill it."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:  # nobody waits for it any more
            self._process.kill()
        with suppress(OSError):  # what it did not read any more
            self._process.__exit__(kind, error, trace)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back for a moment."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ending(code: int) -> str:
    """An exit code as people know it; that of a crash is the negative number of a signal."""
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"exit code {code}, {signal.Signals(-code).name}"
    return f"exit code {code}"


def serve(lasting: bool) -> None:
    """The other side: pieces of work from standard input; how far each is and its outcome to standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not get between
    KEPT.set({} if lasting else None)
    pieces: SimpleQueue[bytes | None] = SimpleQueue()
    Thread(target=_read_pieces, args=(pieces,), daemon=True).start()

    def tell(*message: Any) -> None:
        pickle.dump(message, answers)
        answers.flush()

    try:
        if lasting:
            hear_interrupts()
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        while (piece := pieces.get()) is not None:
            tell(*_outcome(piece, lambda stage, share: tell("progress", stage, share)))
            del piece
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    finally:
        os._exit(0)  # threads of networks need not be waited for, and a late interrupt finds nobody to disturb


def _read_pieces(pieces: SimpleQueue[bytes | None]) -> None:
    """Hand on what comes in. When nobody is at the other end any more, the work ends too, as by Ctrl-C."""
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            pieces.put(pickle.load(sys.stdin.buffer))
    pieces.put(None)
    if sys.platform == "win32":
        interrupt_main()
    else:
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)  # also wakes what sleeps in the system
    end = Timer(PATIENCE, os._exit, (1,))  # compiled code may not listen
    end.daemon = True
    end.start()


def _outcome(piece: bytes, progress: Progress) -> tuple[str, Any]:
    try:
        work, args, kwargs = pickle.loads(piece)
        return "done", work(progress, *args, **kwargs)
    except Exception as error:
        return "failed", _portable(error)


def _portable(error: Exception) -> Exception:
    """The error if it can be handed over, else one with its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return SaffaError(f"{type(error).__name__}: {error}")
    return error
