"""VDAN on any video, offline: each moment's picture guides the reading of the text (paper, section 3.1).

e_v and e_d are the paper's. A picture speaks for a sentence as far as e_D·e_v is high and its attention lies on the
sentence; the steps' order and length then turn this evidence into relevance, as in the visual encoder. While a video
is being read (`open`) there is no future, and relevance is what the visited picture says by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints, Share
from saffa.core.video import Axis, Narration
from saffa.encoders.base import AlignmentRow, Query, video_file
from saffa.encoders.narrated.grid import Grid, sentence_weights
from saffa.encoders.narrated.lexicon import word_counts
from saffa.encoders.vdan.onnx_encoder import Pairs, ReadDocument
from saffa.encoders.vdan.picture_vdan import PictureVdan
from saffa.encoders.visual.confidence import Visited, certainty
from saffa.encoders.visual.encoder import GLANCE, in_order, pooled
from saffa.encoders.visual.evidence import LEVEL, VisualEvidence, Weighing, chance
from saffa.encoders.visual.frame_features import PictureBackbone, recall_or_see
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.shared_space import Backbone
from saffa.encoders.words import words
from saffa.media.thumbnails import small_picture
from saffa.storage.fingerprint import NO_PART
from saffa.storage.models import ModelFolder
from saffa.storage.store import Store

MIDDLE, SPREAD = 0.2, 0.15
"""e_D·e_v half way between pictures of a document and others, and a usual difference (docs/results/vdan.md)."""
WEIGHING = Weighing(usual=2.0, limit=4.0, trust=0.3)
"""Chosen on assembled validation videos."""


@dataclass(frozen=True, eq=False)
class PictureVdanEncoder:
    """Aligns a video with a text by a trained VDAN."""

    model: PictureVdan
    backbone: Backbone = field(default_factory=PictureBackbone)
    cache: Store | None = field(default=None, metadata=NO_PART)
    progress: Share = field(default=lambda _: None, metadata=NO_PART)
    streaming: bool = True
    judge: VisualModel = field(default_factory=VisualModel.load_for_videos)
    """Tells whether a text fits at all: the paper's attention spreads over whatever sentences there are."""

    @classmethod
    def of_folder(
        cls,
        folder: ModelFolder,
        reading: str = "",
        *,
        cache: Store | None = None,
        progress: Share = lambda _: None,
        threads: int = 0,
    ) -> Self:
        """Open a model folder; there is one way of `reading` it."""
        if reading:
            raise InputError(f"{folder.name} can be used as it is, not as @{reading}.")
        return cls(PictureVdan(folder, threads=threads), cache=cache, progress=progress)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.folder.name

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Align the whole video; what is said in it plays no part."""
        read = self.model.read(document.sentences)  # first: a text without words should fail before the long work
        grid = Grid.of(float(video.frames / video.rate), len(document))
        groups = grid.groups(len(document))
        lengths = word_counts([words(sentence) for sentence in document.sentences])
        seen = recall_or_see(video_file(video), self.backbone, self.cache, self.progress)
        features = pooled(seen, grid)
        sight = VisualEvidence.of(self.judge, document)
        images = self.judge.embed_images(features)
        pairs = self.model.pair(read, self.model.space(features))
        grouped = evidence_of(pairs, groups)
        shown = in_order(grouped, lengths, groups)
        surely = np.minimum(shown.sum(1, keepdims=True), 1.0)
        placed = surely * sentence_weights(shown, groups, lengths) + (1 - surely) * pairs.sentence_weights
        placed *= read.real  # a sentence without words is not shown
        return Alignment.of(
            self.name,
            video,
            document,
            times=grid.times(),
            e_v=pairs.e_v,
            e_d=pairs.e_d,
            relevance=(shown.sum(1) + chance(grouped)) / 2,
            sentence_weights=placed / np.maximum(placed.sum(1, keepdims=True), 1e-9),
            **certainty(sight, images, shown, grid.seconds, groups),
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> PictureReading:  # noqa: ARG002
        """Begin to read a video; only the visited pictures are looked at."""
        sight = VisualEvidence.of(self.judge, document)
        return PictureReading(self.model, self.model.read(document.sentences), self.backbone, sight)


class PictureReading:
    """Answers about one visited picture after the other."""

    window = 1

    def __init__(self, model: PictureVdan, document: ReadDocument, backbone: Backbone, sight: VisualEvidence) -> None:
        self._judge, self._visited = sight.model, Visited(sight)
        self.certainty = self._visited.certainty
        self.encoder = model.folder.name
        self._model, self._document, self._backbone = model, document, backbone
        self._sum = np.zeros(len(document.real), np.float32)
        self._count = 0
        self._last: tuple[float, AlignmentRow] | None = None

    def answer(self, query: Query) -> AlignmentRow:
        """The visited picture, measured against those visited so far; the last answer holds for a moment."""
        if self._last is not None and 0 <= query.seconds - self._last[0] < GLANCE:
            return self._last[1]
        still = query.stills[0]
        picture = small_picture(still.frame, self._backbone.size, still.rotation)[None]
        features = self._backbone.features(picture)
        self._visited.add(self._judge.embed_images(features)[0])
        pairs = self._model.pair(self._document, self._model.space(features))
        speaks = fit(pairs)[0]
        self._sum += speaks
        self._count += 1
        relevance = float(chance(WEIGHING(speaks - LEVEL * self._sum / self._count)[None])[0])
        answer = AlignmentRow(relevance, pairs.sentence_weights[0], pairs.e_d[0], pairs.e_v[0])
        self._last = query.seconds, answer
        return answer


def evidence_of(pairs: Pairs, groups: Sequence[Ints]) -> Floats:
    """Log-likelihood ratios (T, G) for groups of sentences: each as likely as its likeliest one."""
    speaks = fit(pairs)
    evidence = WEIGHING(speaks - LEVEL * speaks.mean(0))
    return np.stack([evidence[:, group].max(1) for group in groups], axis=1)


def fit(pairs: Pairs) -> Floats:
    """How much each of T pictures speaks for each of N sentences, (T, N): e_D·e_v and its attention there."""
    count = pairs.sentence_weights.shape[1]
    looks = np.log(count * pairs.sentence_weights + 1e-3)  # 0 where attention is even
    return np.asarray((pairs.relevance[:, None] - MIDDLE) / SPREAD + looks, np.float32)
