"""What shortening costs beside raw decoding, and beside what people would use instead, in one run.

    python -m benchmarks.side_by_side [--rounds N] [--moviepy PYTHON] [--ffmpeg PROGRAM] [--rows "NAME;..."]

The input is that of `render_speed`: 720p H.264 with B-frames, stereo sound, subtitles beside it; 8x, preset veryfast.
Every row is a process, and the rows take turns. saffa plans, writes sound and subtitles, and keeps nothing for later.

- decode: PyAV decodes every picture and does nothing with it.
- floor: only what cannot be left out. The pictures that the frames of `narrated` need are decoded, x264 encodes these
  frames as saffa has it do; no sound, no plan, nothing is looked for. `floor, B-frames`: the same with the preset as
  x264 has it, which is what ffmpeg and MoviePy write.
- ffmpeg, select: the ffmpeg program decodes, selects and encodes the very frames that `narrated` chose, no sound.
- ffmpeg, setpts: the ffmpeg program plays all eight times as fast (`-vf setpts`), no sound.
- MoviePy: the same with MoviePy 2 (`--moviepy` names a Python that has it), no sound.

The load tells how many processes wanted to run when a row began: above the number of cores seconds say nothing.
Then the peak memory of 4K and of listening, once each.
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
from saffa.sample import RECIPE, VIDEO

DECODED, CHOSEN, SELECTED = "decode", "narrated", "ffmpeg, select"
OTHERS = ("decode", "ffmpeg select")
WAYS = {
    CHOSEN: ("--encoder", "narrated"),
    "auto (eyes and narration)": ("--encoder", "auto"),
    "saffa, narrated": ("--encoder", "narrated", "--method", "saffa"),
    "saffa, visual": ("--encoder", "visual", "--method", "saffa"),
}
FLOORS = {"floor": (), "floor, B-frames": ("bf", "3")}
KNOW = """
import json, pickle, sys
from pathlib import Path
from saffa.media.probe import probe
video, timeline, known = map(Path, sys.argv[1:])
known.write_bytes(pickle.dumps((probe(video), json.loads(timeline.read_text("utf-8"))["frames"])))
"""
FLOOR = f"""
import pickle, sys
from fractions import Fraction
import av
from saffa.media.writer import encoder_options
from saffa.media.frame_stream import read_frames
with open(sys.argv[1], "rb") as file:
    video, frames = pickle.load(file)
options = encoder_options("h264", {CRF}, "{PRESET}") | dict([sys.argv[3:]] if sys.argv[3:] else [])
with av.open(sys.argv[2], "w") as container:
    stream = container.add_stream("libx264", rate={RATE}, options=options)
    stream.width, stream.height, stream.thread_type = video.width, video.height, "AUTO"
    for slot, (_, frame) in enumerate(read_frames(video, frames)):
        frame.pts, frame.time_base, frame.pict_type = slot, Fraction(1, {RATE}), 0
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
"""
MAKE_HUGE = f"""
import sys
import av, numpy as np
with av.open(sys.argv[1], "w") as container:
    stream = container.add_stream("libx264", rate={RATE}, options=dict(preset="veryfast", bf="3"))
    stream.width, stream.height = 3840, 2160
    scene = np.random.default_rng(0).integers(0, 255, (1200, 2000, 3), np.uint8)
    for i in range(150):
        frame = np.ascontiguousarray(scene[i : i + 1080, 2 * i : 2 * i + 1920])
        container.mux(stream.encode(av.VideoFrame.from_ndarray(frame).reformat(3840, 2160, "yuv420p")))
    container.mux(stream.encode(None))
