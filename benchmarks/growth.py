"""How time and memory grow with the length of a video, with its text and with its subtitles.

    python -m benchmarks.growth [--minutes 10,60,180,360] [--rows narrated,auto,saffa,listening] [--texts]

Videos are small (96 × 72, 10 pictures a second, with sound), so that what grows is saffa and not the decoder. Every row
is a process; time is that of its processors, which other work on the machine hardly touches. The exponent is the slope
of log time over log length, without what a run of no length costs (that of the shortest is taken for it when there is
only one): 1 is linear. `--texts` adds 10,000 sentences with 30,000 subtitle lines.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from math import log
from pathlib import Path

import av
import numpy as np

from benchmarks.render_speed import STEPS, Cost, measured, narrate, repeat_clip

SIZE, RATE, CLIP, SOUND = (96, 72), 10, 60, 16000
ROWS = {
    "narrated": ["--encoder", "narrated", "--listen", "off"],
    "auto": ["--listen", "off"],
    "saffa": ["--encoder", "narrated", "--method", "saffa", "--listen", "off"],
    "listening": ["--encoder", "narrated", "--listen", "on"],
}


def make_clip(path: Path) -> None:
    """A minute of a moving gradient, with bursts of noise for sound."""
    random = np.random.default_rng(0)
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=RATE, options={"preset": "ultrafast", "g": "100"})
        picture.width, picture.height = SIZE
        sound = container.add_stream("aac", rate=SOUND, layout="mono")
        ramp = np.add.outer(np.arange(SIZE[1]), np.arange(SIZE[0]))
        for i in range(CLIP * RATE):
            frame = np.repeat(((ramp + i) % 256).astype(np.uint8)[:, :, None], 3, 2)
            container.mux(picture.encode(av.VideoFrame.from_ndarray(frame)))
        container.mux(picture.encode(None))
        loud = np.repeat(random.random(CLIP * 4) < 0.5, SOUND // 4)
        noise = (0.1 * loud * random.standard_normal(CLIP * SOUND)).astype(np.float32)
        samples = av.AudioFrame.from_ndarray(noise[None], format="fltp", layout="mono")
        samples.sample_rate = SOUND
        container.mux(sound.encode(samples))
        container.mux(sound.encode(None))


def measured_run(folder: Path, minutes: int, row: str) -> Cost:
    talk = [] if row == "listening" else ["--subtitles", str(folder / f"{minutes}-talk.srt")]
    asked = [sys.executable, "-m", "saffa", "accelerate", str(folder / f"{minutes}.mkv"), "--speed", "8", "--no-cache"]
    asked += ["--text", str(folder / "text.txt"), "-o", str(folder / "out.mp4"), "--overwrite", "--json"]
    return measured([*asked, *talk, *ROWS[row]])


def exponent(minutes: Sequence[int], seconds: Sequence[float]) -> float:
    """Slope of log time over log length between the longest and the shortest of at least a tenth of it."""
    pairs = sorted(zip(minutes, seconds, strict=True))
    longest = pairs[-1]
    other = next(pair for pair in pairs if 10 * pair[0] >= longest[0])
    return log(longest[1] / other[1]) / log(longest[0] / other[0]) if longest != other else float("nan")


def long_texts(folder: Path) -> Cost:
    """10,000 sentences and 30,000 subtitle lines over six hours, planned without writing."""
    words = "boil chop fry stir serve peel slice bake mix pour water onion butter garlic pan oven salt bowl rice"
    random = np.random.default_rng(0)
    lines = [" ".join(random.choice(words.split(), 6)) for _ in range(10_000)]
    (folder / "long.txt").write_text(".\n".join(line.capitalize() for line in lines) + ".\n", "utf-8")
    cues = []
    for i in range(30_000):
        start, end = (f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02},{ms:03}" for s, ms in _times(i))
        cues.append(f"{i + 1}\n{start} --> {end}\n{lines[i // 3]}\n")
    (folder / "long.srt").write_text("\n".join(cues), "utf-8")
    asked = [
        sys.executable,
        "-m",
        "saffa",
        "accelerate",
        str(folder / "360.mkv"),
        "--speed",
        "8",
        "--no-cache",
        "--json",
    ]
    asked += ["--text", str(folder / "long.txt"), "--subtitles", str(folder / "long.srt"), "--dry-run"]
    return measured([*asked, "--encoder", "narrated"])


def _times(i: int) -> list[tuple[int, int]]:
    """(seconds, milliseconds) of the start and the end of line i."""
    return [divmod(720 * i + shift, 1000) for shift in (0, 700)]


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", default="10,60,180,360", help="lengths of the videos")
    parser.add_argument("--rows", default=",".join(ROWS), help="what is measured")
    parser.add_argument("--texts", action="store_true", help="also the long text")
    chosen = parser.parse_args(arguments)
    lengths = [int(part) for part in chosen.minutes.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_clip(folder / "clip.mkv")
        (folder / "text.txt").write_text("\n".join(STEPS), encoding="utf-8")
        for minutes in {*lengths, *([360] if chosen.texts else [])}:
            repeat_clip(folder / "clip.mkv", folder / f"{minutes}.mkv", minutes, CLIP)
            narrate(folder / f"{minutes}-talk.srt", minutes)
        heads = "".join(f" {minutes} min: CPU s | MB |" for minutes in lengths)
        print(f"| |{heads} exponent |\n|---|{'---|---|' * len(lengths)}---|", flush=True)
        for row in [part for part in chosen.rows.split(",") if part]:
            costs = [measured_run(folder, minutes, row) for minutes in lengths]
            cells = "".join(f" {cost.processor:.1f} | {cost.megabytes:.0f} |" for cost in costs)
            print(f"| {row} |{cells} {exponent(lengths, [cost.processor for cost in costs]):.2f} |", flush=True)
        if chosen.texts:
            cost = long_texts(folder)
            print(f"\n10,000 sentences, 30,000 lines, 360 min: {cost.processor:.1f} CPU s, {cost.megabytes:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
