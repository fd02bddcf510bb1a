"""What SAS and MIFF measure in every picture of a video: block flow, colour histograms, colour moments.

One pass with OpenCV over small pictures: upright, the authors' half size, at most WIDEST wide. Flow is Lucas-Kanade of
the centre of each block with a window as large as the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats, Rgb, Share
from saffa.core.video import Video
from saffa.media.frame_stream import read_frames, upright
from saffa.research.baselines.appearance import Appearance
from saffa.research.baselines.block_flow import COLUMNS, ROWS, BlockFlow

WIDEST = 320
LONGEST = 50.0
"""Pixels: a block that moves further, or further than its own size, was not followed."""
BINS, SQUARES = 128, 4
"""Bins of each colour histogram; colour moments are taken of 4 × 4 squares."""


@dataclass(frozen=True, eq=False)
class Footage:
    """Measures of F pictures.

    colours  cumulative histograms of Y, Cb and Cr, 3 × 128 numbers a picture
    moments  (F, 144)  mean, deviation and skewness of H, S, V in 4 × 4 squares
    width, height      of the pictures that were measured
    """

    flow: BlockFlow = field(repr=False)
    colours: Appearance = field(repr=False)
    moments: Floats = field(repr=False)
    width: int
    height: int


def watch(video: Video, progress: Share = lambda _: None) -> Footage:
    """Measure a video file."""
    cv2 = _opencv()
    width, height = _size(video)
    block = (width / COLUMNS, height / ROWS)
    columns, rows = np.meshgrid((np.arange(COLUMNS) + 0.5) * block[0], (np.arange(ROWS) + 0.5) * block[1])
    points = np.stack([columns.ravel(), rows.ravel()], 1).astype(np.float32)[:, None]
    window = (int(block[0]) | 1, int(block[1]) | 1)
    steps, histograms, moments, before = [], [], [], None
    for picture in _pictures(video, width, height):
        grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        if before is not None:
            steps.append(_flow(cv2, before, grey, points, window, min(*block, LONGEST)))
        before = grey
        histograms.append(_histograms(cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb)))
        moments.append(colour_moments(cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)))
        progress(len(moments) / video.frames)
    steps.append(np.zeros((len(points), 2), np.float32))
    flow = BlockFlow(without_gaps(np.array(steps, np.float32)))
    colours = Appearance(np.array(histograms, np.float32), np.arange(len(histograms)), cumulative=True)
    return Footage(flow, colours, np.array(moments, np.float32), width, height)


def without_gaps(steps: Floats) -> Floats:
    """Flow (F, b, 2) with what was not followed (NaN) interpolated in time; a block never followed stands still."""
    filled = steps.copy()
    time = np.arange(len(steps))
    for block in range(steps.shape[1]):
        known = np.isfinite(steps[:, block]).all(1)
        for axis in (0, 1):
            values = steps[known, block, axis]
            filled[:, block, axis] = np.interp(time, time[known], values) if len(values) else 0.0
    return filled


def colour_moments(hsv: Rgb) -> Floats:
    """Mean, deviation and skewness of each channel in 4 × 4 squares, (144,)."""
    height, width = (side - side % SQUARES for side in hsv.shape[:2])
    cut = hsv[:height, :width].reshape(SQUARES, height // SQUARES, SQUARES, width // SQUARES, 3)
    values = cut.transpose(0, 2, 4, 1, 3).reshape(SQUARES * SQUARES * 3, -1).astype(np.float32) / 255
    mean = values.mean(1, keepdims=True)
    away = values - mean
    squared = away * away  # powers would take ten times as long
    deviation = np.sqrt(squared.mean(1))
    third = (squared * away).mean(1)
    skewness = np.divide(third, deviation**3, out=np.zeros_like(third), where=deviation > 1e-3)
    return np.concatenate([mean[:, 0], deviation, skewness])


def _flow(cv2: Any, before: Rgb, after: Rgb, points: Floats, window: tuple[int, int], limit: float) -> Floats:
    moved, followed, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, winSize=window, maxLevel=2)
    step: Floats = (moved - points)[:, 0]
    lost = (followed[:, 0] == 0) | (np.abs(step) > limit).any(1)
    step[lost] = np.nan
    return step


def _histograms(ycc: Rgb) -> Floats:
    """Cumulative, by channel, of share of pixels, (384,)."""
    pixels = ycc.shape[0] * ycc.shape[1]
    counts = [np.bincount(ycc[..., channel].ravel() // (256 // BINS), minlength=BINS) for channel in range(3)]
    return np.concatenate([np.cumsum(count) / pixels for count in counts]).astype(np.float32)


def _pictures(video: Video, width: int, height: int) -> Iterator[Rgb]:
    """Pictures (height, width, 3) as they are shown; they are stored in the size before the turn."""
    if video.rotation in (90, 270):
        width, height = height, width
    for _, frame in read_frames(video):
        yield upright(frame.reformat(width=width, height=height, format="rgb24"), video.rotation)


def _size(video: Video) -> tuple[int, int]:
    """Width and height of the small pictures, upright."""
    width, height = video.size
    scale = min(0.5, WIDEST / width)
    return max(2 * COLUMNS, round(width * scale)), max(2 * COLUMNS, round(height * scale))


def _opencv() -> Any:
    try:
        import cv2  # noqa: PLC0415
    except ImportError:
        raise InputError("This method measures optical flow with OpenCV: pip install 'saffa[baselines]'.") from None
    cv2.setNumThreads(1)
    return cv2
