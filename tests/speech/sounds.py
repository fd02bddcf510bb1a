"""Sound made for tests: speech with known times, tones, noise; and videos that carry it."""

import shutil
import subprocess
import wave
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame
from numpy.typing import NDArray

RATE = 16_000
Samples = NDArray[np.float32]


def spoken(sentence: str, folder: Path) -> Samples:
    """A sentence in the voice of espeak-ng, without the silence around it."""
    program = shutil.which("espeak-ng")
    if program is None:
        pytest.skip("espeak-ng, which speaks the test sentences, is not installed")
    file = folder / "sentence.wav"
    subprocess.run([program, "-v", "en-us", "-s", "150", "-w", str(file), sentence], check=True)
    samples, rate = read_wave(file)
    count = int(len(samples) * RATE / rate)
    samples = np.interp(np.arange(count) * rate / RATE, np.arange(len(samples)), samples).astype(np.float32)
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return samples[loud[0] : loud[-1] + 1]


def read_wave(file: Path) -> tuple[Samples, int]:
    with wave.open(str(file)) as sound:
        raw = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
        return np.asarray(raw / 2**15, np.float32), int(sound.getframerate())


def with_pauses(pieces: list[Samples], pauses: list[float]) -> tuple[Samples, list[tuple[float, float]]]:
    """The pieces with a pause before each, a little noise over all, and when each sounds."""
    parts: list[Samples] = []
    times: list[tuple[float, float]] = []
    at = 0
    for piece, pause in zip(pieces, pauses, strict=True):
        silence = np.zeros(int(pause * RATE), np.float32)
        parts += [silence, piece]
        times.append(((at + len(silence)) / RATE, (at + len(silence) + len(piece)) / RATE))
        at += len(silence) + len(piece)
    sound = np.concatenate([*parts, np.zeros(RATE, np.float32)])
    return sound + np.random.default_rng(0).normal(0, 1e-3, len(sound)).astype(np.float32), times


def film(path: Path, sound: Samples | None, rate: int = RATE, frames_a_second: int = 5) -> Path:
    """A small film with this sound track, or silent without one."""
    seconds = 4.0 if sound is None else len(sound) / rate
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=frames_a_second)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        track = None if sound is None else container.add_stream("aac", rate=rate, layout="mono")
        for n in range(int(seconds * frames_a_second)):
            pixels = np.full((48, 64, 3), (n // 20 * 40) % 256, np.uint8)
            container.mux(picture.encode(VideoFrame.from_ndarray(pixels, "rgb24")))
        container.mux(picture.encode())
        if track is not None and sound is not None:
            for start in range(0, len(sound), rate):
                block = (np.clip(sound[start : start + rate], -1, 1) * 32767).astype(np.int16)
                frame = AudioFrame.from_ndarray(block[None, :], "s16", "mono")
                frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
                container.mux(track.encode(frame))
            container.mux(track.encode())
    return path
