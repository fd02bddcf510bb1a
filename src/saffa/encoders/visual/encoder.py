"""The `visual` encoder: relevance from the pictures of a video alone, on any video, offline.

1. About two pictures a second become features (`frame_features`); those around each cell of the grid are averaged.
2. The shipped model puts pictures and sentences into one space; `evidence` turns their agreement into evidence.
3. The chain of steps (`step_hmm`) smooths it and adds that steps tend to come in the order of the text. The order
   is soft: the chain may wander to any step at any time, and half of the relevance is what the moment says by itself.
   A sentence's weight is its chance to be shown; as far as no step is, the picture's attention decides.

While a video is being read (`open`) there is no future: the answer is what the visited picture says, measured against
the pictures visited so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.types import Doubles, Floats, Ints, Rgb, Share
from saffa.core.video import Axis, Narration
from saffa.encoders.base import AlignmentRow, Query, video_file
from saffa.encoders.narrated.grid import Grid, sentence_weights
from saffa.encoders.narrated.lexicon import word_counts
from saffa.encoders.step_hmm import StepHmm
from saffa.encoders.visual.confidence import Visited, certainty
from saffa.encoders.visual.evidence import ALONE, LEVEL, VisualEvidence, chance
from saffa.encoders.visual.frame_features import PictureBackbone, SeenVideo, recall_or_see
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.shared_space import Backbone, SharedSpace, attend
from saffa.encoders.words import words
from saffa.media.thumbnails import small_picture
from saffa.storage.fingerprint import NO_PART
from saffa.storage.store import Store

WANDER = 1e-4
"""Chance, each cell, that the video goes on anywhere in the text."""
POOL = 0.8
"""Seconds around the middle of a cell whose pictures are averaged."""
GLANCE = 0.4
"""Seconds for which an answer holds while a video is read: frames shown at 1x need not be looked at one by one."""


@dataclass(frozen=True, eq=False)
class VisualEncoder:
    """Aligns a video with a text by what is seen in it."""

    model: SharedSpace = field(default_factory=VisualModel.load_for_videos)
    backbone: Backbone = field(default_factory=PictureBackbone)
    cache: Store | None = field(default=None, metadata=NO_PART)
    progress: Share = field(default=lambda _: None, metadata=NO_PART)
    name: str = "visual"
    streaming: bool = True

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Align the whole video; what is said in it plays no part."""
        sight = VisualEvidence.of(self.model, document)  # first: a text without words should fail before the long work
        duration = float(video.frames / video.rate)
        grid = Grid.of(duration, len(document))
        groups = grid.groups(len(document))
        images = self.images(video, grid)
        lengths = word_counts([words(sentence) for sentence in document.sentences])
        evidence = sight.evidence(images, groups)
        shown = in_order(evidence, lengths, groups)
        documents, attention = attend(images, sight.sentences, self.model.sharpness)
        surely = np.minimum(shown.sum(1, keepdims=True), 1.0)
        weights = surely * sentence_weights(shown, groups, lengths) + (1 - surely) * attention
        return Alignment.of(
            self.name,
            video,
            document,
            times=grid.times(),
            e_v=images,
            e_d=documents,
            relevance=(shown.sum(1) + chance(evidence)) / 2,
            sentence_weights=weights,
            **certainty(sight, images, shown, grid.seconds, groups),
        )

    def images(self, video: Axis, grid: Grid) -> Floats:
        """Embedding of what is seen in each cell, (T, d), unit norm."""
        seen = recall_or_see(video_file(video), self.backbone, self.cache, self.progress)
        return self.model.embed_images(pooled(seen, grid))

    def open(self, video: Axis, document: Document, narration: Narration | None) -> VisualReading:  # noqa: ARG002
        """Begin to read a video; only the visited pictures are looked at."""
        return VisualReading(VisualEvidence.of(self.model, document), self.backbone, self.name)


def in_order(evidence: Floats, lengths: Doubles, groups: Sequence[Ints]) -> Floats:
    """Chance that each group of sentences is shown in each cell, (T, G), from evidence of that shape."""
    steps = np.array([lengths[group].sum() for group in groups])
    return StepHmm.over(len(evidence), steps, WANDER).posterior(evidence)


class VisualReading:
    """Answers about one visited picture after the other; `encoder` is the name under which they are recorded."""

    window = 1

    def __init__(self, sight: VisualEvidence, backbone: Backbone, encoder: str = "visual") -> None:
        self._sight, self._backbone, self.encoder = sight, backbone, encoder
        self._sum = np.zeros(len(sight.document), np.float32)
        self._count = 0
        self._last: tuple[float, AlignmentRow] | None = None
        self._visited = Visited(sight)
        self.certainty = self._visited.certainty

    def answer(self, query: Query) -> AlignmentRow:
        """The visited picture; sentences are measured against their mean fit so far."""
        if self._last is not None and 0 <= query.seconds - self._last[0] < GLANCE:
            return self._last[1]
        still = query.stills[0]
        seen = self.clip(small_picture(still.frame, self._backbone.size, still.rotation)[None])
        self._last = query.seconds, seen
        return seen

    def clip(self, pictures: Rgb) -> AlignmentRow:
        """A few pictures (n, 224, 224, 3) of one query."""
        return self.look(self._sight.model.embed_images(self._backbone.features(pictures).mean(0, keepdims=True))[0])

    def look(self, seen: Floats) -> AlignmentRow:
        """The embedding (d,) of a query."""
        model, image = self._sight.model, seen[None]
        fit = self._sight.fit(image)[0]
        self._visited.add(seen)
        self._sum += fit
        self._count += 1
        relevance = float(chance(ALONE(fit - LEVEL * self._sum / self._count)[None])[0])
        documents, weights = attend(image, self._sight.sentences, model.sharpness)
        return AlignmentRow(relevance, weights[0], documents[0], image[0])


def pooled(seen: SeenVideo, grid: Grid) -> Floats:
    """Mean features of the pictures around each cell, (T, z); where none is near, of the one still on screen."""
    centres = grid.times()
    reach = max(POOL, grid.seconds / 2)
    first = np.searchsorted(seen.times, centres - reach)
    end = np.searchsorted(seen.times, centres + reach, side="right")
    latest = np.clip(np.searchsorted(seen.times, centres, side="right") - 1, 0, None)
    first, end = np.where(end > first, first, latest), np.where(end > first, end, latest + 1)
    sums = np.concatenate([np.zeros((1, seen.features.shape[1])), np.cumsum(seen.features, 0, dtype=np.float64)])
    return np.asarray((sums[end] - sums[first]) / (end - first)[:, None], np.float32)
