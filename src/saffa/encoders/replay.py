"""A finished Alignment, answered moment by moment: computed beforehand, or the same everywhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.video import Axis, Narration
from saffa.encoders.base import AlignmentRow, Query


class Replay:
    """Each part of an answer is from the grid time that a method reads it at in two passes, so both choose the same.

    Relevance and sentences are those of the newest time that has come (before the first one, of that one), as the
    compact agent reads them; embeddings those of the nearest time (`Alignment.row_of_frame`), as the published agent.
    """

    window = 0

    def __init__(self, alignment: Alignment) -> None:
        self.alignment, self.encoder = alignment, alignment.encoder
        self._times: list[float] = alignment.times.tolist()
        self._between = [(a + b) / 2 for a, b in zip(self._times[1:], self._times, strict=False)]
        self._relevance: list[float] = alignment.relevance.tolist()

    def answer(self, query: Query) -> AlignmentRow:
        """Look up a moment; any order will do."""
        newest = max(bisect_right(self._times, query.seconds) - 1, 0)
        nearest = bisect_left(self._between, query.seconds)
        known = self.alignment
        return AlignmentRow(
            self._relevance[newest], known.sentence_weights[newest], known.e_d[nearest], known.e_v[nearest]
        )

    def certainty(self) -> dict[str, Any]:
        """Fit and confidence as the alignment tells them."""
        known = self.alignment
        return {"fit": known.fit, "confidence": known.confidence, "by_pictures": known.by_pictures}


@dataclass(frozen=True)
class NoEncoder:
    """Says the same about every query."""

    name: str = "none"
    streaming: bool = True

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Two grid points, relevance 0."""
        unit = np.ones((2, 1), np.float32)
        return Alignment.of(
            self.name,
            video,
            document,
            times=np.array([0, video.frames / video.rate], np.float32),
            e_v=unit,
            e_d=unit,
            relevance=np.zeros(2, np.float32),
            sentence_weights=np.full((2, len(document)), 1 / len(document), np.float32),
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Replay:
        """Say the same about every moment that is visited."""
        return Replay(self.encode(video, document, narration))
