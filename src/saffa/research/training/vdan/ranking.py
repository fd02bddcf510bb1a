"""How far up each clip finds its own document among those of all clips (paper, section 4.4).

The paper encodes each document once, with its own clip as h0, so the right document has seen the clip it is to be
found by. The honest way encodes all documents with the clip that asks. With h0 = 0 or learned both are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saffa.core.types import Doubles
from saffa.research.training.vdan.networks import GuidedEncoder
from saffa.research.training.vdan.pairs import CaptionTable, draw_pairs

AnyFloats = NDArray[np.floating]


def cosine_scores(clips: AnyFloats, documents: AnyFloats) -> Doubles:
    """Scores (Q, N) of N documents for Q clips.

    Documents (N, d), each encoded once, with its own clip: the paper's way, which lets the clip leak into the
    text side. Documents (Q, N, d), all encoded anew with each query clip: the honest way.
    """
    rows, columns = _unit(clips), _unit(documents)
    scores: Doubles = np.einsum("qd,nd->qn" if columns.ndim == 2 else "qd,qnd->qn", rows, columns)
    return scores


def mean_reciprocal_rank(scores: AnyFloats) -> float:
    """(1/N) Σ 1 / rank of entry i in row i of scores (N, N). Equals share their places: a constant is no success."""
    right = np.diagonal(scores)[:, None]
    rank = 1 + (scores > right).sum(1) + ((scores == right).sum(1) - 1) / 2
    return float((1 / rank).mean())


def _unit(vectors: AnyFloats) -> Doubles:
    wide = np.asarray(vectors, np.float64)
    unit: Doubles = wide / np.maximum(np.linalg.norm(wide, axis=-1, keepdims=True), 1e-12)
    return unit


class ReciprocalRanks(NamedTuple):
    """`own`: documents encoded with their own clips (the paper's). `query`: with the clip that asks (honest)."""

    own: float
    query: float
    clips: int


@torch.no_grad()
def reciprocal_ranks(encoder: GuidedEncoder, visual: Tensor, table: CaptionTable, seed: int = 0) -> ReciprocalRanks:
    """Both ranks for clips φ(v) (N, z), each with one D+ drawn by `seed`."""
    encoder.eval()
    drawn = draw_pairs(table.counts, np.random.default_rng(seed))
    positive = {pair.clip: pair.document for pair in drawn if pair.label > 0}
    documents = [positive[clip] for clip in range(len(visual))]
    e_v = encoder.visual_head(visual).numpy()
    sentences, counts = _read(encoder, table, documents)
    own = encoder.text_head(_documents(encoder, sentences, counts, visual)).numpy()
    first = mean_reciprocal_rank(cosine_scores(e_v, own))
    if encoder.dims.h0 in ("zeros", "learned"):
        return ReciprocalRanks(first, first, len(visual))
    ranks = [
        encoder.text_head(_documents(encoder, sentences, counts, query.expand(len(documents), -1))).numpy()
        for query in visual
    ]
    return ReciprocalRanks(first, mean_reciprocal_rank(cosine_scores(e_v, np.stack(ranks))), len(visual))


def _read(
    encoder: GuidedEncoder, table: CaptionTable, documents: Sequence[tuple[tuple[int, int], ...]]
) -> tuple[Tensor, Tensor]:
    """Sentence vectors (N, S, p), zeros on padding, and sentence counts (N,): read once, whatever clip asks."""
    rows, counts = [], []
    for document in documents:
        ids, lengths = table.documents([document])
        net = encoder.text_embedder.doc_embedder.sent_embedder
        rows.append(net(torch.from_numpy(ids[0]), torch.from_numpy(lengths[0])).vectors)
        counts.append(len(document))
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor(counts)


def _documents(encoder: GuidedEncoder, sentences: Tensor, counts: Tensor, visual: Tensor) -> Tensor:
    return encoder.text_embedder.doc_embedder.document_level(sentences, counts, visual.contiguous()).vectors
