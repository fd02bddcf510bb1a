"""A folder with small inputs, the commands that are disturbed, and what they make when nobody disturbs them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from saffa.sample import RECIPE, VIDEO
from tests.media.movies import Movie, Sound, make

SAFFA = (sys.executable, "-P", "-m", "saffa")
PATIENCE = 300.0
_GIVEN = ("IN/v.mkv", "--text", "IN/t.txt")
COMMANDS: dict[str, tuple[str, ...]] = {
    "accelerate": ("accelerate", *_GIVEN, "--speed", "4", "--timeline", "o.json", "-o", "o.mp4"),
    "uniform": ("accelerate", *_GIVEN, "--method", "uniform", "--speed", "2", "-o", "o.mp4"),
    "align": ("align", *_GIVEN, "--encoder", "narrated", "-o", "o.npz"),
    "transcribe": ("transcribe", "IN/speech.mp4", "-o", "o.srt"),
    "batch": ("batch", "IN/list.csv", "--text", "IN/t.txt", "-o", "."),
    "render": ("render", "IN/plan.json", "-o", "o.mp4"),
    "export": ("export", "IN/plan.json", "--to", "otio", "-o", "o.otio"),
}  # fmt: skip
ALWAYS_ANEW = ("accelerate", "uniform", "align", "transcribe", "render", "export")
"""Commands that refuse to replace what is there unless told to; `batch` skips it."""


def make_inputs(folder: Path) -> Path:
    """Small inputs: a video with sound and subtitles, a longer one, one with speech, texts, a list, a plan."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "plan.json").exists():
        return folder
    cues = ((0, 2000, "now chop the onions"), (2500, 5000, "and fry them in oil"))
    make(folder / "v.mkv", Movie(frames=200, sounds=[Sound(rate=32000, layout="mono")], cues=cues))
    make(folder / "long.mkv", Movie(frames=1500, size=(160, 120), options={"g": "10"}))
    shutil.copy(VIDEO, folder / "speech.mp4")
    shutil.copy(RECIPE, folder / "recipe.txt")
    (folder / "t.txt").write_text("1. Chop the onions.\n2. Fry them in oil.\n")
    (folder / "list.csv").write_text("video,method,output\nv.mkv,uniform,a.mp4\nv.mkv,plan,b.mp4\n")
    plan = (
        "accelerate",
        "IN/v.mkv",
        "--text",
        "IN/t.txt",
        "--method",
        "uniform",
        "--dry-run",
        "--timeline",
        "plan.json",
    )
    Run.start(plan, folder, folder).end()
    return folder


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code, what it said on standard error, and the files it left with their hashes."""

    code: int
    said: str
    files: Mapping[str, str]

    @property
    def lines(self) -> list[str]:
        """What it said, without warnings; of the lines of `batch` about each video, the last one about a failure."""
        said = [line for line in self.said.splitlines() if not re.match(r"saffa: warning: |\d+/\d+ (?!failed)", line)]
        failed = [line for line in said if re.match(r"\d+/\d+ failed", line)]
        return [line for line in said if line not in failed[:-1]]

    def faults(self, codes: Sequence[int]) -> list[str]:
        """What is wrong with any command that ends by itself: exit code, more or less than one line, leftovers."""
        found = [] if self.code in codes else [f"exit code {self.code}: {self.said[-300:]}"]
        if "Traceback" in self.said or "SAFFA_DEBUG" in self.said:
            found.append(f"not foreseen: {self.said[-600:]}")
        if self.code in (1, 2) and len(self.lines) != 1:
            found.append(f"{len(self.lines)} lines: {self.said[-300:]}")
        return found + [f"left {name}" for name in self.files if ".part" in name]


@dataclass(frozen=True)
class Run:
    """A command at work in a folder."""

    process: subprocess.Popen[str]
    folder: Path

    @classmethod
    def start(
        cls, arguments: Sequence[str], inputs: Path, folder: Path, *, before: Sequence[str] = (), **variables: str
    ) -> Run:
        """Start it in a session of its own; `before` are words of the shell that come first."""
        folder.mkdir(parents=True, exist_ok=True)
        filled = [part.replace("IN/", f"{inputs}/") for part in arguments]
        root = str(Path(__file__).resolve().parents[2])
        # x264 reads memory that nobody has written: filled alike, the same pictures give the same bytes.
        usual = {"PYTHONPATH": root, "SAFFA_CACHE": str(folder.parent / "cache"), "MALLOC_PERTURB_": "85"}
        environment = os.environ | usual | variables
        process = subprocess.Popen(
            [*(before or SAFFA), *filled], cwd=folder, env=environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        return cls(process, folder)

    def end(self) -> Ended:
        """Wait for its end."""
        with self.process:
            try:
                _, said = self.process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill(everything=True)
                said = "no end"
        return Ended(self.process.returncode, said, hashes(self.folder))

    def kill(self, *, everything: bool) -> None:
        """`kill -9`: the command alone, or all its processes at once, as a power cut does."""
        with suppress(ProcessLookupError):
            if everything:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        with suppress(subprocess.TimeoutExpired):
            self.process.communicate(timeout=PATIENCE)  # until its workers are gone too: they have the pipe


def hashes(folder: Path) -> dict[str, str]:
    """Name and content of every output in a folder; the protocol of `batch` tells times, so only that it is there."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name == "results.jsonl" or not path.is_file():
            found[path.name] = ""
        else:
            with suppress(OSError):
                found[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def undisturbed(name: str, inputs: Path, folder: Path) -> tuple[Ended, float]:
    """What a command makes, and its seconds."""
    Run.start(COMMANDS[name], inputs, folder).end()  # the first time compiles and fills caches
    shutil.rmtree(folder)
    begun = time.monotonic()
    done = Run.start(COMMANDS[name], inputs, folder).end()
    assert not done.faults([0]), (name, done)
    return done, time.monotonic() - begun
