"""Maker of small videos with white flashes and clicks at known times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

Samples = NDArray[np.float32]
SIZE = (64, 48)
LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}


def click_sound(
    times: Sequence[float], seconds: float, rate: int = 48000, channels: int = 1, length: float = 0.02
) -> Samples:
    """A quiet hiss with clicks: bursts of a 1 kHz tone, `length` seconds each."""
    hiss = 0.001 * np.random.default_rng(0).standard_normal(round(seconds * rate))
    burst = 0.8 * np.cos(2 * np.pi * 1000 * np.arange(round(length * rate)) / rate)
    for time in times:
        start = round(time * rate)
        hiss[start : start + len(burst)] += burst[: len(hiss) - start]
    return np.repeat(hiss[:, None], channels, axis=1).astype(np.float32)


def make_video(
    path: Path,
    sound: Samples,
    *,
    frames: int,
    flashes: Sequence[int] = (),
    flash_frames: int = 1,
    fps: Fraction | int = 25,
    rate: int = 48000,
    codec: str = "aac",
    picture_at: Fraction | int = 0,
    sound_at: Fraction | int = 0,
    broken: range = range(0),
    hole: tuple[int, int] | None = None,
) -> Path:
    """Write grey frames, white for `flash_frames` from each of `flashes`, and the sound (n, channels).

    `picture_at` and `sound_at` are start times in the file, `broken` sound packets are overwritten with noise,
    and from sample `hole[0]` on the sound's time stamps are `hole[1]` samples later.
    """
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", Fraction(fps), {"preset": "ultrafast", "crf": "30"})
        video.width, video.height = SIZE
        video.pix_fmt = "yuv420p"
        video.time_base = 1 / Fraction(fps)
        audio = container.add_stream(codec, rate, layout=LAYOUTS[sound.shape[1]])
        assert isinstance(audio, AudioStream)
        audio.time_base = Fraction(1, rate)
        white = {i for start in flashes for i in range(start, start + flash_frames)}
        packets: list[Packet[Any]] = list(_picture(video, frames, white, round(picture_at * Fraction(fps))))
        for i, packet in enumerate(_sound(audio, sound, round(sound_at * rate), hole)):
            if i in broken:
                packet.update(np.random.default_rng(i).bytes(packet.size))
            packets.append(packet)
        for packet in sorted(packets, key=lambda packet: (packet.dts or 0) * packet.time_base):
            container.mux(packet)
    return path


def _picture(stream: VideoStream, frames: int, white: set[int], start: int) -> Iterator[Packet[VideoStream]]:
    planes = {level: np.full((SIZE[1] * 3 // 2, SIZE[0]), 128, np.uint8) for level in (60, 235)}
    for level, plane in planes.items():
        plane[: SIZE[1]] = level
    for i in range(frames):
        frame = VideoFrame.from_ndarray(planes[235 if i in white else 60], format="yuv420p")
        frame.pts, frame.time_base = i + start, stream.time_base or Fraction(1)
        yield from stream.encode(frame)
    yield from stream.encode(None)


def _sound(
    stream: AudioStream, sound: Samples, start: int, hole: tuple[int, int] | None
) -> Iterator[Packet[AudioStream]]:
    size = 960
    for i in range(0, len(sound), size):
        packed = np.ascontiguousarray(sound[i : i + size]).reshape(1, -1)
        frame = AudioFrame.from_ndarray(packed, "flt", LAYOUTS[sound.shape[1]])
        frame.sample_rate, frame.time_base = stream.rate, Fraction(1, stream.rate)
        frame.pts = i + start + (hole[1] if hole and i >= hole[0] else 0)
        yield from stream.encode(frame)
    yield from stream.encode(None)
