"""What became of each job: one line of JSON each, added to a file that later runs read."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from saffa.core.strict_json import json_text
from saffa.core.whole_file import write_failure

_LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Outcome:
    """A finished job. `reason` says why it failed; `frames`, `speed` and `fit` are those of the shorter video."""

    video: str
    text: str
    output: str
    status: Literal["done", "failed", "skipped"]
    reason: str = ""
    seconds: float = 0.0
    frames: int | None = None
    speed: float | None = None
    fit: float | None = None
    key: str = ""
    source_seconds: float | None = None
    attempts: int = 1
    """How often it was begun: more than once if a process or a machine was lost."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ResultsFile:
    """A file with a line for each finished job; nothing in it is ever changed."""

    path: Path

    def done(self) -> dict[str, tuple[str, ...]]:
        """Keys of jobs that were finished well, by the name of the output; lines that cannot be read do not count."""
        found: dict[str, tuple[str, ...]] = {}
        if not self.path.exists():
            return found
        with self.path.open("rb") as file:
            while line := file.readline(_LONGEST_LINE):
                try:
                    facts = json.loads(line)
                    if facts["status"] == "done":
                        name, key = Path(str(facts["output"])).name, str(facts["key"])
                        found[name] = (*(known for known in found.get(name, ()) if known != key), key)
                except (ValueError, KeyError, TypeError, RecursionError):  # cut off by a kill, or not ours
                    continue
        return found

    def add(self, outcome: Outcome) -> None:
        """Append a line in a single write, so that runs at the same time do not mix theirs."""
        line = f"{json_text(asdict(outcome), indent=None)}\n".encode()
        try:
            with self.path.open("ab+", buffering=0) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - 1))
                cut_off = size > 0 and file.read(1) != b"\n"
                file.write(b"\n" + line if cut_off else line)
        except OSError as error:
            raise write_failure(self.path, error) from error
