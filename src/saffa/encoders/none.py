"""No encoder: a flat alignment, for methods that do not read the text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.narration import Narration
from saffa.core.video import Axis
from saffa.encoders.replay import Replay


@dataclass(frozen=True)
class NoEncoder:
    """Says the same about every moment."""

    name: str = "none"
    streaming: bool = True

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Two grid points, relevance 0."""
        unit = np.ones((2, 1), np.float32)
        return Alignment(
            times=np.array([0, video.frames / video.rate], np.float32),
            e_v=unit,
            e_d=unit,
            relevance=np.zeros(2, np.float32),
            sentence_weights=np.full((2, len(document)), 1 / len(document), np.float32),
            document=document.sentences,
            frames=video.frames,
            rate=video.rate,
            encoder=self.name,
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Replay:
        """The same, moment by moment."""
        return Replay(self.encode(video, document, narration))
