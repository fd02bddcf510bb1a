"""`python -m saffa`, and the `saffa` command."""

import os
import sys


def main() -> None:
    """Load the command line, which takes a moment, and run it; a Ctrl-C meanwhile ends it as plainly as one later."""
    # Set here, so that a settings file of numba in the current folder cannot have code loaded from another place.
    os.environ.setdefault("NUMBA_CACHE_DIR", "")
    try:
        from saffa.cli.app import main as command  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("saffa: Interrupted; nothing was written.\n")
        sys.exit(130)
    command()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder, put there by `-m`: what lies beside a video is never run
    main()
