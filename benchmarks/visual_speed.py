"""The visual pass against decoding alone: wall and processor time, side by side in one run.

    python -m benchmarks.visual_speed [--rounds N] [--video FILE]
    python -m benchmarks.visual_speed --fidelity FILE...

The input is the one of `render_speed`: five minutes of 720p H.264. Decoding alone means every frame, with libav's
threads, and nothing done with it. The visual pass decodes, scales about two pictures a second and runs the network.
`--fidelity` compares its features with those of the same frames decoded in full and scaled by Pillow, as the pictures
were that the model was trained on: the cosine, and the cosine after taking away the file's mean feature.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.render_speed import make_inputs
from saffa.encoders.vdan.clips import squashed
from saffa.encoders.visual.frame_features import PictureBackbone, see
from saffa.encoders.words import unit
from saffa.media.container import Decode, open_movie, picture_stream, watch_only
from saffa.media.frame_stream import read_frames, upright
from saffa.media.probe import probe
from saffa.media.thumbnails import thumbnails


def decode_all(path: Path) -> int:
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        watch_only(container, stream)
        return sum(1 for _ in Decode(container, stream).frames())


def timed(work: Callable[[], int]) -> tuple[float, float, int]:
    wall, processor = time.perf_counter(), time.process_time()
    count = work()
    return time.perf_counter() - wall, time.process_time() - processor, count


def compare(path: Path, rounds: int) -> None:
    video = probe(path)
    backbone = PictureBackbone()
    runs = [(timed(lambda: decode_all(path)), timed(lambda: len(see(video, backbone).times))) for _ in range(rounds)]
    print(f"{float(video.duration):.0f} s of {video.width}×{video.height} {video.codec}, {os.cpu_count()} cores\n")
    print("| | pictures | wall s | CPU s |\n|---|---|---|---|")
    for name, side in (("decoding alone", 0), ("visual pass", 1)):
        wall, processor = (statistics.median(run[side][k] for run in runs) for k in (0, 1))
        print(f"| {name} | {runs[0][side][2]} | {wall:.1f} | {processor:.1f} |")
    wall, processor = (statistics.median(seen[k] / raw[k] for raw, seen in runs) for k in (0, 1))
    print(f"| ratio | | {wall:.2f} | {processor:.2f} |")


def fidelity(path: Path) -> str:
    video, backbone = probe(path), PictureBackbone()
    found = sorted(thumbnails(video, backbone.size), key=lambda look: look.time)[:60]
    cheap = np.concatenate([backbone.features(look.picture[None]) for look in found])
    places = [int(np.abs(video.times() - look.time).argmin()) for look in found]
    exact = np.concatenate(
        [
            backbone.features(squashed(upright(frame, video.rotation), backbone.size)[None])
            for _, frame in read_frames(video, places)
        ]
    )
    cells = []
    for mean in (np.zeros_like(exact[0]), exact.mean(0)):
        a, b = unit(cheap - mean), unit(exact - mean)
        cells.append(f"{(a * b).sum(1).mean():.3f}")
    return f"| {path.name} | {len(found)} | {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--video", type=Path, help="measure on this file instead")
    parser.add_argument("--fidelity", type=Path, nargs="+", help="compare features instead")
    chosen = parser.parse_args(arguments)
    if chosen.fidelity:
        print("| file | pictures | cosine | centred |\n|---|---|---|---|")
        for path in chosen.fidelity:
            print(fidelity(path), flush=True)
        return
    if chosen.video:
        compare(chosen.video, chosen.rounds)
        return
    with tempfile.TemporaryDirectory() as name:
        make_inputs(Path(name), 5)
        compare(Path(name) / "5.mp4", chosen.rounds)


if __name__ == "__main__":
    main(sys.argv[1:])
