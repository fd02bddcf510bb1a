"""Would a difference term help: what changes within a moment, added to what is seen in it?

    python -m benchmarks.visual_difference --data DIR [--split validation]

The assembled videos (see `saffa evaluate assembled`). A cell's features are the mean of its pictures plus α times
(the mean 0.4 s later − the mean 0.4 s earlier); α = 0 is the shipped encoder. The model was not trained with such a
term: no captioned clips with pictures are at hand. Cells: mean frame AUC / share of step seconds whose sentence is
the right one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmarks.visual_fusion import area_and_right
from saffa.core.types import Floats
from saffa.core.video import Axis, Video
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.visual.encoder import POOL, VisualEncoder, pooled
from saffa.encoders.visual.frame_features import recall_or_see
from saffa.research.datasets.assembled import load
from saffa.storage.store import user_cache

SHARES = (0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True, eq=False)
class Changes(VisualEncoder):
    """Sees what changes, `share` times."""

    share: float = field(default=0.0, kw_only=True)

    def images(self, video: Axis, grid: Grid) -> Floats:
        assert isinstance(video, Video)
        seen = recall_or_see(video, self.backbone, self.cache, self.progress)
        halves = [pooled(replace(seen, times=seen.times + shift), grid) for shift in (POOL / 2, -POOL / 2)]
        return self.model.embed_images(pooled(seen, grid) + self.share * (halves[1] - halves[0]))


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="validation")
    chosen = parser.parse_args(arguments)
    videos = load(chosen.data, chosen.split)
    cache = user_cache()
    print("| α | AUC / right sentence |\n|---|---|")
    for share in SHARES:
        encoder = Changes(cache=cache, share=share)
        cells = []
        for video in videos:
            found = encoder.encode(video.file, video.document, None)
            cells.append(area_and_right(video, found))
        area, right = np.mean(cells, axis=0)
        print(f"| {share:g} | {area:.3f} / {right:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
