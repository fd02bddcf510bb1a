"""What B-frames are worth in a fast-forward: x264 at saffa's default preset with them and without, side by side.

    python -m benchmarks.b_frames [--every N] [VIDEO...]

Every N-th picture of each video (of the sample, and of a made one with grain) is encoded twice at the same crf.
Processor time and size are those without B-frames over those with; PSNR of the brightness is the difference, in dB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path

import av
import numpy as np

from benchmarks.render_speed import make_clip
from saffa.core.types import Floats
from saffa.media.writer import encoder_options
from saffa.sample import VIDEO

MOST = 200
WITH, WITHOUT = {"bf": "3"}, {"bf": "0"}


@dataclass(frozen=True)
class Encoded:
    """Processor seconds, bytes and mean squared error."""

    processor: float
    size: int
    error: float


def pictures(video: Path, every: int) -> list[av.VideoFrame]:
    with av.open(str(video)) as container:
        found = islice(container.decode(video=0), 0, every * MOST, every)
        return [frame.reformat(format="yuv420p") for frame in found]


def brightness(frame: av.VideoFrame) -> Floats:
    return np.asarray(frame.to_ndarray()[: frame.height], np.float32)


def encoded(frames: Sequence[av.VideoFrame], path: Path, more: dict[str, str]) -> Encoded:
    began = time.process_time()
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options=encoder_options("h264", None, None) | more)
        stream.width, stream.height = frames[0].width // 2 * 2, frames[0].height // 2 * 2
        stream.thread_type = "AUTO"
        for slot, frame in enumerate(frames):
            frame.pts, frame.time_base, frame.pict_type = slot, Fraction(1, 30), 0
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    processor = time.process_time() - began
    with av.open(str(path)) as container:
        pairs = zip(frames, container.decode(video=0), strict=True)
        errors = [np.mean((brightness(a)[: b.height, : b.width] - brightness(b)) ** 2) for a, b in pairs]
    return Encoded(processor, path.stat().st_size, float(np.mean(errors)))


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("videos", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=8)
    chosen = parser.parse_args(arguments)
    print(f"every {chosen.every}th picture, at most {MOST}\n")
    print("| | pictures | CPU | size | PSNR, dB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / "made.mp4"
        make_clip(made)
        for video in (made, VIDEO, *chosen.videos):
            frames = pictures(video, chosen.every)
            encoded(frames[:8], Path(name) / "o.mp4", WITH)  # the first time costs more
            a, b = (encoded(frames, Path(name) / "o.mp4", more) for more in (WITH, WITHOUT))
            gain = 10 * np.log10(a.error / b.error)
            cells = (f"{b.processor / a.processor:.2f}", f"{b.size / a.size:.3f}", f"{gain:+.2f}")
            print(f"| {video.name} | {len(frames)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
