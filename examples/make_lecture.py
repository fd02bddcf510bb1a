"""Make a lecture with slides, to try `--read-screen` on: ten minutes, eight topics, bullets that come one by one.

    python examples/make_lecture.py lecture.mp4 [--minutes 10] [--voice]

It is silent unless `--voice` is given, which needs the program espeak-ng. A lecturer moves in a corner, so that no two
pictures are the same. Beside the video, `lecture.json` tells when each topic is shown.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import wave
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, FPS, SOUND_RATE = 1280, 720, 25, 22050
TOPICS = {
    "Welcome": ["Who I am", "What we do today", "Please ask questions"],
    "Bubble sort": ["Compare two neighbours", "Swap them if they are out of order", "Repeat until nothing moves"],
    "Coffee break rules": ["No cups on the keyboards", "Back in ten minutes", "The kitchen is upstairs"],
    "Merge sort": ["Split the list into two halves", "Sort each half alone", "Merge both sorted halves"],
    "Exams and grades": ["Two written tests", "The better one counts", "Bring your student card"],
    "Hash tables": [
        "A function turns a key into a place",
        "Two keys may share one bucket",
        "Look-ups take constant time",
    ],
    "Homework": ["Hand it in on Friday", "Work in pairs", "Use the forum for help"],
    "Goodbye": ["Slides are on the web page", "Next week: graphs", "Thank you for coming"],
}


def slide(title: str, bullets: list[str]) -> Image.Image:
    """A slide with these bullets below its title."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), (250, 249, 244))
    draw = ImageDraw.Draw(picture)
    draw.text((80, 60), title, (25, 40, 110), ImageFont.load_default(60))
    for row, bullet in enumerate(bullets):
        draw.text((110, 210 + 90 * row), f"• {bullet}", (20, 20, 20), ImageFont.load_default(36))
    return picture


def lecturer(picture: Image.Image, moment: float) -> NDArray[np.uint8]:
    """The slide with somebody who nods and waves in its corner."""
    shown = picture.copy()
    draw = ImageDraw.Draw(shown)
    nod, wave_by = 8 * np.sin(2.1 * moment), 40 * np.sin(3.3 * moment)
    draw.rectangle((1060, 500, 1260, 700), (70, 90, 100))
    draw.ellipse((1120, 540 + nod, 1200, 630 + nod), (220, 180, 150))
    draw.line((1160, 690, 1215 + wave_by / 2, 600 - wave_by), (200, 60, 60), 14)
    return np.asarray(shown)


def spoken(topics: dict[str, list[str]], seconds: float, folder: Path) -> NDArray[np.int16]:
    """The lecture read aloud: a line for the title and one for each bullet, where it comes."""
    if shutil.which("espeak-ng") is None:
        sys.exit("The voice is that of espeak-ng, which is not installed (Debian and Ubuntu: apt install espeak-ng).")
    sound = np.zeros(int(len(topics) * seconds * SOUND_RATE), np.int16)
    for place, (title, bullets) in enumerate(topics.items()):
        for row, line in enumerate([f"Now we come to {title}.", *bullets]):
            file = folder / "line.wav"
            subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(file), line], check=True)
            with wave.open(str(file)) as said:
                samples = np.frombuffer(said.readframes(said.getnframes()), np.int16)
            start = int((place + row / (len(bullets) + 1)) * seconds * SOUND_RATE)
            part = sound[start : start + len(samples)]
            part[:] = samples[: len(part)]
    return sound


def pictures(topics: dict[str, list[str]], seconds: float) -> Iterator[NDArray[np.uint8]]:
    """All frames; each topic for so many seconds, in which its bullets come one by one."""
    for place, (title, bullets) in enumerate(topics.items()):
        stages = [slide(title, bullets[:count]) for count in range(len(bullets) + 1)]
        frames = round(seconds * FPS)
        for frame in range(frames):
            yield lecturer(stages[frame * len(stages) // frames], place * seconds + frame / FPS)


def make_lecture(path: Path, minutes: float = 10, voice: bool = False, topics: dict[str, list[str]] = TOPICS) -> None:
    """Write the video, and its topics with their times beside it."""
    seconds = minutes * 60 / len(topics)
    with av.open(str(path), "w") as container, tempfile.TemporaryDirectory() as folder:
        options = {"preset": "veryfast", "crf": "26"}
        stream = container.add_stream("libx264", rate=FPS, options=options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        track = container.add_stream("aac", rate=SOUND_RATE, layout="mono") if voice else None
        for number, picture in enumerate(pictures(topics, seconds)):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
        if track is not None:
            sound = spoken(topics, seconds, Path(folder))
            for start in range(0, len(sound), SOUND_RATE):
                block = AudioFrame.from_ndarray(sound[None, start : start + SOUND_RATE], "s16", "mono")
                block.sample_rate, block.pts, block.time_base = SOUND_RATE, start, Fraction(1, SOUND_RATE)
                container.mux(track.encode(block))
            container.mux(track.encode())
    times = {title: [place * seconds, (place + 1) * seconds] for place, title in enumerate(topics)}
    path.with_suffix(".json").write_text(json.dumps(times, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--voice", action="store_true")
    given = parser.parse_args()
    make_lecture(given.output, given.minutes, given.voice)
