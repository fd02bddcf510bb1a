"""A series of cases of one kind: worker processes, a watch on them, and a state that another run goes on from."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import hostile

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""Seconds for one case; far more than any takes, because a busy machine is no fault."""
BATCH = 500
"""Cases of one process."""
CODES = (0, 1, 2)


@dataclass
class State:
    """How far the cases of a kind are, and what was found; kept as JSON after every batch."""

    path: Path
    done: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[list[object]] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path) -> State:
        """What an earlier run left, or a beginning."""
        if not path.exists():
            return cls(path)
        facts = json.loads(path.read_text("utf-8"))
        return cls(path, facts["done"], Counter(facts["counts"]), facts["faults"])

    def note(self, case: int, outcome: dict[str, object]) -> None:
        """One case more."""
        (kind,) = outcome
        self.counts[kind] += 1
        self.done = case + 1
        if kind == "fault":
            self.faults.append([case, outcome["fault"]])

    def save(self) -> None:
        """Write it down."""
        facts = {"done": self.done, "counts": self.counts, "faults": self.faults}
        self.path.write_text(json.dumps(facts, indent=1), "utf-8")


def run_cases(
    kind: str, seed: int, count: int, work: Path, *, patience: float = PATIENCE, worker: str = "tests.fuzz.worker"
) -> State:
    """Try cases up to number `count`; those that an earlier run has tried are not tried again."""
    good = work / "seeds"
    good.mkdir(parents=True, exist_ok=True)
    state = State.of(work / f"{kind}-{seed}.json")
    while state.done < count:
        first, size = state.done, min(BATCH, count - state.done)
        with tempfile.TemporaryDirectory(dir=work) as place:
            command = [sys.executable, "-m", worker, kind, *map(str, (seed, first, size)), str(good)]
            process = subprocess.Popen(
                command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env=os.environ | {"TMPDIR": place, "SAFFA_CACHE": f"{place}/cache", "OMP_NUM_THREADS": "1"},
            )  # fmt: skip
            with process:
                for line in _lines(process, patience):
                    state.note(*json.loads(line))
                ended = process.poll()
                process.kill()
            if state.done < first + size:
                what = f"the process ended ({process.returncode})" if ended is not None else "no end"
                state.note(state.done, {"fault": what})
            if left := [p.name for p in Path(place).iterdir() if p.name != "cache"]:
                state.faults.append([first, f"left in the temporary folder: {left}"])
        state.save()
    return state


def _lines(process: subprocess.Popen[str], patience: float) -> Iterator[str]:
    """What a process prints, until it ends or says nothing for too long."""
    heard: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            heard.put(line)
        heard.put("")

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            line = heard.get(timeout=patience)
        except queue.Empty:
            return
        if not line:
            process.wait()
            return
        yield line


def run_commands(kind: str, seed: int, count: int, work: Path, every: int) -> State:
    """Every so many cases through the whole command: exit code, one line, nothing left behind."""
    target, good = TARGETS[kind], work / "seeds"
    state = State.of(work / f"{kind}-{seed}-commands.json")
    cases = range(0, count if target.command else 0, every)
    for extra in ("documents", "videos"):
        TARGETS[extra].seeds(good)
    for case in cases[state.counts.total() :]:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            place = Path(folder)
            file = hostile(target, seed, case, good, place)
            filled = [part.replace("FILE", file.name).replace("SEEDS", str(good)) for part in target.command]
            state.note(case, _commanded(filled, file, place))
        state.save()
    return state


def _commanded(arguments: list[str], file: Path, place: Path) -> dict[str, object]:
    environment = os.environ | {"SAFFA_CACHE": f"{place}/cache", "SAFFA_MODELS": f"{place}/cache", "TMPDIR": str(place)}
    command = [sys.executable, "-P", "-m", "saffa", *arguments]
    try:
        done = subprocess.run(command, cwd=place, capture_output=True, env=environment, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return {"fault": "no end"}
    said = done.stderr.decode("utf-8", "replace")
    lines = [line for line in said.splitlines() if not line.startswith("saffa: warning: ")]
    left = sorted(p.name for p in place.iterdir() if p != file and p.name != "cache")
    if done.returncode not in CODES or "Traceback" in said or "SAFFA_DEBUG" in said:
        return {"fault": f"exit code {done.returncode}: {said[-800:]}"}
    if done.returncode and (len(lines) != 1 or not lines[0].startswith("saffa: ")):
        return {"fault": f"exit code {done.returncode} with {len(lines)} lines: {said[-800:]}"}
    if [name for name in left if done.returncode or not name.startswith("out.")]:
        return {"fault": f"exit code {done.returncode}, left {left}"}
    return {f"exit {done.returncode}": lines}
