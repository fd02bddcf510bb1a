"""`python -m tests.fuzz`: hostile files of the kinds named, in numbers; running it again goes on where it was."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.campaign import run_cases, run_commands
from tests.fuzz.targets import TARGETS

SHARE = {
    "videos": 2000,
    "documents": 8000,
    "subtitles": 4000,
    "timelines": 4000,
    "alignments": 1500,
    "models": 1500,
    "lists": 1000,
}
"""Cases of each kind at full size."""
COMMANDS = 40
"""One case in so many also goes through the whole command, unless asked otherwise."""


def main() -> int:
    """Run, and print a table; exit code 1 if there is a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*TARGETS, []], help="all if none is named")
    parser.add_argument("--size", type=float, default=1.0, help="share of the full number of cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=COMMANDS, help="one case in so many is also a whole command")
    parser.add_argument("--work", type=Path, default=Path(".fuzz"), help="folder of seeds, states and scratch files")
    chosen = parser.parse_args()
    work, faults = chosen.work.resolve(), 0
    for kind in chosen.kinds or TARGETS:
        count = max(1, round(SHARE.get(kind, 1000) * chosen.size))
        cases = run_cases(kind, chosen.seed, count, work)
        commands = run_commands(kind, chosen.seed, count, work, chosen.every)
        told = ", ".join(f"{name} {n}" for name, n in sorted((cases.counts + commands.counts).items()))
        print(f"{kind:12} {cases.done:6} cases, {commands.counts.total():4} commands: {told}", flush=True)
        for state in (cases, commands):
            for case, fault in state.faults:
                print(
                    f"  {kind} {chosen.seed} {case}: {str(fault).strip().splitlines()[-1]}", file=sys.stderr, flush=True
                )
            faults += len(state.faults)
    print(f"{faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
