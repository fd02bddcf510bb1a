"""A single pass against two, and against raw decoding: wall time, CPU time and peak memory, side by side in one run.

    python -m benchmarks.single_pass_speed [--minutes N] [--rounds N] [--visual]

The input is that of `render_speed`: 720p H.264 with B-frames and stereo sound, at 8x. Every row is a process.

- decode: PyAV decodes every picture and does nothing with it.
- plan: two passes; the planner with the narrated encoder.
- saffa: the online agent with the same encoder, in a single pass over the file, and through a pipe (`cat FILE |`).
- `--visual` adds both with the visual encoder, for which two passes decode the video twice.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.render_speed import SPEED, Cost, make_clip, measured, narrate, repeat_clip
from benchmarks.render_speed import STEPS as TEXT

DECODE = """
import sys, av
with av.open(sys.argv[1]) as container:
    stream = container.streams.video[0]
    stream.codec_context.thread_type = "AUTO"
    stream.codec_context.thread_count = min((__import__("os").cpu_count() or 1) + 1, 8)
    for _ in container.decode(stream):
        pass
"""


def commands(folder: Path, visual: bool) -> dict[str, list[str]]:
    source, spoken = folder / "film.mp4", folder / "talk.srt"
    output = ["--text", str(folder / "text.txt"), "--speed", str(SPEED), "-o", str(folder / "out.mp4"), "--overwrite"]
    saffa = [sys.executable, "-m", "saffa", "accelerate"]
    told = ["--encoder", "narrated", "--subtitles", str(spoken), "--json", *output]
    seen = ["--encoder", "visual", "--json", "--no-cache", *output]
    pipe = shlex.join([*saffa, "-", "--method", "saffa", *told])
    found = {
        "decode every picture": [sys.executable, "-c", DECODE, str(source)],
        "plan, two passes": [*saffa, str(source), "--method", "plan", *told],
        "saffa, single pass": [*saffa, str(source), "--method", "saffa", *told],
        "saffa, single pass, pipe": ["sh", "-c", f"cat {shlex.quote(str(source))} | {pipe}"],
    }
    if visual:
        found["plan, two passes, visual"] = [*saffa, str(source), "--method", "plan", *seen]
        found["saffa, single pass, visual"] = [*saffa, str(source), "--method", "saffa", *seen]
    return found


def make_inputs(folder: Path, minutes: int) -> None:
    make_clip(folder / "clip.mp4")
    repeat_clip(folder / "clip.mp4", folder / "film.mp4", minutes)
    narrate(folder / "talk.srt", minutes)
    (folder / "text.txt").write_text("\n".join(TEXT), encoding="utf-8")


def row(name: str, costs: Sequence[Cost], raw: Sequence[Cost]) -> str:
    wall = statistics.median(a.seconds / b.seconds for a, b in zip(costs, raw, strict=True))
    work = statistics.median(a.processor / b.processor for a, b in zip(costs, raw, strict=True))
    cells = [
        name,
        f"{statistics.median(c.seconds for c in costs):.1f}",
        f"{statistics.median(c.processor for c in costs):.1f}",
        f"{max(c.megabytes for c in costs):.0f}",
        f"{wall:.2f}",
        f"{work:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=int, default=5, help="length of the video")
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured, in turns")
    parser.add_argument("--visual", action="store_true", help="also the visual encoder")
    parser.add_argument("--make", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.make:
        make_inputs(Path(chosen.make), chosen.minutes)
        return
    with tempfile.TemporaryDirectory() as name:
        # In a process of its own: a child's peak memory counts from that of its parent.
        make = [sys.executable, "-m", "benchmarks.single_pass_speed", "--make", name, "--minutes", str(chosen.minutes)]
        subprocess.run(make, check=True)
        rows = commands(Path(name), chosen.visual)
        costs: dict[str, list[Cost]] = {row: [] for row in rows}
        for _ in range(chosen.rounds):
            for which, command in rows.items():
                costs[which].append(measured(command))
    raw = next(iter(costs.values()))
    print(f"{chosen.minutes} min of 720p at {SPEED}x, {os.cpu_count()} cores, medians of {chosen.rounds} rounds\n")
    print("| | s | CPU s | peak MB | wall / decode | CPU / decode |")
    print("|---|---|---|---|---|---|")
    for which, found in costs.items():
        print(row(which, found, raw))


if __name__ == "__main__":
    main(sys.argv[1:])
