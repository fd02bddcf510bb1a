"""A contact sheet: pictures of a video, each with the sentence it is taken for and its relevance."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from saffa.core.alignment import Alignment
from saffa.core.clock import format_length
from saffa.core.video import Video
from saffa.core.whole_file import whole_file
from saffa.media.frame_stream import read_frames, upright

COLUMNS, ROWS = 6, 4
WIDTH, MARGIN, LINES = 200, 8, 3
"""Pixels of a picture and around it; lines of text below."""
_FONT, _LINE = 12, 15
_LETTERS = 33  # of that font in WIDTH
_INK, _PALE, _SURE, _PAPER = "#222222", "#8a8a8a", "#d9622b", "#ffffff"


def draw_sheet(
    video: Video,
    alignment: Alignment,
    path: Path,
    columns: int = COLUMNS,
    rows: int = ROWS,
    *,
    overwrite: bool = True,
) -> None:
    """Write a PNG of pictures spread evenly over the video.

    The bar below a picture is its relevance between the video's lowest and highest; where it is low the sentence is
    pale, since the text is then not being followed (`Alignment.sentence_at`).
    """
    count = min(columns * rows, video.frames)
    wanted = ((np.arange(count) + 0.5) * video.frames / count).astype(np.int64).tolist()
    height = max(1, round(WIDTH * video.size[1] / video.size[0]))
    cell = (WIDTH + 2 * MARGIN, height + 2 * MARGIN + _LINE * (LINES + 1) + 4)
    sheet = Image.new("RGB", (columns * cell[0], -(-count // columns) * cell[1]), _PAPER)
    for place, (index, frame) in enumerate(read_frames(video, wanted)):
        picture = Image.fromarray(upright(frame, video.rotation)).resize((WIDTH, height), Image.Resampling.BILINEAR)
        left, top = place % columns * cell[0] + MARGIN, place // columns * cell[1] + MARGIN
        sheet.paste(picture, (left, top))
        _label(ImageDraw.Draw(sheet), left, top + height, float(video.frame_time(index)), alignment)
    with whole_file(path, overwrite=overwrite) as part:
        # Few colours: a sheet is to be looked at, and should be small.
        sheet.quantize(192, dither=Image.Dither.NONE).save(part, "PNG", optimize=True)


def _label(draw: ImageDraw.ImageDraw, left: int, top: int, seconds: float, alignment: Alignment) -> None:
    relevance = float(np.interp(seconds, alignment.times, alignment.relevance))
    low, high = float(alignment.relevance.min()), float(alignment.relevance.max())
    share = (relevance - low) / max(high - low, 1e-9)
    draw.rectangle((left, top + 2, left + WIDTH - 1, top + 5), fill="#e6e6e6")
    draw.rectangle((left, top + 2, left + round(share * (WIDTH - 1)), top + 5), fill=_SURE)
    row = int(np.abs(alignment.times - seconds).argmin())
    best = int(alignment.sentence_weights[row].argmax())
    follows = alignment.sentence_at([seconds])[0] is not None
    font = ImageFont.load_default(_FONT)
    draw.text((left, top + 7), f"{format_length(seconds)}   {relevance:.2f}", _INK, font)
    lines = textwrap.wrap(f"{best + 1} {alignment.document[best]}", _LETTERS, max_lines=LINES, placeholder=" …")
    for k, line in enumerate(lines):
        draw.text((left, top + 7 + _LINE * (k + 1)), line, _INK if follows else _PALE, font)
