"""How many times a reader who follows `saffa accelerate` goes from one file to another: calls, seen as they are made.

    python examples/count_hops.py

Shortens the sample with subtitles at hand, in all its processes. A hop is a pair of files of saffa of which the first
calls the second, directly or through a library; each pair counts once.
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
import os, sys, threading
root, out, met = os.environ["HOPS_ROOT"], f"{os.environ['HOPS_OUT']}/{os.getpid()}", set()

def note(frame, event, _):
    called = frame.f_code
    if event != "call" or not called.co_filename.startswith(root) or called.co_name == "<module>":
        return
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(root):
        caller = caller.f_back
    if caller is None or caller.f_code.co_name == "<module>":
        return
    pair = caller.f_code.co_filename[len(root):], called.co_filename[len(root):]
    if pair[0] != pair[1] and pair not in met:
        met.add(pair)
        with open(out, "a") as file:
            file.write(" ".join(pair) + chr(10))

sys.setprofile(note)
threading.setprofile(note)
"""


def main() -> None:
    """Run it and print the hops by room of the file that is entered."""
    with tempfile.TemporaryDirectory() as folder:
        watched = Path(folder) / "watched"
        watched.mkdir()
        (Path(folder) / "sitecustomize.py").write_text(WATCH, "utf-8")
        environment = os.environ | {"PYTHONPATH": folder, "HOPS_ROOT": ROOT, "HOPS_OUT": str(watched)}
        video, text = (f"{ROOT}sample/{name}" for name in ("video.mp4", "recipe.txt"))
        asked = [video, "--text", text, "--encoder", "narrated", "--no-cache", "-o", f"{folder}/short.mp4"]
        command = [sys.executable, "-m", "saffa", "accelerate", *asked]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        pairs = {tuple(line.split()) for file in watched.iterdir() for line in file.read_text("utf-8").splitlines()}
    rooms = Counter(entered.partition("/")[0] for _, entered in pairs)
    print(f"{len(pairs)} hops between {len({file for pair in pairs for file in pair})} files")
    print(", ".join(f"{room} {count}" for room, count in rooms.most_common()))


if __name__ == "__main__":
    main()
