"""Small movies made in code. Every frame shows its own number, so a test can read which frame it got."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.stream import Disposition
from av.subtitles.stream import SubtitleStream
from av.video.stream import VideoStream
from numpy.typing import NDArray

from saffa.media.writer import same_priority

COLUMNS, ROWS = 4, 3


@dataclass(frozen=True)
class Sound:
    rate: int = 44100
    layout: str = "stereo"
    language: str | None = None
    title: str | None = None
    default: bool = True
    codec: str = "aac"


@dataclass(frozen=True)
class Movie:
    """A recipe for a file; `stamps` (in `time_base`) makes the frames uneven, `start` shifts everything."""

    frames: int = 60
    size: tuple[int, int] = (96, 72)
    rate: Fraction = Fraction(25)
    codec: str = "libx264"
    pix_fmt: str = "yuv420p"
    options: dict[str, str] = field(default_factory=dict)
    stamps: Sequence[int] | None = None
    time_base: Fraction | None = None
    start: Fraction = Fraction(0)
    rotation: int = 0
    pixel_aspect: Fraction = Fraction(1)
    colour: tuple[int, int, int, int] | None = None
    sounds: Sequence[Sound] = ()
    cues: Sequence[tuple[int, int, str]] = ()
    chapters: Sequence[tuple[int, int, str]] = ()
    b_frames: int | None = None
    faststart: bool = True

    def __hash__(self) -> int:
        return hash(repr(self))  # options and stamps may be dicts and lists


def drawn(number: int, width: int, height: int) -> NDArray[np.uint8]:
    """A grey picture: the number in binary as a grid of dark and bright blocks, highest bit first."""
    bits = [(number >> k) & 1 for k in range(COLUMNS * ROWS)][::-1]
    grid = np.array(bits, np.uint8).reshape(ROWS, COLUMNS)
    rows = np.arange(height) * ROWS // height
    columns = np.arange(width) * COLUMNS // width
    return np.asarray(grid[rows][:, columns] * 180 + 40, np.uint8)


def number(frame: av.VideoFrame) -> int:
    """The number that a frame shows."""
    grey = frame.reformat(format="gray").to_ndarray()
    height, width = grey.shape
    found = 0
    for row in range(ROWS):
        for column in range(COLUMNS):
            y, x = (2 * row + 1) * height // (2 * ROWS), (2 * column + 1) * width // (2 * COLUMNS)
            found = found * 2 + int(grey[y - 2 : y + 3, x - 2 : x + 3].mean() > 130)
    return found


def numbers(path: Path) -> list[int]:
    """All frames of a file, decoded plainly, by what they show."""
    with av.open(str(path)) as container:
        return [number(frame) for frame in container.decode(video=0)]


def tone(seconds: float, rate: int, channels: int) -> NDArray[np.float32]:
    time = np.arange(round(seconds * rate)) / rate
    return np.tile((0.3 * np.sin(2 * np.pi * 440 * time)).astype(np.float32), (channels, 1))


def make(path: Path, movie: Movie | None = None) -> Path:
    """Write the movie and return its path."""
    path.write_bytes(_made(movie or Movie(), path.suffix))
    return path


@lru_cache(maxsize=100)
def _made(movie: Movie, suffix: str) -> bytes:
    """What many tests ask for is encoded once."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"movie{suffix}"
        _encode(path, movie)
        return path.read_bytes()


