"""Speed and accuracy of the sound's stretch beside ffmpeg's atempo: `python -m benchmarks.sound_speed`.

Ten minutes of 48 kHz stereo (a tone, hiss, a click about every 9 seconds) at constant speeds. Processing is CPU
seconds (of ffmpeg: the whole program reading and writing a WAV file), so a busy machine does not spoil the figures.
"Late" is the 95th percentile over the clicks of how far each is from the first selected picture (30 a second) that
shows it; "length" is how far the end is from where the map ends.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import tempfile
import time
import wave
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from saffa.core.timeline import TimeMap
from saffa.core.types import Floats, Ints
from saffa.media.sound.wsola import gain, stretched

RATE, FPS = 48000, 30
BLOCK = 1024
BURST = round(0.02 * RATE)
SPEEDS = ("1", "3/2", "2", "3", "5", "8", "12", "25")


def make_sound(seconds: int) -> tuple[Floats, Ints]:
    """Sound (n, 2) and the frames at which it clicks."""
    rng = np.random.default_rng(0)
    clicks = np.round((np.arange(5, seconds - 5, 9) + rng.uniform(-1, 1, len(range(5, seconds - 5, 9)))) * FPS)
    time = np.arange(seconds * RATE) / RATE
    mono = 0.02 * np.sin(2 * np.pi * 220 * time) + 0.01 * rng.standard_normal(len(time))
    for frame in clicks:
        start = round(frame * RATE / FPS)
        mono[start : start + BURST] += 0.8 * np.cos(2 * np.pi * 1000 * time[:BURST])
    return np.stack([mono, 0.8 * mono], axis=1).astype(np.float32), clicks.astype(np.int64)


def in_blocks(sound: Floats) -> Iterator[Floats]:
    for i in range(0, len(sound), BLOCK):
        yield sound[i : i + BLOCK]


def lateness(out: Floats, selected: Ints, clicks: Ints, level: float) -> str:
    """95th percentile of |click - picture| in ms, and the number of clicks that are not to be heard near it."""
    late = []
    for slot in np.searchsorted(selected, clicks):
        start = max(0, round((slot / FPS - 0.15) * RATE))
        loud = np.flatnonzero(np.abs(out[start : round((slot / FPS + 0.15) * RATE), 0]) > level)
        if len(loud):
            late.append(abs((start + int(loud[0])) / RATE - slot / FPS) * 1000)
    return f"{np.percentile(late, 95):6.1f} ms, {len(clicks) - len(late):2d} lost" if late else "   all lost"


def run_atempo(source: Path, speed: Fraction, folder: Path) -> tuple[float, Floats]:
    out = folder / "out.wav"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["ffmpeg", "-v", "error", "-y", "-i", str(source), "-af", f"atempo={float(speed)}", str(out)]
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with wave.open(str(out)) as file:
        raw = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, raw.reshape(-1, 2).astype(np.float32) * np.float32(1 / 32768)


def compare(seconds: int, folder: Path) -> None:
    sound, clicks = make_sound(seconds)
    ffmpeg = shutil.which("ffmpeg") is not None
    source = folder / "source.wav"
    if ffmpeg:
        with wave.open(str(source), "wb") as file:
            file.setparams((2, 2, RATE, 0, "NONE", ""))
            file.writeframes((sound * 32767).astype(np.int16).tobytes())
    else:
        print("atempo: skipped, there is no ffmpeg program here")
    print(f"{seconds} s of 48 kHz stereo; CPU seconds (per second of source) | late, lost | length")
    for name in SPEEDS:
        speed = Fraction(name)
        frames = seconds * FPS
        selected = np.unique([int(i * speed) for i in range(int(frames / speed))])
        timemap = TimeMap.from_frames([Fraction(int(f), FPS) for f in selected], Fraction(seconds), Fraction(FPS))
        start = time.process_time()
        out = np.concatenate(list(stretched(in_blocks(sound), RATE, 2, timemap)))
        report(f"{name:>4}x saffa ", time.process_time() - start, seconds, out, timemap)
        print(lateness(out, selected, clicks, 0.3 * float(gain(float(speed)))))
        if ffmpeg:
            used, out = run_atempo(source, speed, folder)
            report("      atempo", used, seconds, out, timemap)
            print(lateness(out, selected, clicks, 0.3))


def report(name: str, used: float, seconds: int, out: Floats, timemap: TimeMap) -> None:
    off = 1000 * (len(out) / RATE - float(timemap.duration))
    print(f"{name} {used:6.2f} s ({used / seconds:.5f}) | end {off:+7.1f} ms | late ", end="")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    with tempfile.TemporaryDirectory() as folder:
        compare(parser.parse_args(arguments).seconds, Path(folder))


if __name__ == "__main__":
    main()
