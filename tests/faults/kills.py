"""`kill -9` at random moments; the next run gives what an undisturbed one gives, and nothing else is left."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from random import Random

from tests.faults.scene import ALWAYS_ANEW, COMMANDS, Ended, Run, hashes, undisturbed

SHARE = {"accelerate": 3, "uniform": 4, "align": 3, "batch": 2, "transcribe": 1}
"""How often each command is killed, of 13."""


def killed(case: int, seed: int, inputs: Path, work: Path, good: dict[str, tuple[Ended, float]]) -> list[str]:
    """Kill a command, look, run it again, look; the faults that were found. `good` remembers undisturbed runs."""
    random = Random(f"kill-{seed}-{case}")
    name = random.choice([name for name, times in SHARE.items() for _ in range(times)])
    if name not in good:
        good[name] = undisturbed(name, inputs, work / "good")
        shutil.rmtree(work / "good")
    whole, seconds = good[name]
    place = work / "out"
    shutil.rmtree(place, ignore_errors=True)
    run = Run.start(COMMANDS[name], inputs, place)
    time.sleep(random.random() * seconds)
    run.kill(everything=random.random() < 0.7)
    first = _seen(place)
    faults = [f"half-written: {path}" for path, mark in first.items() if mark and whole.files.get(path) != mark]
    again = [*COMMANDS[name], *(["--overwrite"] if name in ALWAYS_ANEW else [])]
    done = Run.start(again, inputs, place).end()
    faults += done.faults([0])
    if done.files != whole.files:
        faults.append(f"another output: {sorted(done.files)} instead of {sorted(whole.files)}, or other contents")
    shutil.rmtree(place, ignore_errors=True)
    return [f"{name}: {fault}" for fault in faults]


def _seen(place: Path) -> dict[str, str]:
    """Files under their final names."""
    return {name: mark for name, mark in hashes(place).items() if not name.startswith(".")}
