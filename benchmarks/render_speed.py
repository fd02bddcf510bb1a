"""`saffa accelerate` at 8x against the ffmpeg program: wall time and peak memory, side by side in one run.

    python -m benchmarks.render_speed [--long] [--rounds N]

The input is made here: 720p H.264 with B-frames, moving and noisy like a camera's picture, and stereo sound.
saffa runs as people run it: it starts Python, compares narration and text, plans, and renders with sound.
`--encoder narrated`: looking at the pictures too (`fused`) is measured by `visual_speed`. ffmpeg
decodes, selects and encodes the same frames at the same preset without sound. `--long` adds a 60-minute file, for
saffa's memory. Without the ffmpeg program its columns are left out.
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
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

SPEED = 8
RATE = 30
CLIP = 20  # seconds that are encoded once and then repeated
SIZE = (1280, 720)
PRESET, CRF = "veryfast", 23
STEPS = ("chop the onions", "fry them in olive oil", "add the tomatoes", "boil the pasta", "grate the cheese")


@dataclass(frozen=True)
class Cost:
    seconds: float
    processor: float
    megabytes: float


def make_clip(path: Path) -> None:
    """A slow pan over a soft texture with grain, and a warbling tone."""
    random = np.random.default_rng(0)
    width, height = SIZE
    coarse = av.VideoFrame.from_ndarray(random.integers(0, 255, (90, 160, 3), np.uint8))
    scene = coarse.reformat(2 * width, 2 * height, interpolation="BICUBIC").to_ndarray()
    grain = random.integers(0, 12, (height + 64, width + 64, 1), np.uint8)
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=RATE, options={"preset": "fast", "crf": "21"})
        picture.width, picture.height = SIZE
        sound = container.add_stream("aac", rate=48000)
        for i in range(CLIP * RATE):
            x = round((1 + np.sin(i / 90)) * width / 2)
            y = round((1 + np.cos(i / 70)) * height / 2)
            dx, dy = random.integers(0, 64, 2)
            frame = scene[y : y + height, x : x + width] // 2 + grain[dy : dy + height, dx : dx + width]
            container.mux(picture.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame))))
        container.mux(picture.encode(None))
        t = np.arange(CLIP * 48000) / 48000
        tone = (0.3 * np.sin(2 * np.pi * (200 * t + 30 * np.sin(t)))).astype(np.float32)
        samples = av.AudioFrame.from_ndarray(np.stack([tone, tone]), format="fltp", layout="stereo")
        samples.sample_rate = 48000
        container.mux(sound.encode(samples))
        container.mux(sound.encode(None))


def repeat_clip(clip: Path, path: Path, minutes: int, seconds: int = CLIP) -> None:
    """Copy the packets of a clip of so many seconds again and again."""
    faststart = {"movflags": "+faststart"} if path.suffix == ".mp4" else {}
    with av.open(str(path), "w", container_options=faststart) as output:
        streams: dict[int, av.stream.Stream] = {}
        latest: dict[int, int] = {}
        for turn in range(minutes * 60 // seconds):
            with av.open(str(clip)) as source:
                for stream in source.streams:
                    if turn == 0:
                        streams[stream.index] = output.add_stream_from_template(stream, opaque=True)
                for packet in source.demux():
                    if packet.dts is None or packet.pts is None:
                        continue
                    shift = round(Fraction(turn * seconds) / packet.time_base)
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    if packet.dts <= latest.get(packet.stream_index, -(2**62)):
                        continue  # the sound's last packet reaches into the next turn
                    latest[packet.stream_index] = packet.dts
                    packet.stream = streams[packet.stream_index]
                    output.mux(packet)


def make_inputs(folder: Path, longest: int) -> None:
    make_clip(folder / "clip.mp4")
    for minutes in (5, 60):
        if minutes <= longest:
            repeat_clip(folder / "clip.mp4", folder / f"{minutes}.mp4", minutes)
            narrate(folder / f"{minutes}.srt", minutes)
    (folder / "text.txt").write_text("\n".join(STEPS), encoding="utf-8")


def narrate(path: Path, minutes: int) -> None:
    """A line every 6 seconds: talk, and the steps of the text one after the other."""
    lines = 10 * minutes
    cues = []
    for i in range(lines):
        step = STEPS[i * len(STEPS) // lines] if i % 4 < 2 else "and by the way it was a lovely day at the lake"
        start, end = (f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02},000" for s in (6 * i, 6 * i + 5))
        cues.append(f"{i + 1}\n{start} --> {end}\nso now we {step}\n")
    path.write_text("\n".join(cues), encoding="utf-8")


def measured(command: Sequence[str]) -> Cost:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed with exit code {process.returncode}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def saffa_command(source: Path, output: Path) -> list[str]:
    text, timeline = source.with_name("text.txt"), output.with_suffix(".json")
    quality = ["--preset", PRESET, "--crf", str(CRF), "--overwrite", "--json"]
    command = [sys.executable, "-m", "saffa", "accelerate", str(source), "--text", str(text), "--speed", str(SPEED)]
    return [*command, "--encoder", "narrated", "-o", str(output), "--timeline", str(timeline), *quality]


def ffmpeg_command(program: str, source: Path, output: Path, frames: Sequence[int]) -> list[str]:
    encode = ["-r", str(RATE), "-c:v", "libx264", "-preset", PRESET, "-crf", str(CRF)]
    chosen = ["-vf", f"select='{search(frames)}',setpts=N/({RATE}*TB)"]
    return [program, "-v", "error", "-y", "-i", str(source), "-an", *chosen, *encode, str(output)]


def search(frames: Sequence[int]) -> str:
    """An expression that is true at these frames: a binary search, since ffmpeg fails on long sums."""
    if len(frames) == 1:
        return f"eq(n,{frames[0]})"
    middle = len(frames) // 2
    return f"if(lt(n,{frames[middle]}),{search(frames[:middle])},{search(frames[middle:])})"


def same_frames(first: Path, second: Path) -> bool:
    """Both outputs must hold as many pictures, or the comparison means nothing."""
    counts = []
    for path in (first, second):
        with av.open(str(path)) as container:
            counts.append(sum(1 for packet in container.demux(video=0) if packet.size))
    return counts[0] == counts[1]


def compare(source: Path, folder: Path, minutes: int, rounds: int, program: str | None) -> str:
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(measured(saffa_command(source, folder / "saffa.mp4")))
        if program:
            frames = json.loads((folder / "saffa.json").read_text(encoding="utf-8"))["frames"]
            theirs.append(measured(ffmpeg_command(program, source, folder / "ffmpeg.mp4", frames)))
            if not same_frames(folder / "saffa.mp4", folder / "ffmpeg.mp4"):
                raise SystemExit("saffa and ffmpeg wrote different numbers of frames")
    cells = [f"{minutes} min", *_cells(ours)]
    if theirs:
        ratio = Fraction(statistics.median(a.seconds / b.seconds for a, b in zip(ours, theirs, strict=True)))
        cells += [*_cells(theirs), f"{float(ratio):.2f}"]
    else:
        cells += ["–"] * 4
    return "| " + " | ".join(cells) + " |"


def _cells(costs: Sequence[Cost]) -> list[str]:
    return [
        f"{statistics.median(c.seconds for c in costs):.1f}",
        f"{statistics.median(c.processor for c in costs):.1f}",
        f"{max(c.megabytes for c in costs):.0f}",
    ]


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--long", action="store_true", help="also a 60-minute file (saffa only)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program runs")
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.make:
        make_inputs(Path(chosen.make[0]), int(chosen.make[1]))
        return
    program = shutil.which("ffmpeg")
    if not program:
        print("No ffmpeg program on this machine: its columns are empty.\n")
    print(f"720p H.264 at {SPEED}x, preset {PRESET}, {os.cpu_count()} cores; medians of {chosen.rounds} rounds\n")
    print("| input | saffa s | CPU s | peak MB | ffmpeg s | CPU s | peak MB | wall ratio |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a process of its own: a child's peak memory counts from that of its parent.
        make = [sys.executable, "-m", "benchmarks.render_speed", "--make", name, "60" if chosen.long else "5"]
        subprocess.run(make, check=True)
        print(compare(folder / "5.mp4", folder, 5, chosen.rounds, program), flush=True)
        if chosen.long:
            print(compare(folder / "60.mp4", folder, 60, 1, None), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
