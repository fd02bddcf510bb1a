"""`python -m saffa`, and the `saffa` command."""

import sys


def main() -> None:
    """Load the command line, which takes a moment, and run it; a Ctrl-C meanwhile ends it as plainly as one later."""
    try:
        from saffa.cli import main as command  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("saffa: Interrupted; nothing was written.\n")
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
