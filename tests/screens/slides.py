"""Small films with text in them, drawn in code."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.stream import VideoStream
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

SIZE = (640, 360)


def slide(lines: Iterable[str], size: tuple[int, int] = SIZE, background: int = 245) -> NDArray[np.uint8]:
    """Lines of dark letters, 30 pixels high, below each other."""
    picture = Image.new("RGB", size, (background, background, background))
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        draw.text((40, 40 + 70 * row), line, (20, 20, 30), ImageFont.load_default(30))
    return np.asarray(picture)


def texture(seed: int, size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
    """Soft shapes without a letter."""
    rng = np.random.default_rng(seed)
    small = Image.fromarray(rng.integers(40, 220, (6, 8, 3), np.uint8))
    return np.asarray(small.resize(size, Image.Resampling.BICUBIC))


def film(
    path: Path,
    shots: Iterable[tuple[NDArray[np.uint8], float]],
    rate: int = 10,
    codec: str = "libx264",
    group: int = 50,
) -> Path:
    """Each picture for so many seconds; a key picture every `group` frames and nowhere else."""
    number = 0
    options = {"g": str(group), "sc_threshold": "0", "preset": "ultrafast"} if codec == "libx264" else {}
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, options=options)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for picture, seconds in shots:
            for _ in range(round(seconds * rate)):
                frame = av.VideoFrame.from_ndarray(picture, "rgb24")
                frame.pts, frame.time_base = number, Fraction(1, rate)
                container.mux(stream.encode(frame))
                number += 1
        container.mux(stream.encode())
    return path
