"""Time and memory of listening, and its mistakes: `python -m benchmarks.speech_speed [--data DIR] [--noise 180]`.

The reading that comes with moonshine-voice (44 s of English) is repeated to films of one and four minutes, noise makes
a long one. Each is listened to in a process of its own. CPU seconds a second of sound, so that a busy machine does not
spoil the figures; "reading" is decoding, resampling and cutting the sound alone. With `--data`, the words of the
recordings in DIR/speech are compared with what is heard.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import wave
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame
from numpy.typing import NDArray

Samples = NDArray[np.int16]
MEASURE = """
import json, resource, sys, time
from pathlib import Path
from saffa.media.probe import probe
from saffa.speech.backend import load_listener
from saffa.speech.stretches import speech_track, stretches
from saffa.speech.transcript import transcribe
video = probe(Path(sys.argv[1]))
listener = load_listener()
start = time.process_time()
for _ in stretches(video, speech_track(video)): pass
reading = time.process_time() - start
start = time.process_time()
cues = transcribe(video, listener)
spent = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([reading, spent, peak, [cue.text for cue in cues]]))
"""


def read_wave(file: Path) -> tuple[Samples, int]:
    with wave.open(str(file)) as sound:
        raw = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
        return raw.reshape(-1, sound.getnchannels())[:, 0].copy(), sound.getframerate()


def write_film(path: Path, blocks: Iterator[Samples], rate: int) -> float:
    """A film of one grey picture a second with this sound; how many seconds it has."""
    count = 0
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=1, options={"preset": "ultrafast"})
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        track = container.add_stream("aac", rate=rate, layout="mono")
        for block in blocks:
            frame = AudioFrame.from_ndarray(block[None, :], "s16", "mono")
            frame.sample_rate, frame.pts, frame.time_base = rate, count, Fraction(1, rate)
            container.mux(track.encode(frame))
            for _ in range((count + len(block)) // rate - count // rate):
                container.mux(picture.encode(VideoFrame.from_ndarray(np.full((48, 64, 3), 90, np.uint8), "rgb24")))
            count += len(block)
        container.mux(track.encode())
        container.mux(picture.encode())
    return count / rate


def repeated(samples: Samples, rate: int, seconds: int) -> Iterator[Samples]:
    for start in range(0, seconds * rate, rate):
        yield np.take(samples, np.arange(start, start + rate), mode="wrap")


def noise(seconds: int, rate: int = 16_000) -> Iterator[Samples]:
    rng = np.random.default_rng(1)
    for _ in range(seconds):
        yield (rng.standard_normal(rate) * 2000).astype(np.int16)


def measured(film: Path) -> tuple[float, float, float, list[str]]:
    """CPU seconds of reading and of listening, peak memory in MB, lines heard."""
    done = subprocess.run([sys.executable, "-c", MEASURE, str(film)], capture_output=True, text=True, check=True)
    reading, spent, peak, lines = json.loads(done.stdout.splitlines()[-1])
    return reading, spent, peak, lines


def word_errors(said: list[str], heard: list[str]) -> int:
    """Insertions, deletions and exchanges of words (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def plain_words(text: str) -> list[str]:
    return re.sub(r"[^a-z0-9]+", " ", text.lower().replace("mr.", "mister")).split()


def recordings(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Recordings and their words, from lines `- NAME.wav: words` of the README beside them."""
    for name, text in re.findall(r"^- (\S+\.wav): (.+)$", (folder / "README.md").read_text("utf-8"), re.MULTILINE):
        yield folder / name, plain_words(text)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noise", type=int, default=10, help="minutes of noise")
    parser.add_argument("--data", type=Path, help="folder with speech/README.md and the recordings it names")
    given = parser.parse_args(arguments)
    import moonshine_voice  # noqa: PLC0415

    reading_aloud, rate = read_wave(Path(moonshine_voice.__file__).parent / "assets" / "two_cities.wav")
    sounds = {
        "1 min of speech": (repeated(reading_aloud, rate, 60), rate),
        "4 min of speech": (repeated(reading_aloud, rate, 240), rate),
        f"{given.noise} min of noise": (noise(given.noise * 60), 16_000),
    }
    print("| sound | reading, CPU s/s | listening, CPU s/s | peak memory | lines |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (blocks, hertz) in sounds.items():
            film = Path(folder) / f"{name}.mp4"
            seconds = write_film(film, blocks, hertz)
            reading, spent, peak, lines = measured(film)
            print(
                f"| {name} | {reading / seconds:.4f} | {spent / seconds:.3f} | {peak:.0f} MB | {len(lines)} |",
                flush=True,
            )
        if given.data:
            wrong = total = 0
            for file, said in recordings(given.data / "speech"):
                samples, hertz = read_wave(file)
                samples = np.concatenate([samples, np.zeros(2 * hertz, np.int16)])  # pictures come once a second
                film = Path(folder) / f"{file.stem}.mp4"
                write_film(film, iter(np.array_split(samples, max(1, len(samples) // hertz))), hertz)
                heard = plain_words(" ".join(measured(film)[3]))
                wrong, total = wrong + word_errors(said, heard), total + len(said)
                print(
                    f"{file.name}: {word_errors(said, heard)} of {len(said)} words wrong: {' '.join(heard)}", flush=True
                )
            print(f"word error rate {wrong / max(1, total):.1%}")


if __name__ == "__main__":
    main()