def _encode(path: Path, movie: Movie) -> None:
    if movie.codec == "libsvtav1":
        os.environ.setdefault("SVT_LOG", "1")  # asked once in a process, so also by the first movie of a test
    base = movie.time_base or 1 / movie.rate
    options = {"movflags": "+faststart"} if movie.faststart and path.suffix in (".mp4", ".mov") else {}
    with av.open(str(path), "w", container_options=options) as container:
        stream = container.add_stream(movie.codec, rate=movie.rate, options=_options(movie))
        assert isinstance(stream, VideoStream)
        context = stream.codec_context
        context.width, context.height, context.pix_fmt = *movie.size, movie.pix_fmt
        context.time_base = stream.time_base = base
        context.sample_aspect_ratio = movie.pixel_aspect
        if movie.b_frames is not None:
            context.max_b_frames = movie.b_frames
        if movie.colour:
            context.color_primaries, context.color_trc, context.colorspace, context.color_range = movie.colour
        if movie.rotation:
            stream.set_display_rotation(-movie.rotation)
        sounds = [_add_sound(container, sound) for sound in movie.sounds]
        subtitles = _add_subtitles(container, path) if movie.cues else None
        container.set_chapters([_chapter(i, c) for i, c in enumerate(movie.chapters)])
        with same_priority():
            container.start_encoding()
        for start, end, text in movie.cues:
            assert subtitles is not None
            _write_cue(container, subtitles, start, end, text)
        stamps = movie.stamps if movie.stamps is not None else range(movie.frames)
        shift = round(movie.start / base)
        for i, stamp in enumerate(stamps):
            frame = _frame(i, movie)
            frame.pts, frame.time_base = stamp + shift, base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        seconds = float((stamps[-1] + 1) * base)
        for sound, track in zip(movie.sounds, sounds, strict=True):
            _write_sound(container, track, sound, seconds, movie.start)


def _frame(i: int, movie: Movie) -> av.VideoFrame:
    width, height = movie.size
    shown = drawn(i, width, height)
    return av.VideoFrame.from_ndarray(np.repeat(shown[..., None], 3, 2)).reformat(format=movie.pix_fmt)


def _options(movie: Movie) -> dict[str, str]:
    usual = {
        "libx264": {"crf": "12", "preset": "ultrafast"},
        "libx265": {"crf": "12", "preset": "ultrafast", "x265-params": "log-level=none"},
        "libvpx-vp9": {"crf": "12", "b": "0", "deadline": "realtime", "cpu-used": "8"},
        "libsvtav1": {"crf": "20", "preset": "8"},
        "mpeg4": {"flags": "+qscale", "global_quality": "236"},
    }
    return usual.get(movie.codec, {}) | movie.options


def _add_sound(container: av.container.OutputContainer, sound: Sound) -> AudioStream:
    track = container.add_stream(sound.codec, rate=sound.rate)
    assert isinstance(track, AudioStream)
    track.codec_context.layout = sound.layout
    track.disposition = Disposition.default if sound.default else Disposition(0)
    if sound.language:
        track.metadata["language"] = sound.language
    if sound.title:
        track.metadata["title"] = sound.title
    return track


def _write_sound(
    container: av.container.OutputContainer, track: AudioStream, sound: Sound, seconds: float, start: Fraction
) -> None:
    samples = tone(seconds, sound.rate, track.codec_context.channels)
    frame = AudioFrame.from_ndarray(samples, format="fltp", layout=sound.layout)
    frame.sample_rate, frame.pts = sound.rate, round(start * sound.rate)
    frame.time_base = Fraction(1, sound.rate)
    container.mux(track.encode(frame))
    container.mux(track.encode(None))


SCRIPT = (
    b"[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\n"
    b"Style: Default,Arial,16\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, "
    b"MarginV, Effect, Text\n"
)


def _add_subtitles(container: av.container.OutputContainer, path: Path) -> SubtitleStream:
    stream = container.add_stream({".mkv": "ass", ".webm": "webvtt"}.get(path.suffix, "mov_text"))
    assert isinstance(stream, SubtitleStream)
    stream.codec_context.subtitle_header = SCRIPT
    stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
    return stream


def _write_cue(
    container: av.container.OutputContainer, stream: SubtitleStream, start: int, end: int, text: str
) -> None:
    line = f"0,0,Default,,0,0,0,,{text}".encode()
    made = av.subtitles.subtitle.SubtitleSet.create(line, 0, end - start, start)
    packet = stream.codec_context.encode_subtitle(made)
    packet.stream, packet.time_base = stream, Fraction(1, 1000)
    packet.pts = packet.dts = start
    packet.duration = end - start
    container.mux(packet)


def _chapter(i: int, chapter: tuple[int, int, str]) -> av.container.core.Chapter:
    start, end, title = chapter
    return {
        "id": i + 1,
        "start": start,
        "end": end,
        "time_base": Fraction(1, 1000),
        "metadata": {"title": title},
    }
