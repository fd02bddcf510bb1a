"""`python -m tests.faults`: disturbances of every kind, in numbers; running it again goes on where it was."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.faults.disturbances import changing_source, failing_read, full_disk, meeting
from tests.faults.kills import killed
from tests.faults.scene import Ended, make_inputs
from tests.fuzz.campaign import State

SHARE = {"kills": 200, "disks": 60, "reads": 60, "sources": 60, "meetings": 20}
"""Cases of each kind at full size."""
Case = Callable[[int, int, Path, Path], list[str] | None]


def main() -> int:
    """Run, and print a table; exit code 1 if there is a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*SHARE, []], help="all if none is named")
    parser.add_argument("--size", type=float, default=1.0, help="share of the full number of cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path(".faults"), help="folder of inputs, states and scratch files")
    chosen = parser.parse_args()
    work = chosen.work.resolve()
    faults = 0
    for kind in chosen.kinds or SHARE:
        state = run(kind, chosen.seed, max(1, round(SHARE[kind] * chosen.size)), work)
        told = ", ".join(f"{name} {n}" for name, n in sorted(state.counts.items()))
        print(f"{kind:10} {state.done:5} cases: {told}", flush=True)
        for case, fault in state.faults:
            print(f"  {kind} {chosen.seed} {case}: {str(fault).strip().splitlines()[-1]}", file=sys.stderr, flush=True)
        faults += len(state.faults)
    print(f"{faults} faults")
    return int(faults > 0)


def run(kind: str, seed: int, count: int, work: Path) -> State:
    """The cases of a kind up to number `count`; those that an earlier run has tried are not tried again."""
    good: dict[str, tuple[Ended, float]] = {}
    cases: dict[str, Case] = {
        "kills": partial(killed, good=good),
        "disks": full_disk,
        "reads": failing_read,
        "sources": changing_source,
        "meetings": meeting,
    }
    inputs = make_inputs(work / "inputs")
    state = State.of(work / f"{kind}-{seed}.json")
    for case in range(state.done, count):
        found = cases[kind](case, seed, inputs, work)
        state.note(case, {"skipped": ""} if found is None else {"fault": "; ".join(found)} if found else {"fine": ""})
        state.save()
    return state


if __name__ == "__main__":
    sys.exit(main())
