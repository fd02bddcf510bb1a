"""VDAN on any video, offline: each moment's picture guides the reading of the text (paper, section 3.1).

Relevance is the paper's e_D·e_v, between −1 and 1, and a sentence's weight is its attention. Nothing else is added:
no order of steps and no smoothing but that of the pictures around a query. Those are the visual encoder's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import Narration
from saffa.core.types import Share
from saffa.core.video import Axis
from saffa.encoders.base import AlignmentRow, Query, video_file
from saffa.encoders.narrated.encoder import Grid
from saffa.encoders.vdan.onnx_encoder import ReadDocument
from saffa.encoders.vdan.picture_vdan import PictureVdan
from saffa.encoders.visual.encoder import GLANCE, pooled
from saffa.encoders.visual.frame_features import PictureBackbone, recall_or_see
from saffa.encoders.visual.shared_space import Backbone
from saffa.media.thumbnails import small_picture
from saffa.storage.fingerprint import NO_PART
from saffa.storage.models import ModelFolder
from saffa.storage.store import Store


@dataclass(frozen=True, eq=False)
class PictureVdanEncoder:
    """Aligns a video with a text by a trained VDAN."""

    model: PictureVdan
    backbone: Backbone = field(default_factory=PictureBackbone)
    cache: Store | None = field(default=None, metadata=NO_PART)
    progress: Share = field(default=lambda _: None, metadata=NO_PART)
    streaming: bool = True

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
        seen = recall_or_see(video_file(video), self.backbone, self.cache, self.progress)
        pairs = self.model.pair(read, self.model.space(pooled(seen, grid)))
        return Alignment.of(
            self.name,
            video,
            document,
            times=grid.times(),
            e_v=pairs.e_v,
            e_d=pairs.e_d,
            relevance=pairs.relevance,
            sentence_weights=pairs.sentence_weights,
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> PictureReading:  # noqa: ARG002
        """Begin to read a video; only the visited pictures are looked at."""
        return PictureReading(self.model, self.model.read(document.sentences), self.backbone)


class PictureReading:
    """Answers about one visited picture after the other."""

    window = 1

    def __init__(self, model: PictureVdan, document: ReadDocument, backbone: Backbone) -> None:
        self.encoder = model.folder.name
        self._model, self._document, self._backbone = model, document, backbone
        self._last: tuple[float, AlignmentRow] | None = None

    def answer(self, query: Query) -> AlignmentRow:
        """The visited picture, or the last answer while it is still about the same query."""
        if self._last is not None and 0 <= query.seconds - self._last[0] < GLANCE:
            return self._last[1]
        still = query.stills[0]
        picture = small_picture(still.frame, self._backbone.size, still.rotation)[None]
        pairs = self._model.pair(self._document, self._model.space(self._backbone.features(picture)))
        answer = AlignmentRow(float(pairs.relevance[0]), pairs.sentence_weights[0], pairs.e_d[0], pairs.e_v[0])
        self._last = query.seconds, answer
        return answer