"""
WANTED = {"4K, narrated": 500, "4K, auto": 500, "listening": 400}
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
    return [DECODED, *WAYS, *FLOORS, *others, *(["MoviePy"] if moviepy else [])]


def command(name: str, source: Path, moviepy: str | None, program: str | None) -> list[str]:
    """What is run for a row."""
    output = written(source, name)
    if name == DECODED:
        return [sys.executable, "-c", DECODE, str(source)]
    if name in WAYS:
        plain = saffa_command(source, output)
        at = plain.index("--encoder")
        return [*plain[:at], *plain[at + 2 :], *WAYS[name], "--no-cache"]
    if name == "MoviePy" and moviepy:
        return [moviepy, "-c", MOVIEPY, str(source), str(output)]
    timeline = written(source, CHOSEN).with_suffix(".json")
    frames = json.loads(timeline.read_text(encoding="utf-8"))["frames"]
    if name in FLOORS:
        known = source.with_suffix(".pickle")
        subprocess.run([sys.executable, "-c", KNOW, str(source), str(timeline), str(known)], check=True)
        return [sys.executable, "-c", FLOOR, str(known), str(output), *FLOORS[name]]
    if not program:
        raise SystemExit(f"no row {name!r} here")
    if name == SELECTED:
        return ffmpeg_command(program, source, output, frames)
    encode = ["-c:v", "libx264", "-preset", PRESET, "-crf", str(CRF)]
    faster = ["-an", "-vf", f"setpts=PTS/{SPEED}", "-r", str(RATE)]
    return [program, "-v", "error", "-y", "-i", str(source), *faster, *encode, str(output)]


def written(source: Path, name: str) -> Path:
    """What a row writes."""
    return source.with_name(f"{name}-out.mp4")


def ratios(costs: Sequence[Cost], others: Sequence[Cost]) -> list[str]:
    """Wall and processor time over those of another row, medians over the rounds."""
    if not others:
        return ["–", "–"]
    pairs = list(zip(costs, others, strict=True))
    wall = statistics.median(a.seconds / b.seconds for a, b in pairs)
    work = statistics.median(a.processor / b.processor for a, b in pairs)
    return [f"{wall:.2f}", f"{work:.2f}"]


def row(name: str, costs: dict[str, list[Cost]], load: float, output: Path) -> str:
    own = costs[name]
    cells = [name, *(f"{statistics.median(getattr(c, part) for c in own):.1f}" for part in ("seconds", "processor"))]
    cells += [f"{max(c.megabytes for c in own):.0f}"]
    cells += [*ratios(own, costs[DECODED]), *ratios(own, costs.get(SELECTED, [])), f"{load:.1f}"]
    cells += [f"{output.stat().st_size / 1e6:.1f}" if output.exists() else "–"]
    return "| " + " | ".join(cells) + " |"


def large_command(name: str, source: Path) -> list[str]:
    """A short 4K video, or the sample heard instead of read."""
    if name == "listening":
        movie, text, how = VIDEO, RECIPE, ["--encoder", "narrated", "--listen", "on", "--read-screen", "off"]
    else:
        movie, text = source.with_name("huge.mp4"), source.with_name("text.txt")
        how = ["--encoder", name.split(", ")[1], "--subtitles", str(source.with_suffix(".srt"))]
        if not movie.exists():
            subprocess.run([sys.executable, "-c", MAKE_HUGE, str(movie)], check=True)
    asked = [sys.executable, "-m", "saffa", "accelerate", str(movie), "--text", str(text), "--no-cache", *how]
    return [*asked, "--speed", str(SPEED), "-o", str(written(source, name)), "--overwrite", "--json"]


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured, in turns")
    parser.add_argument("--moviepy", help="a Python that has MoviePy 2")
    parser.add_argument("--ffmpeg", help="an ffmpeg program, if none is on the path")
    parser.add_argument("--rows", help="only these rows, with semicolons between them; decode and narrated always")
    chosen = parser.parse_args(arguments)
    program = chosen.ffmpeg or shutil.which("ffmpeg")
    rows = names(chosen.moviepy, program)
    if chosen.rows:
        asked = {DECODED, CHOSEN, *chosen.rows.split(";")}
        rows = [name for name in rows if name in asked]
    costs: dict[str, list[Cost]] = {name: [] for name in rows}
    loads: dict[str, list[float]] = {name: [] for name in rows}
    with tempfile.TemporaryDirectory() as name:
        # In a process of its own: a child's peak memory counts from that of its parent.
        subprocess.run([sys.executable, "-m", "benchmarks.render_speed", "--make", name, "5"], check=True)
        source = Path(name) / "5.mp4"
        for _ in range(chosen.rounds):
            for which in rows:
                loads[which].append(os.getloadavg()[0])
                costs[which].append(measured(command(which, source, chosen.moviepy, program)))
        heading = ("", "s", "CPU s", "peak MB", *(f"{kind} / {other}" for other in OTHERS for kind in ("wall", "CPU")))
        print(f"5 min of 720p at {SPEED}x, {os.cpu_count()} cores, medians of {chosen.rounds} rounds\n")
        print(f"| {' | '.join((*heading, 'load', 'MB written'))} |\n|{'---|' * (len(heading) + 2)}")
        for which in rows:
            print(row(which, costs, statistics.median(loads[which]), written(source, which)), flush=True)
        if not chosen.rows:
            print("\n| | peak MB | wanted |\n|---|---|---|")
            for which, most in WANTED.items():
                print(f"| {which} | {measured(large_command(which, source)).megabytes:.0f} | {most} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
