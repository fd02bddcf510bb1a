"""Encoders side by side on MSVD-Long: ROC curves, frame AUC with own and with shuffled documents.

    python -m benchmarks.encoder_roc --data DIR --split test --figure roc.png NAME=ENCODER …

An ENCODER is what `--encoder` takes. Curves and areas are per video, then averaged.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from saffa.core.types import Doubles
from saffa.encoders.registry import load_encoder
from saffa.research.datasets import msvd_long
from saffa.research.evaluation.metrics import truth_of
from saffa.research.evaluation.roc import frame_auc, roc_curve
from saffa.research.reproduce.figures import draw_roc


def measure(encoder: str, data: Path, split: str, shuffled: bool) -> tuple[list[Doubles], float]:
    """The curve of every video, and the mean area."""
    loaded = load_encoder(encoder)
    curves, areas = [], []
    for video in msvd_long.load(data, split, shuffled_documents=shuffled):
        relevance = loaded.encode(video, video.document, None).relevance_per_frame()
        truth = truth_of(video.steps, video.frames)
        curves.append(roc_curve(relevance, truth))
        areas.append(frame_auc(relevance, truth))
    return curves, float(np.nanmean(areas))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoders", nargs="*", default=["msvd-plus=msvd-plus"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--split", default="test")
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args(arguments)
    curves: dict[str, list[Doubles]] = {}
    areas: dict[str, float] = {}
    print("| encoder | own documents | shuffled documents |\n|---|---|---|")
    for name, encoder in (pair.split("=", 1) for pair in options.encoders):
        curves[name], areas[name] = measure(encoder, options.data, options.split, False)
        _, control = measure(encoder, options.data, options.split, True)
        print(f"| {name} | {areas[name]:.3f} | {control:.3f} |", flush=True)
    if options.figure is not None:
        draw_roc(curves, areas, options.figure.with_suffix(""))


if __name__ == "__main__":
    main()
