"""Narration, pictures and both, on narrated YouCook2 training videos of which some frames are known.

    python -m benchmarks.visual_fusion --data DIR

78 videos of youcook2_narrated have a frame for three of their steps in image_text. The text is those three sentences.
While one of the three steps is shown, the picture is its frame with some noise; the rest of the time it is a frame of
another cooking video. Pictures and sentences are compared by a linear map fitted to the frames of all other videos,
so nothing here was seen in training. The narration is real; columns leave out parts of it. Cells: frame AUC / share of
step seconds whose sentence is the right one. Made pictures: it compares ways to fuse, it does not measure videos.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.types import Floats
from saffa.core.video import Axis, Narration
from saffa.encoders.fused import FusedEncoder
from saffa.encoders.narrated.encoder import NarratedEncoder
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.visual.encoder import VisualEncoder
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.sentences import SentenceMeans
from saffa.encoders.words import unit
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.image_text import COOKING, ImageText, load
from saffa.research.datasets.narrated import load as load_narrated
from saffa.research.evaluation.roc import frame_auc
from saffa.research.training.visual.cooking import CookingMap, CookingSettings, fit_cooking


@dataclass(frozen=True, eq=False)
class LinearSpace:
    image: CookingMap
    text: CookingMap
    means: SentenceMeans
    sharpness: float = 0.0

    def embed_images(self, features: Floats) -> Floats:
        return unit(np.asarray((features - self.image.mean) / self.image.scale @ self.image.map, np.float32))

    def embed_sentences(self, sentences: Sequence[str]) -> Floats:
        return unit(np.asarray((self.means(sentences) - self.text.mean) / self.text.scale @ self.text.map, np.float32))


@dataclass(frozen=True, eq=False)
class GivenPictures(VisualEncoder):
    """Looks at frames by number instead of at a file."""

    frames: ImageText = field(kw_only=True)
    steps: dict[int, tuple[int, int]] = field(kw_only=True)
    """Seconds of each step by the row of its frame."""

    def images(self, video: Axis, grid: Grid) -> Floats:
        random = np.random.default_rng(video.frames)
        rows = np.repeat(random.integers(0, len(self.frames), len(grid.times())), 8)[: grid.cells]
        for row, (start, end) in self.steps.items():
            rows[(grid.times() >= start) & (grid.times() < end)] = row
        features = self.frames.features(0, rows)
        return self.model.embed_images(np.maximum(0, features * (1 + 0.2 * random.standard_normal(features.shape))))


def left(narration: Narration, video: BenchmarkVideo, what: str) -> Narration:
    half = video.frames / float(video.rate) / 2

    def kept(second: float) -> bool:
        return what == "all" or (second < half if what == "first half" else second // 60 % 4 == 0)

    return replace(narration, cues=tuple(cue for cue in narration.cues if kept(float(cue.start))))


def area_and_right(video: BenchmarkVideo, found: Alignment) -> tuple[float, float]:
    """Frame AUC, and the share of the seconds of steps whose sentence is the right one."""
    at = found.times.astype(np.float64) * float(video.rate)
    shown = np.full(len(at), -1)
    for k, (start, end) in enumerate(video.steps):
        shown[(at >= start) & (at < end)] = k
    step = shown >= 0
    right = float(np.mean(found.sentence_weights.argmax(1)[step] == shown[step]))
    return frame_auc(found.relevance, step), right


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args(arguments).data
    frames, videos = load(data, COOKING), {video.id: video for video in load_narrated(data, "training")}
    own: dict[str, list[tuple[int, int]]] = {}
    for row, name in enumerate(frames.ids):
        own.setdefault(name.rpartition("_")[0], []).append((int(name.rpartition("_")[2]), row))
    others = [row for row, name in enumerate(frames.ids) if name.rpartition("_")[0] not in videos]
    means, rest = VisualModel.load().means, frames.take(others)
    crops = np.stack([rest.features(crop) for crop in range(rest.crops)])
    space = LinearSpace(*fit_cooking(crops, means([own[0] for own in rest.captions]), CookingSettings()), means)
    results: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for name in sorted(own.keys() & videos.keys()):
        video, known = videos[name], sorted(own[name])
        text = Document(tuple(video.document.sentences[k] for k, _ in known))
        short = replace(video, document=text, steps=tuple(video.steps[k] for k, _ in known))
        fps = float(video.rate)
        spans = {row: (int(video.steps[k][0] / fps), int(video.steps[k][1] / fps)) for k, row in known}
        eyes = GivenPictures(model=space, frames=frames, steps=spans)
        for what in ("all", "first half", "every fourth minute"):
            said = left(video.narration or Narration(()), video, what)
            for encoder in (NarratedEncoder(), eyes, FusedEncoder(eyes)) if len(said) else ():
                found = encoder.encode(short, text, said)
                results.setdefault((encoder.name, what), []).append(area_and_right(short, found))
    columns = list(dict.fromkeys(what for _, what in results))
    print(f"| | {' | '.join(columns)} |\n|---|---|---|---|")
    for way in ("narrated", "visual", "fused"):
        cells = [np.mean(results[way, what], axis=0) for what in columns]
        print(f"| {way} | {' | '.join(f'{area:.3f} / {right:.2f}' for area, right in cells)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
