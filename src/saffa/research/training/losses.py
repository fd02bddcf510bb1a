"""What training minimises."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

MARGIN = 0.0


def pair_loss(e_v: Tensor, e_d: Tensor, labels: Tensor, margin: float = MARGIN) -> Tensor:
    """Cosine embedding loss (paper, eq. 6), mean over the batch: 1 − cos for pairs, max(0, cos − margin) for others.

    e_v, e_d (B, d) of any length; labels (B,) +1 or −1.
    """
    return functional.cosine_embedding_loss(e_v, e_d, labels, margin=margin)


def contrastive_loss(e_v: Tensor, e_t: Tensor, temperature: float, smoothing: float = 0.0) -> Tensor:
    """InfoNCE both ways: of all texts in the batch a clip must find its own, and a text its clip.

    e_v, e_t (B, d), unit norm, row b belongs to row b.
    """
    scores = e_v @ e_t.T / temperature
    right = torch.arange(len(scores), device=scores.device)
    to_text = functional.cross_entropy(scores, right, label_smoothing=smoothing)
    to_clip = functional.cross_entropy(scores.T, right, label_smoothing=smoothing)
    return (to_text + to_clip) / 2
