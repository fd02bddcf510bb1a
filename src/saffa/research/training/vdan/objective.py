"""What training minimises: the paper's loss, or the contrastive one with an attention term (a named departure)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from saffa.research.training.contrastive.training import contrastive_loss
from saffa.research.training.vdan.training import pair_loss

LOWEST = 1e-6
"""Attention below this costs no more."""


class Objective(nn.Module):
    """Sharpness of the contrastive scores (learnt), and a map from sentence vectors to the space of e_v.

    The map serves training alone: the word level learns from single sentences, long before the document level has
    found out what to attend to.
    """

    def __init__(self, sentence: int, embedding: int) -> None:
        super().__init__()
        self.sharpness = nn.Parameter(torch.tensor(10.0).log())
        self.sentence_sharpness = nn.Parameter(torch.tensor(15.0).log())
        self.sentence_map = nn.Linear(sentence, embedding)

    def contrastive(self, products: Tensor, own: Tensor, weights: Tensor, shape: tuple[int, int, int]) -> Tensor:
        """e_D·e_v (P,), own sentences and attention (P, m); P = blocks × documents × pictures of a block, `shape`.

        InfoNCE both ways with several right answers, whose log-probabilities are averaged, minus the logarithm of the
        attention on own sentences. Both know from how a document was made what is right; nothing is annotated.
        """
        right = own.any(1)
        scores = (products * self.sharpness.exp().clamp(max=100)).view(shape)
        wanted = right.view(shape).to(scores.dtype)
        likelihood = _spread_likelihood(scores, wanted, 2) + _spread_likelihood(scores, wanted, 1)
        return attention_loss(weights, own, right) - likelihood / 2

    def sentences(self, vectors: Tensor, e_v: Tensor) -> Tensor:
        """InfoNCE between single captions (B, p) and their pictures (B, d)."""
        mapped = functional.normalize(self.sentence_map(vectors), dim=1)
        return contrastive_loss(e_v * self.sentence_sharpness.exp().clamp(max=100), mapped, 1.0)


def cosine(e_v: Tensor, e_d: Tensor, own: Tensor) -> Tensor:
    """The paper's loss (eq. 6) for pairs (P, d): label +1 if the document has sentences of the picture."""
    labels = torch.where(own.any(1), 1, -1)
    return pair_loss(e_v, e_d, labels)


def attention_loss(weights: Tensor, own: Tensor, right: Tensor) -> Tensor:
    """Minus the mean logarithm of the attention that own sentences get, over the pairs that have some."""
    mass = (weights * own).sum(1)[right]
    return -mass.clamp(min=LOWEST).log().mean()


def _spread_likelihood(scores: Tensor, wanted: Tensor, axis: int) -> Tensor:
    """Mean log-probability of the right answers along an axis; lines without any do not count."""
    counts = wanted.sum(axis)
    likelihood = (torch.log_softmax(scores, axis) * wanted).sum(axis) / counts.clamp(min=1)
    return likelihood[counts > 0].mean()
