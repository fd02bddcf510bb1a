"""An encoder that remembers: the alignment of a video, a text and a narration is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.video import Axis, Narration
from saffa.encoders.base import Encoder
from saffa.storage.fingerprint import content_print, fingerprint
from saffa.storage.store import Store

RESULTS = 6
"""Version of what the encoders of this package compute; tests/encoders/test_golden_alignments.py says when it rises."""


@dataclass(frozen=True, eq=False)
class StoredEncoder:
    """Answers like `encoder`, from the store where the same was asked before.

    `code` is a fingerprint of the encoder's code, for those who change it; users of a released version need none.
    """

    encoder: Encoder
    store: Store
    code: str = ""
    streaming: bool = False

    @property
    def name(self) -> str:
        """Name of the encoder inside."""
        return self.encoder.name

    @cached_property
    def _print(self) -> str:
        return fingerprint(RESULTS, self.code, self.encoder)

    def entry(self, video: Axis, document: Document, narration: Narration | None) -> str:
        """Name in the store of the alignment of these."""
        content = content_print(video, document, narration, self.store.content_of)
        return f"{fingerprint(content, self._print)}.npz"

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Recall or align."""
        entry = self.entry(video, document, narration)
        known = self.store.recall(entry, Alignment.load)
        if known is None:
            known = self.encoder.encode(video, document, narration)
            self.store.keep(entry, known.save)
        return known
