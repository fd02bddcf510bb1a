"""An encoder that remembers: the alignment of a file, a text and a narration is computed once."""

from __future__ import annotations

from dataclasses import dataclass

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.narration import Narration
from saffa.core.video import Video
from saffa.encoders.base import Axis, Encoder
from saffa.storage.cache import Cache, content_of
from saffa.storage.fingerprint import alignment_key


@dataclass(frozen=True, eq=False)
class CachedEncoder:
    """Answers like `encoder`, from the cache where the same question was asked before. For whole files only."""

    encoder: Encoder
    cache: Cache

    @property
    def name(self) -> str:
        """Of the encoder inside."""
        return self.encoder.name

    streaming: bool = False

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Recall or align."""
        if not isinstance(video, Video):
            return self.encoder.encode(video, document, narration)
        name = f"alignment-{alignment_key(video, document, narration, self.encoder, content_of)[:40]}.npz"
        known = self.cache.recall(name, Alignment.load)
        if known is None:
            known = self.encoder.encode(video, document, narration)
            self.cache.keep(name, known.save)
        return known
