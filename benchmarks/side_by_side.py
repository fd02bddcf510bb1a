"""What shortening costs beside raw decoding, and beside what people would use instead, in one run.

    python -m benchmarks.side_by_side [--rounds N] [--moviepy PYTHON] [--rows "NAME;..."]

The input is that of `render_speed`: 720p H.264 with B-frames, stereo sound, subtitles beside it; 8x, preset veryfast.
Every row is a process, and the rows take turns. saffa plans, writes sound and subtitles, and keeps nothing for later.

- decode: PyAV decodes every picture and does nothing with it.
- ffmpeg, select: the ffmpeg program decodes, selects and encodes the very frames that `narrated` chose, no sound.
- ffmpeg, setpts: the ffmpeg program plays all eight times as fast (`-vf setpts`), no sound.
- MoviePy: the same with MoviePy 2 (`--moviepy` names a Python that has it), no sound.

The load tells how many processes wanted to run when a row began: above the number of cores seconds say nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.render_speed import CRF, PRESET, RATE, SPEED, Cost, ffmpeg_command, measured, saffa_command
from benchmarks.single_pass_speed import DECODE

DECODED, CHOSEN, SELECTED = "decode", "narrated", "ffmpeg, select"
WAYS = {
    CHOSEN: ("--encoder", "narrated"),
    "auto (eyes and narration)": ("--encoder", "auto"),
    "saffa, narrated": ("--encoder", "narrated", "--method", "saffa"),
    "saffa, visual": ("--encoder", "visual", "--method", "saffa"),
}
MOVIEPY = f"""
import sys
from moviepy import VideoFileClip
clip = VideoFileClip(sys.argv[1], audio=False).with_speed_scaled({SPEED})
quality = dict(fps={RATE}, codec="libx264", preset="{PRESET}", ffmpeg_params=["-crf", "{CRF}"])
clip.write_videofile(sys.argv[2], audio=False, logger=None, **quality)
"""


def names(moviepy: str | None, program: str | None) -> list[str]:
    """The rows that can be measured here; what a row needs comes before it."""
    others = [SELECTED, "ffmpeg, setpts"] if program else []
    return [DECODED, *WAYS, *others, *(["MoviePy"] if moviepy else [])]


def command(name: str, source: Path, moviepy: str | None, program: str | None) -> list[str]:
    """What is run for a row."""
    output = source.with_name(f"{name.split(',', maxsplit=1)[0]}-out.mp4")
    if name == DECODED:
        return [sys.executable, "-c", DECODE, str(source)]
    if name in WAYS:
        plain = saffa_command(source, source.with_name(f"{name}.mp4"))
        at = plain.index("--encoder")
        return [*plain[:at], *plain[at + 2 :], *WAYS[name], "--no-cache"]
    if name == "MoviePy" and moviepy:
        return [moviepy, "-c", MOVIEPY, str(source), str(output)]
    if not program:
        raise SystemExit(f"no row {name!r} here")
    if name == SELECTED:
        frames = json.loads(source.with_name(f"{CHOSEN}.json").read_text(encoding="utf-8"))["frames"]
        return ffmpeg_command(program, source, output, frames)
    encode = ["-c:v", "libx264", "-preset", PRESET, "-crf", str(CRF)]
    faster = ["-an", "-vf", f"setpts=PTS/{SPEED}", "-r", str(RATE)]
    return [program, "-v", "error", "-y", "-i", str(source), *faster, *encode, str(output)]


def ratios(costs: Sequence[Cost], others: Sequence[Cost]) -> list[str]:
    """Wall and processor time over those of another row, medians over the rounds."""
    if not others:
        return ["–", "–"]
    pairs = list(zip(costs, others, strict=True))
    wall = statistics.median(a.seconds / b.seconds for a, b in pairs)
    work = statistics.median(a.processor / b.processor for a, b in pairs)
    return [f"{wall:.2f}", f"{work:.2f}"]


def row(name: str, costs: dict[str, list[Cost]], load: float) -> str:
    own = costs[name]
    cells = [name, *(f"{statistics.median(getattr(c, part) for c in own):.1f}" for part in ("seconds", "processor"))]
    cells += [f"{max(c.megabytes for c in own):.0f}"]
    cells += [*ratios(own, costs[DECODED]), *ratios(own, costs.get(SELECTED, [])), f"{load:.1f}"]
    return "| " + " | ".join(cells) + " |"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured, in turns")
    parser.add_argument("--moviepy", help="a Python that has MoviePy 2")
    parser.add_argument("--rows", help="only these rows, with semicolons between them; decode and narrated always")
    chosen = parser.parse_args(arguments)
    program = shutil.which("ffmpeg")
    rows = names(chosen.moviepy, program)
    if chosen.rows:
        asked = {DECODED, CHOSEN, *chosen.rows.split(";")}
        rows = [name for name in rows if name in asked]
    costs: dict[str, list[Cost]] = {name: [] for name in rows}
    loads: dict[str, list[float]] = {name: [] for name in rows}
    with tempfile.TemporaryDirectory() as name:
        # In a process of its own: a child's peak memory counts from that of its parent.
        subprocess.run([sys.executable, "-m", "benchmarks.render_speed", "--make", name, "5"], check=True)
        for _ in range(chosen.rounds):
            for which in rows:
                loads[which].append(os.getloadavg()[0])
                costs[which].append(measured(command(which, Path(name) / "5.mp4", chosen.moviepy, program)))
    print(f"5 min of 720p at {SPEED}x, {os.cpu_count()} cores, medians of {chosen.rounds} rounds\n")
    print(
        "| | s | CPU s | peak MB | wall / decode | CPU / decode | wall / ffmpeg select | CPU / ffmpeg select | load |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for which in rows:
        print(row(which, costs, statistics.median(loads[which])))


if __name__ == "__main__":
    main(sys.argv[1:])
