"""Run a named benchmark from its data folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from saffa.data import msvd_long, youcook2_narrated
from saffa.data.base import BenchmarkVideo
from saffa.encoders import load_encoder
from saffa.errors import InputError
from saffa.evaluation.benchmark import Report, evaluate
from saffa.selection import check_speed

LOADERS: dict[str, Callable[[Path, str], Sequence[BenchmarkVideo]]] = {
    "youcook2-narrated": youcook2_narrated.load,
    "msvd-long": msvd_long.load,
}

SHIPPED_ENCODER = "msvd-plus"
"""For msvd-long, whose videos are given in a feature space of their own."""


def run_benchmark(
    benchmark: str,
    data: Path,
    split: str,
    speed: float,
    methods: Sequence[str],
    *,
    encoder: str = "auto",
    shuffled_documents: bool = False,
    auc: bool = False,
    progress: Callable[[float], None] = lambda _: None,
) -> Report:
    """Load the videos, score the methods.

    `shuffled_documents` gives each video the text of another (msvd-long's control), `auc` adds the frame AUC.
    """
    if benchmark not in LOADERS:
        raise InputError(f"Unknown benchmark {benchmark!r}. Use one of: {', '.join(LOADERS)}.")
    if not methods:
        raise InputError("--methods names no method.")
    if shuffled_documents and benchmark != "msvd-long":
        raise InputError("--shuffled-documents is for msvd-long only.")
    if benchmark == "msvd-long":
        videos: Sequence[BenchmarkVideo] = msvd_long.load(data, split, shuffled_documents=shuffled_documents)
        encoder = SHIPPED_ENCODER if encoder == "auto" else encoder
    else:
        videos = LOADERS[benchmark](data, split)
    if not videos:
        raise InputError(f"{benchmark} has no videos in the split {split!r}.")
    rows, scores = evaluate(videos, load_encoder(encoder), methods, check_speed(speed), progress, auc=auc)
    return Report(benchmark, split, speed, rows, scores)
