"""Run a named benchmark from its data folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from saffa.data import youcook2_narrated
from saffa.encoders import load_encoder
from saffa.errors import InputError
from saffa.evaluation.benchmark import Report, evaluate
from saffa.selection import check_speed

LOADERS = {"youcook2-narrated": youcook2_narrated.load}


def run_benchmark(
    benchmark: str,
    data: Path,
    split: str,
    speed: float,
    methods: Sequence[str],
    *,
    encoder: str = "auto",
    progress: Callable[[float], None] = lambda _: None,
) -> Report:
    """Load the videos, score the methods."""
    if benchmark not in LOADERS:
        raise InputError(f"Unknown benchmark {benchmark!r}. Use one of: {', '.join(LOADERS)}.")
    if not methods:
        raise InputError("--methods names no method.")
    videos = LOADERS[benchmark](data, split)
    if not videos:
        raise InputError(f"{benchmark} has no videos in the split {split!r}.")
    rows, scores = evaluate(videos, load_encoder(encoder), methods, check_speed(speed), progress)
    return Report(benchmark, split, speed, rows, scores)
