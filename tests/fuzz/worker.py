"""A process that tries hostile files one after the other, within limits, and tells what became of each.

Arguments: kind, seed, first case, number of cases, folder. Each line it prints is a case and its outcome; a case that
ends the process, or never ends, is the one after the last line.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from random import Random

from saffa.core.errors import SaffaError
from tests.fuzz.targets import TARGETS, Target

MEMORY = 4 << 30
"""Bytes of address space: a parser that believes a number in a file asks for more."""
DISK = 256 << 20
LONGEST_LINE = 2000


def hostile(target: Target, seed: int, case: int, good: Path, place: Path) -> Path:
    """The file of a case; the same numbers make the same file."""
    random = Random(f"{seed}-{case}")
    files = target.seeds(good)
    source, other = files[case % len(files)], random.choice(files)
    path = place / source.name
    path.write_bytes(target.damage(source.read_bytes(), random, other.read_bytes()))
    return path


def tried(target: Target, seed: int, case: int, good: Path) -> dict[str, object]:
    """What became of a case: `fine`, `refused` with its line, or `fault`."""
    with tempfile.TemporaryDirectory() as folder:
        place, out = Path(folder), Path(folder) / "out"
        out.mkdir()
        path = hostile(target, seed, case, good, place)
        try:
            target.use(path, out, good, Random(f"use-{seed}-{case}"))
            found: dict[str, object] = {"fine": True}
        except SaffaError as error:
            line = str(error)
            found = {"refused": line[:200]}
            if "\n" in line or len(line) > LONGEST_LINE:
                return {"fault": f"not one line: {line[:300]!r}"}
            if any(out.iterdir()):
                return {"fault": f"refused, but left {sorted(p.name for p in out.iterdir())}"}
        except BaseException as error:
            return {"fault": "".join(traceback.format_exception(error))[-1500:]}
        if left := [p.name for p in out.iterdir() if ".part" in p.name]:
            return {"fault": f"left {left}"}
        return found


def main() -> None:
    """Try the cases that the arguments name."""
    kind, seed, first, count, folder = sys.argv[1], *map(int, sys.argv[2:5]), Path(sys.argv[5])
    warnings.simplefilter("ignore")
    logging.disable()
    target = TARGETS[kind]
    target.seeds(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (DISK, DISK))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for case in range(first, first + count):
        answers.write(json.dumps([case, tried(target, seed, case, folder)]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
