"""Full disks, reads that fail, sources that change while they are read, and runs that meet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.faults.scene import COMMANDS, Run, undisturbed

FAILING = (sys.executable, "-P", "-m", "tests.faults.failing_reads")
SHORTEN = ("accelerate", "CHANGING", "--text", "IN/t.txt", "--method", "uniform", "--speed", "1", "-o", "o.mp4")


@contextmanager
def small_disk(place: Path, room: int) -> Iterator[bool]:
    """A file system of `room` bytes at a place; False where none can be mounted (not root)."""
    place.mkdir(parents=True, exist_ok=True)
    options = ["-t", "tmpfs", "-o", f"size={room}", "tmpfs", str(place)]
    mounted = subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=False)


def full_disk(case: int, seed: int, inputs: Path, work: Path) -> list[str] | None:
    """Output, cache or temporary folder on a disk without room; None where no disk can be made."""
    random = Random(f"disk-{seed}-{case}")
    name, which = random.choice(list(COMMANDS)), ("output", "cache", "temporary")[case % 3]
    place, small = work / "out", work / "small"
    shutil.rmtree(place, ignore_errors=True)
    with small_disk(small, 4096 * random.randrange(1, 4)) as mounted:
        if not mounted:
            return None
        (small / "ballast").write_bytes(bytes(2048))
        out = small / "out" if which == "output" else place
        variables = {"cache": {"SAFFA_CACHE": str(small)}, "temporary": {"TMPDIR": str(small)}}.get(which, {})
        done = Run.start(COMMANDS[name], inputs, out, **variables).end()
        faults = done.faults([0, 1])
        if which == "output" and done.code == 0 and name not in ("align", "transcribe", "export"):
            faults.append("a video on a full disk")
        if done.code == 1 and name != "batch" and done.files:
            faults.append(f"left {sorted(done.files)}")
        if which == "cache" and done.code:
            faults.append(f"needs its cache: {done.said[-200:]}")
        faults += [f"left {path.name}" for path in small.rglob("*") if ".part" in path.name]
    shutil.rmtree(place, ignore_errors=True)
    return [f"{name}, {which}: {fault}" for fault in faults]


def failing_read(case: int, seed: int, inputs: Path, work: Path) -> list[str]:
    """Reads of the video fail from some byte on, in one reading of it: a whole output or none."""
    random = Random(f"read-{seed}-{case}")
    name, place = random.choice(("uniform", "accelerate", "align", "render")), work / "out"
    shutil.rmtree(place, ignore_errors=True)
    size = (inputs / "v.mkv").stat().st_size
    variables = {"FAIL_FROM": str(random.randrange(size)), "FAIL_OPENING": str(random.randrange(5))}
    done = Run.start(COMMANDS[name], inputs, place, before=FAILING, **variables).end()
    faults = done.faults([0, 1, 2])
    if done.code and done.files:
        faults.append(f"left {sorted(done.files)}")
    shutil.rmtree(place, ignore_errors=True)
    return [f"{name}, {variables}: {fault}" for fault in faults]


def changing_source(case: int, seed: int, inputs: Path, work: Path) -> list[str]:
    """The video is truncated, zeroed or replaced at some moment: the whole output, or exit code 1 and none."""
    random = Random(f"source-{seed}-{case}")
    place, source = work / "out", work / "changing.mkv"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copy(inputs / "long.mkv", source)
    arguments = [str(source) if part == "CHANGING" else part for part in SHORTEN]
    whole = work / "whole.txt"
    if not whole.exists():
        begun = time.monotonic()
        mark = Run.start(arguments, inputs, place).end().files["o.mp4"]
        whole.write_text(f"{mark} {time.monotonic() - begun}")
        shutil.rmtree(place)
    mark, seconds = whole.read_text().split()
    run = Run.start(arguments, inputs, place)
    time.sleep(random.random() * float(seconds))
    how = ("cut", "zeroed", "replaced", "gone")[case % 4]
    _change(source, how, random)
    done = run.end()
    faults = done.faults([0, 1, 2])
    if done.code and done.files:
        faults.append(f"left {sorted(done.files)}")
    if not done.code and done.files.get("o.mp4") != mark and how != "replaced":
        # Cut before it was first looked at, a video may be whole in itself; else nothing but the whole output will do.
        faults.append(f"another output: {done.said[-300:]}")
    shutil.rmtree(place, ignore_errors=True)
    return [f"{how}: {fault}" for fault in faults]


def _change(source: Path, how: str, random: Random) -> None:
    size = source.stat().st_size
    left = int(size * random.uniform(0.1, 0.9))
    if how == "gone":
        source.unlink()
    elif how == "replaced":
        other = source.with_name("other.mkv")
        shutil.copy(source, other)
        with other.open("r+b") as file:
            file.seek(left)
            file.write(random.randbytes(size - left))
        other.replace(source)
    else:
        os.truncate(source, left)
        if how == "zeroed":
            os.truncate(source, size)


def meeting(case: int, seed: int, inputs: Path, work: Path) -> list[str]:
    """Two runs into one output: one wins, the other says so. Every second time with a new cache in common."""
    random = Random(f"meet-{seed}-{case}")
    name, place = random.choice(("uniform", "align", "accelerate")), work / "out"
    shutil.rmtree(place, ignore_errors=True)
    mark = work / f"{name}.txt"
    if not mark.exists():
        done, _ = undisturbed(name, inputs, place)
        mark.write_text(str(sorted(done.files.items())))
        shutil.rmtree(place)
    variables = {"SAFFA_CACHE": str(work / f"cache-{case}")} if case % 2 else {}
    runs = [Run.start(COMMANDS[name], inputs, place, **variables)]
    time.sleep(random.random() * 0.3)
    runs.append(Run.start(COMMANDS[name], inputs, place, **variables))
    ended = [run.end() for run in runs]
    faults = [fault for one in ended for fault in one.faults([0, 2])]
    if sorted(one.code for one in ended) != [0, 2]:
        faults.append(f"exit codes {[one.code for one in ended]}: {[one.said for one in ended]}")
    if str(sorted(ended[1].files.items())) != mark.read_text() and not faults:
        faults.append(f"another output: {sorted(ended[1].files)}")
    shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(work / f"cache-{case}", ignore_errors=True)
    return [f"{name}: {fault}" for fault in faults]
