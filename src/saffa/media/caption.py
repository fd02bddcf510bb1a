"""A small caption in the corner of the picture: the step that is shown and the speed (`--burn steps`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from saffa.core.types import Doubles

Caption = tuple[int, str]
"""Output frames, and the words in them."""
_SHARE = 22  # the letters are as high as one of so many parts of the picture
_LEAST = 10  # pixels
_SHADE = 0.35  # of the picture behind the words


def captioned(frames: Iterator[av.VideoFrame], captions: Sequence[Caption]) -> Iterator[av.VideoFrame]:
    """Copies of the frames, one slot each, with the captions drawn; frames beyond the last caption have none."""
    words = (text for count, text in captions for _ in range(count))
    for frame in frames:
        text = next(words, "")
        yield _drawn(frame, text) if text else frame


def _drawn(frame: av.VideoFrame, text: str) -> av.VideoFrame:
    """A copy with the words: decoders still need the frame itself."""
    picture = _copy(frame)
    mask = _mask(text, max(_LEAST, frame.height // _SHARE))[: frame.height // 2, : frame.width]
    luma = picture.format.components[0]
    white = 1 << luma.bits
    rows = _rows(picture.planes[0], luma.bits)
    box = rows[frame.height - mask.shape[0] : frame.height, : mask.shape[1]]
    box[...] = np.maximum(box * _SHADE, mask * (0.92 * white)).astype(rows.dtype)
    for plane in picture.planes[1:3]:  # grey behind the words, so that they are white
        down, across = frame.height // plane.height, frame.width // plane.width
        chroma = _rows(plane, luma.bits)
        height, width = mask.shape[0] // down, mask.shape[1] // across
        chroma[plane.height - height : plane.height, :width] = white // 2
    return picture


def _copy(frame: av.VideoFrame) -> av.VideoFrame:
    made = av.VideoFrame(frame.width, frame.height, frame.format.name)
    for old, new in zip(frame.planes, made.planes, strict=True):
        width = min(old.line_size, new.line_size)
        source = np.frombuffer(memoryview(old), np.uint8).reshape(-1, old.line_size)
        np.frombuffer(memoryview(new), np.uint8).reshape(-1, new.line_size)[: len(source), :width] = source[:, :width]
    made.colorspace, made.color_range = frame.colorspace, frame.color_range
    made.color_primaries, made.color_trc = frame.color_primaries, frame.color_trc
    return made


def _rows(plane: av.video.plane.VideoPlane, bits: int) -> NDArray[Any]:
    """The samples of a plane, shape (lines, samples of a line with its padding)."""
    kind = np.dtype(np.uint8 if bits <= 8 else np.uint16)
    return np.frombuffer(memoryview(plane), kind).reshape(-1, plane.line_size // kind.itemsize)


@lru_cache(maxsize=64)
def _mask(text: str, height: int) -> Doubles:
    """Letters from 0 to 1 on a margin, with even sides."""
    import matplotlib  # noqa: PLC0415  (its font has far more letters than Pillow's)

    font = ImageFont.truetype(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf", height)
    box = font.getbbox(text)
    size = (int(box[2] + height) // 2 * 2, int(box[3] + height * 0.8) // 2 * 2)
    image = Image.new("L", size)
    ImageDraw.Draw(image).text((height / 2, height * 0.3), text, 255, font)
    return np.asarray(image, np.float64) / 255
