"""Many short videos: one worker, two, a Ray cluster of two, and what the machine can do, side by side in one run.

    python -m benchmarks.batch_speed [--videos N] [--rounds N] [--ray]

Every row shortens the same one-minute videos (480 × 270, with subtitles, at 8x, narrated encoder). One worker has one
processor; all others have two. `speed-up` is that over one worker in the same round, `of linear` the half of it.
Two processors may share a cache, memory and more, so that two never do twice as much: `two lists` are two independent
commands with one worker and half of the videos each, the most that this machine gives. `of two lists` sets their wall
time against the row's. `two shells` are two loops of `saffa accelerate`, a new process for each video.
Where the machine does other things too, only ratios of rows that run at the same width mean anything.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np

from benchmarks.render_speed import STEPS, Cost, measured, narrate

WIDTH, HEIGHT, RATE, SECONDS = 480, 270, 25, 60
PINNED = "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); os.execv(sys.argv[1], sys.argv[1:])"


def make_video(path: Path) -> None:
    """A slow pan over a soft texture."""
    random = np.random.default_rng(0)
    coarse = av.VideoFrame.from_ndarray(random.integers(0, 255, (34, 60, 3), np.uint8))
    scene = coarse.reformat(2 * WIDTH, 2 * HEIGHT, interpolation="BICUBIC").to_ndarray()
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast"})
        picture.width, picture.height = WIDTH, HEIGHT
        for i in range(SECONDS * RATE):
            x, y = round((1 + np.sin(i / 90)) * WIDTH / 2), round((1 + np.cos(i / 70)) * HEIGHT / 2)
            frame = np.ascontiguousarray(scene[y : y + HEIGHT, x : x + WIDTH], np.uint8)
            container.mux(picture.encode(av.VideoFrame.from_ndarray(frame)))
        container.mux(picture.encode(None))


def make_inputs(folder: Path, videos: int) -> None:
    (folder / "videos").mkdir()
    make_video(folder / "videos" / "0.mp4")
    narrate(folder / "videos" / "0.srt", 1)
    for number in range(1, videos):
        for suffix in ("mp4", "srt"):
            shutil.copyfile(folder / "videos" / f"0.{suffix}", folder / "videos" / f"{number}.{suffix}")
    for number in range(videos):  # the same files as two lists
        half = folder / f"half-{number % 2}"
        half.mkdir(exist_ok=True)
        for suffix in ("mp4", "srt"):
            (half / f"{number}.{suffix}").symlink_to(folder / "videos" / f"{number}.{suffix}")
    (folder / "text.txt").write_text("\n".join(STEPS), encoding="utf-8")


def commands(folder: Path, videos: int, ray: bool) -> dict[str, list[str]]:
    how = ["--text", str(folder / "text.txt"), "--speed", "8", "--encoder", "narrated", "--json", "-o"]
    batch = [sys.executable, "-m", "saffa", "batch", str(folder / "videos"), *how, str(folder / "out")]
    one = [sys.executable, "-m", "saffa", "accelerate"]
    loops = []
    for shell in range(2):
        names = range(shell, videos, 2)
        asked = [[*one, f"{folder}/videos/{n}.mp4", *how, f"{folder}/out/{n}-short.mp4"] for n in names]
        loops.append("( " + " && ".join(shlex.join(command) for command in asked) + " ) >/dev/null &")
    halves = [
        [*batch[:4], str(folder / f"half-{half}"), *how, str(folder / "out" / str(half)), "--jobs", "1"]
        for half in range(2)
    ]
    found = {
        "one worker": [sys.executable, "-c", PINNED, *batch, "--jobs", "1"],
        "two lists": ["sh", "-c", " ".join(f"{shlex.join(half)} >/dev/null &" for half in halves) + " wait"],
        "two shells": ["sh", "-c", f"mkdir {shlex.quote(str(folder / 'out'))}; {' '.join(loops)} wait"],
        "two workers": [*batch, "--jobs", "2"],
    }
    return found | ({"two workers, --ray local": [*batch, "--jobs", "2", "--ray", "local"]} if ray else {})


def row(name: str, costs: dict[str, list[Cost]], videos: int) -> str:
    def median(other: str) -> float:
        return statistics.median(a.seconds / b.seconds for a, b in zip(costs[other], costs[name], strict=True))

    own = costs[name]
    work = f"{statistics.median(cost.processor for cost in own) / videos:.2f}" if "ray" not in name else "–"
    gain = median("one worker")
    linear = "–" if name == "one worker" else f"{gain / 2:.0%}"
    wall = statistics.median(cost.seconds for cost in own)
    return f"| {name} | {wall:.1f} | {wall / videos:.2f} | {work} | {gain:.2f} | {linear} | {median('two lists'):.2f} |"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--videos", type=int, default=24, help="how many videos")
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured, in turns")
    parser.add_argument("--ray", action="store_true", help="also a local Ray cluster, its start included")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder, chosen.videos)
        rows = commands(folder, chosen.videos, chosen.ray)
        costs: dict[str, list[Cost]] = {which: [] for which in rows}
        for _ in range(chosen.rounds):
            for which, command in rows.items():
                shutil.rmtree(folder / "out", ignore_errors=True)
                costs[which].append(measured(command))
                made = len(list((folder / "out").rglob("*.mp4")))
                if made != chosen.videos:
                    raise SystemExit(f"{which} made {made} of {chosen.videos} videos")
    print(f"{chosen.videos} videos of a minute, {os.cpu_count()} cores, medians of {chosen.rounds} rounds\n")
    print("| | s | s a video | CPU s a video | speed-up | of linear | of two lists |")
    print("|---|---|---|---|---|---|---|")
    for which in rows:
        print(row(which, costs, chosen.videos))


if __name__ == "__main__":
    main(sys.argv[1:])
