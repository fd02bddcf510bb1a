"""A VDAN in training as a reader of documents, for `picture_documents`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from saffa.core.types import Floats, Ints
from saffa.research.training.vdan.captioned_sets import CaptionedSet
from saffa.research.training.vdan.networks import GuidedEncoder
from saffa.research.training.vdan.shared_reading import read_pairs

_TOGETHER = 25
"""Documents read at once."""


@dataclass(frozen=True, eq=False)
class SetReader:
    """One caption of each picture of a set, encoded once: `sentences` (n, p); φ(v) (n, width)."""

    encoder: GuidedEncoder
    sentences: Tensor
    phi: Tensor

    @classmethod
    @torch.no_grad()
    def of(
        cls, encoder: GuidedEncoder, read: Callable[[Tensor], Tensor], part: CaptionedSet, seed: int = 5
    ) -> SetReader:
        """`read` gives the vectors of caption rows."""
        encoder.eval()
        random = np.random.default_rng(seed)
        captions = part.first + (random.random(len(part)) * part.count).astype(np.int64)
        return cls(encoder, read(torch.from_numpy(captions)), torch.from_numpy(part.phi[0].astype(np.float32)))

    @torch.no_grad()
    def __call__(self, documents: Ints, pictures: Ints) -> tuple[Floats, Floats]:
        """Documents (N, m) read with pictures (N, k) → e_D·e_v (N, k), weights (N, k, m)."""
        parts = [
            self._some(torch.from_numpy(documents[start : start + _TOGETHER]), pictures[start : start + _TOGETHER])
            for start in range(0, len(documents), _TOGETHER)
        ]
        products, weights = (np.concatenate(both) for both in zip(*parts, strict=True))
        return products, weights

    def _some(self, documents: Tensor, pictures: Ints) -> tuple[Floats, Floats]:
        count, width = pictures.shape
        document = torch.arange(count).repeat_interleave(width)
        shown = self.phi[torch.from_numpy(pictures.ravel())]
        pairs = (document, torch.arange(count * width))
        read = read_pairs(self.encoder.text_embedder.doc_embedder, self.sentences, documents, shown, pairs)
        products = (self.encoder.text_head(read.vectors) * self.encoder.visual_head(shown)).sum(1)
        return products.view(count, width).numpy(), read.weights.view(count, width, -1).numpy()
