"""Alignments of a benchmark's videos as a folder that `saffa train saffa` reads.

    python -m benchmarks.bench_alignments msvd-long train -o FOLDER --encoder ENCODER --data DIR

Files that are there already are kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.paper_agent import DATA
from saffa.encoders.registry import load_encoder
from saffa.research.datasets.store import axis_of


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Alignments of a benchmark.")
    parser.add_argument("benchmark", choices=sorted(DATA))
    parser.add_argument("split")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    encoder = load_encoder(options.encoder)
    for video in DATA[options.benchmark](options.data, options.split):
        path = options.output / f"{video.id}.npz"
        if not path.exists():
            encoder.encode(axis_of(video), video.document, video.narration).save(path)


if __name__ == "__main__":
    main()
