"""The `saffa` command: which commands there are, and what is said when one fails.

A command's module is imported when the command runs, so that help and completion are quick. Where decoders run, which
are large C libraries that a damaged file may bring down, a second process does the work, so that a crash still ends in
one plain line. The first only waits: it hands signals on, says what happened, and removes what was left half-written.
It is a copy made before anything heavy is loaded, which takes less than a millisecond.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from saffa.cli.options import PANELS
from saffa.cli.terminal import printable
from saffa.core.errors import SaffaError, StoppedError, came_from_ctrl_c, plain_words
from saffa.core.python_process import python_environment
from saffa.core.whole_file import sweep

INTERRUPTED = 130
PEOPLE, RESEARCH = "For people with a video", "For researchers"


@dataclass(frozen=True)
class Command:
    """A command: the function or group behind it, and its line in the help."""

    place: str
    """module:name below `saffa.cli`."""
    help: str
    panel: str = PEOPLE
    keeps: bool = False
    """Works in small finished parts, which an interrupt leaves in place."""
    guarded: bool = False
    """Decodes in its own process, which is watched by another: see `guarded`."""

    def shown(self, name: str) -> TyperCommand:
        """The command as the help shows it, without an import."""
        return TyperCommand(name, help=self.help, rich_help_panel=self.panel)

    def load(self, name: str) -> Any:
        """The real command."""
        module, _, attribute = self.place.partition(":")
        found = getattr(import_module(f"saffa.cli.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False)
            found.command(name)(function)
        command = typer.main.get_command(found)
        panels = {option: panel for panel, options in PANELS.items() for option in options}
        for parameter in command.params:
            if parameter.name in panels:
                parameter.rich_help_panel = panels[parameter.name]  # type: ignore[attr-defined]
        return command


COMMANDS = {
    "accelerate": Command("app:accelerate", "Write a shorter video that follows the text.", guarded=True),
    "batch": Command("batch:batch", "Shorten many videos, of a list or a folder.", keeps=True),
    "align": Command("app:align", "Compare a video with a text and save the result.", guarded=True),
    "render": Command("app:render", "Render a timeline again, for example with another codec.", guarded=True),
    "transcribe": Command("transcribe:transcribe", "Write down what is said in a video, with times.", guarded=True),
    "export": Command("export:export", "Hand a timeline to a video editor or player.", guarded=True),
    "serve": Command("serve:serve", "See it in the browser before it is made.", keeps=True),
    "demo": Command("app:demo", "Shorten the sample video that comes with saffa, in the current folder.", guarded=True),
    "models": Command("models:app", "What is published, what is here, and how to bring it in.", keeps=True),
    "evaluate": Command("evaluate:evaluate", "Score methods on a benchmark, a uniform row beside them.", RESEARCH),
    "reproduce": Command("reproduce:reproduce", "Repeat the paper's tables and figures.", RESEARCH, keeps=True),
    "train": Command("train:app", "Train an encoder or an agent.", RESEARCH, keeps=True),
    "data": Command("data:app", "Extract alignments of a dataset, check what is complete.", RESEARCH, keeps=True),
}


class LazyGroup(TyperGroup):
    """Lists its commands by their entries alone; only the one that is called is imported."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: entry.shown(name) for name, entry in COMMANDS.items()}

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Names in the order of the table, not of the alphabet."""
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The real command; an unknown name is told with what is near it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, COMMANDS[name].load(name) if name in COMMANDS else command, rest


app = typer.Typer(cls=LazyGroup, add_completion=False, no_args_is_help=True)


@app.callback(invoke_without_command=True)
def start(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Shorten a video with a text: what matches plays near normal speed, the rest is fast-forwarded."""
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415

        print(f"saffa {installed('saffa')}")
        raise typer.Exit


def run(arguments: Sequence[str]) -> int:
    """Run one command; every way to fail gives one line and an exit code."""
    try:
        outcome = app(args=list(arguments), standalone_mode=False, prog_name="saffa")
        if outcome == INTERRUPTED:  # newer versions of typer turn Ctrl-C into this
            raise KeyboardInterrupt
        return outcome if isinstance(outcome, int) else 0
    except SaffaError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted(arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if came_from_ctrl_c(error):
            return _interrupted(arguments)
        return _unforeseen(error)


def _unforeseen(error: Exception) -> int:
    if os.environ.get("SAFFA_DEBUG"):
        raise error
    usage = getattr(error, "format_message", None)  # what the option parser raises
    if usage is not None:
        message = usage().strip().rstrip(".")  # empty when no command was given: the help was shown
        stop = "" if message.endswith("?") else "."
        return _fail(f"{message}{stop} {_hint(error, message)}", 2) if message else 2
    if isinstance(error, FileNotFoundError) and error.filename:  # it was there when it was looked for
        return _fail(f"{error.filename} is gone: it was removed or renamed meanwhile. Nothing was written.", 1)
    told, code = plain_words(error), 2 if getattr(error, "errno", 0) == errno.ENAMETOOLONG else 1
    unknown = told.startswith(f"{type(error).__name__}: ")
    return _fail(f"{told} (set SAFFA_DEBUG=1 to see where)" if unknown else told, code)


def _is_file(name: str) -> bool:
    """Whether that is a file; words may be too long for a name."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _hint(error: Exception, message: str) -> str:
    """Where to read on; who forgot the command gets it."""
    name = message.partition("'")[2].partition("'")[0]
    if message.startswith("No such command") and (Path(name).suffix or _is_file(name)):
        return f"Did you mean `saffa accelerate {name}`?"
    path = getattr(getattr(error, "ctx", None), "command_path", None) or "saffa"
    return f"See `{path} --help`."


def _interrupted(arguments: Sequence[str]) -> int:
    kept = any(name in COMMANDS and COMMANDS[name].keeps for name in arguments[:1])
    return _fail(f"Interrupted; {'what was finished is kept' if kept else 'nothing was written'}.", INTERRUPTED)


def _fail(text: str, code: int) -> int:
    with suppress(OSError):  # nobody reads on: a terminal that was closed
        sys.stderr.write(f"saffa: {printable(' '.join(text.split()))}\n")
        sys.stderr.flush()
    return code


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Entry point. Being told to end (SIGTERM, a closed terminal's SIGHUP) cleans up like Ctrl-C."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows knows no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` asks for
            signal.signal(number, _interrupt)
    if isinstance(sys.stdout, TextIOWrapper):  # a name that is no text, or a letter that this encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    os.environ["NUMBA_CACHE_DIR"] = python_environment()["NUMBA_CACHE_DIR"]
    arguments = sys.argv[1:]
    code: int | None = None
    if any(name in COMMANDS and COMMANDS[name].guarded for name in arguments[:1]):
        try:
            code = guarded(arguments)
        except SaffaError as error:
            code = _fail(str(error), error.exit_code)
    sys.exit(run(arguments) if code is None else code)


_CRASHES = {getattr(signal, f"SIG{name}", 0) for name in ("SEGV", "ABRT", "BUS", "FPE", "ILL", "SYS", "TRAP")}
_ENDINGS = {getattr(signal, f"SIG{name}", 0) for name in ("INT", "TERM", "HUP")}
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
    if -code in _ENDINGS:  # at its very beginning or end, when Python does not listen
        raise StoppedError("Interrupted; files that are there are whole, and what was not finished is removed.")
    if -code not in _CRASHES:  # a limit on processor time, for example
        raise SaffaError(f"The process was ended by {name}; what it had not finished is removed.")
    file = next(filter(_is_file, arguments[1:]), "the video")
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
