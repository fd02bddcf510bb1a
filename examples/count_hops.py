"""How many times a reader who follows `saffa accelerate` goes from one file to another: calls, seen as they are made.

    python examples/count_hops.py [--list]

Shortens the sample with subtitles at hand, in all its processes. A hop is a pair of files of saffa of which the first
calls the second, directly or through a library; each pair counts once. What runs while a module is imported, and what
the garbage collector calls, is no hop. `--list` names them in the order in which each
process makes them, with the function that is called first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import saffa

ROOT = f"{Path(saffa.__file__).parent}/"
WATCH = """
import gc, inspect, os, sys, threading
root, out, met, tidying = os.environ["HOPS_ROOT"], f"{os.environ['HOPS_OUT']}/{os.getpid()}", set(), set()

def note(frame, event, _):
    called = frame.f_code
    if event != "call" or tidying or not called.co_filename.startswith(root) or called.co_name == "<module>":
        return
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(root):
        if caller.f_code.co_filename.startswith("<frozen importlib"):
            return
        caller = caller.f_back
    if caller is None or not caller.f_code.co_flags & inspect.CO_OPTIMIZED:  # a module or a class being made
        return
    pair = caller.f_code.co_filename[len(root):], called.co_filename[len(root):]
    if pair[0] != pair[1] and pair not in met:
        met.add(pair)
        with open(out, "a") as file:
            file.write(" ".join((*pair, called.co_qualname)) + chr(10))

gc.callbacks.append(lambda phase, _: tidying.add(0) if phase == "start" else tidying.clear())
sys.setprofile(note)
threading.setprofile(note)
"""


def main() -> None:
    """Run it and print the hops by room of the file that is entered."""
    with tempfile.TemporaryDirectory() as folder:
        watched = Path(folder) / "watched"
        watched.mkdir()
        (Path(folder) / "sitecustomize.py").write_text(WATCH, "utf-8")
        places = {"PYTHONPATH": f"{folder}{os.pathsep}{Path(ROOT).parent}", "HOPS_ROOT": ROOT, "HOPS_OUT": str(watched)}
        video, text = (f"{ROOT}sample/{name}" for name in ("video.mp4", "recipe.txt"))
        asked = [video, "--text", text, "--encoder", "narrated", "--no-cache", "-o", f"{folder}/short.mp4"]
        command = [sys.executable, "-m", "saffa", "accelerate", *asked]
        subprocess.run(command, env=os.environ | places, check=True, capture_output=True)
        lines = [line for file in sorted(watched.iterdir()) for line in file.read_text("utf-8").splitlines()]
    calls: dict[tuple[str, str], str] = {}
    for line in lines:
        caller, entered, name = line.split(" ", 2)
        calls.setdefault((caller, entered), name)
    pairs = calls.keys()
    if "--list" in sys.argv[1:]:
        print("".join(f"{caller} -> {entered}: {name}\n" for (caller, entered), name in calls.items()))
    rooms = Counter(entered.partition("/")[0] for _, entered in pairs)
    print(f"{len(pairs)} hops between {len({file for pair in pairs for file in pair})} files")
    print(", ".join(f"{room} {count}" for room, count in rooms.most_common()))


if __name__ == "__main__":
    main()
