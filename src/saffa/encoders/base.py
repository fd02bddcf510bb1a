"""What every encoder offers: a video and a text in, an Alignment out."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from saffa.alignment import Alignment
from saffa.document import Document
from saffa.narration import Narration


class Axis(Protocol):
    """The part of a video that places frames in time. A probed `Video` is one, a benchmark entry too."""

    @property
    def frames(self) -> int:
        """Number of frames."""

    @property
    def rate(self) -> Fraction:
        """Frames per second."""


class Encoder(Protocol):
    """Compares the moments of a video with the sentences of a document."""

    @property
    def name(self) -> str:
        """As in `--encoder`."""

    @property
    def streaming(self) -> bool:
        """Whether it can answer one clip at a time, so that an agent can run in a single pass."""

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Align the whole video."""
