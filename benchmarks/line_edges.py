"""Where slow stretches begin and end: inside a spoken line or between two, with --whole-lines off and on.

    python -m benchmarks.line_edges --data DIR [--speeds 12,8,4] [--split validation]

An edge is a frame at which the speed rises above 2x or falls to it; it is inside a line if it is further than 0.3 s
from both of its ends. Beside the share of such edges: F1 and step_hit, as in `saffa evaluate` (plan-balanced), which
knows no lines and so has the figures of "off".
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles, Ints
from saffa.encoders.registry import load_encoder
from saffa.methods.planner.moments import WholeLines, inside_lines
from saffa.methods.planner.plan import Plan
from saffa.methods.planner.search import SLOW
from saffa.research.datasets import narrated
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.metrics import score

FAR = 0.3
"""Seconds from the ends of a line."""


def slow_edges(frames: Ints) -> Ints:
    """Selected frames at which the speed rises above 2x or falls to it."""
    slow = np.diff(frames) <= SLOW
    return np.asarray(frames[1:-1][slow[1:] != slow[:-1]], np.int64)


def inside(frames: Ints, alignment: Alignment) -> Doubles:
    """1 for each edge inside a spoken line, else 0."""
    assert alignment.lines is not None
    lines = WholeLines.of(alignment.lines, 0.0).lines
    return inside_lines(lines, alignment.frames, float(alignment.rate), FAR)[slow_edges(frames)]


def row(seen: Sequence[tuple[BenchmarkVideo, Alignment]], speed: float, *, whole: bool) -> tuple[int, Doubles]:
    """Number of edges; share of them inside a line, F1 and step_hit."""
    edges, scores = [], []
    for video, alignment in seen:
        frames = Plan(whole_lines=whole).select(alignment, speed).frames
        edges.append(inside(frames, alignment))
        found = score(frames, video, alignment.sentence_at((frames / float(video.rate)).tolist()))
        scores.append((found.f1, found.step_hit))
    every = np.concatenate(edges)
    return len(every), np.array([every.mean(), *np.nanmean(scores, axis=0)])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Edges of slow stretches inside spoken lines.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speeds", default="12,8,4")
    parser.add_argument("--split", default="validation")
    options = parser.parse_args()
    encoder = load_encoder("narrated")
    print("| set | speed | edges off, on | inside off | inside on | F1 off | F1 on | step_hit off | step_hit on |")
    print("|---" * 9 + "|")
    for name in (narrated.COOKING, *(narrated.OTHERS if options.split == "validation" else ())):
        videos = narrated.load(options.data, options.split, name)
        seen = [(v, encoder.encode(v, v.document, v.narration).with_lines(v.narration)) for v in videos]
        for speed in map(float, options.speeds.split(",")):
            (before, off), (after, on) = (row(seen, speed, whole=whole) for whole in (False, True))
            figures = " | ".join(f"{a:.{d}f} | {b:.{d}f}" for a, b, d in zip(off, on, (3, 2, 3), strict=True))
            print(f"| {name} | {speed:g}× | {before}, {after} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
