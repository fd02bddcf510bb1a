"""`python -m saffa`, and the `saffa` command."""

import os
import sys


def main() -> None:
    """Load the command line, which takes a moment, and run it; a Ctrl-C meanwhile ends it as plainly as one later."""
    _open_standard_streams()
    # Set here, so that a settings file of numba in the current folder cannot have code loaded from another place.
    os.environ.setdefault("NUMBA_CACHE_DIR", "")
    try:
        from saffa.cli.main import main as command  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("saffa: Interrupted; nothing was written.\n")
        sys.exit(130)
    command()


def _open_standard_streams() -> None:
    """Give standard input, output and errors a place if they were closed (`2>&-`).

    The next file that is opened would take their number, and what a library prints would go into it. Processes that
    are started get the same places.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder, put there by `-m`: what lies beside a video is never run
    main()
