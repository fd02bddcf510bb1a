"""What documents of several sentences allow, if single sentences have this AUC: the best of all ways of reading.

    python -m benchmarks.document_limit .733 .797 .81

A picture's scores for its own sentence and for others are taken to be normal, of equal spread and independent; then
the sum of the likelihood ratios of a document's sentences tells best whether the picture belongs to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from saffa.research.evaluation.roc import frame_auc

SIZES = (4, 8, 16)
PICTURES = 100_000


def limit(single: float, size: int) -> float:
    """AUC of the sum of likelihood ratios over `size` sentences, one of which is the picture's own or none is."""
    distance = 2**0.5 * NormalDist().inv_cdf(single)
    scores = np.random.default_rng(0).normal(size=(2 * PICTURES, size))
    own = np.arange(len(scores)) < PICTURES
    scores[own, 0] += distance
    return frame_auc(np.exp(distance * scores).sum(1), own)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("singles", nargs="+", type=float, metavar="AUC")
    options = parser.parse_args(arguments)
    print("| single sentences | " + " | ".join(f"documents of {size}" for size in SIZES) + " |")
    print("|---" * (len(SIZES) + 1) + "|")
    for single in options.singles:
        print(f"| {single:.3f} | " + " | ".join(f"{limit(single, size):.3f}" for size in SIZES) + " |")


if __name__ == "__main__":
    main()
