"""The cooking space of the visual model, and the gate that opens it: closed-form or convex fits on few pairs.

About a thousand pairs with 1280 numbers a picture: what helps is centring on the domain and strong regularisation, not
depth. The map is the bilinear form W = (C_x + r_x)⁻¹ C_xt (C_t + r_t)⁻¹ of ridge regression both ways, cut by its
singular values into a projection for each side.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn import functional

from saffa.core.types import Doubles, Floats
from saffa.research.training.visual.kitchen_words import WordSettings


@dataclass(frozen=True)
class CookingSettings:
    """Chosen by 5-fold cross-validation by video."""

    image_ridge: float = 20.0
    """In units of the mean variance of an input."""
    text_ridge: float = 10.0
    rank: int = 128
    floor: float = 0.1
    """Added to each input's deviation, in units of all inputs' deviation: near-constant inputs stay small."""
    gate_decay: float = 1e-3
    least: float = 0.3
    """The cooking space's share in a picture that is surely not cooking: the gate of pictures misses some frames, while
    that of sentences is nearly always right and has 0 there."""
    most: float = 0.8
    """The cooking space's share where a scene is surely cooking."""
    words: WordSettings = field(default_factory=WordSettings)


@dataclass(frozen=True, eq=False)
class CookingMap:
    """The map of one side: (features − mean) / scale @ map, shapes (i,), (i,), (i, c)."""

    mean: Floats
    scale: Floats
    map: Floats


def fit_cooking(images: Floats, text: Floats, settings: CookingSettings) -> tuple[CookingMap, CookingMap]:
    """Fit both sides to features of the crops of n frames (crops, n, i) and of their sentences (n, t)."""
    crops, n, width = images.shape
    flat = images.reshape(crops * n, width).astype(np.float64)
    mean, scale = flat.mean(0), flat.std(0) + settings.floor * flat.std()
    x = (flat - mean) / scale
    text_mean = text.mean(0, dtype=np.float64)
    t = text.astype(np.float64) - text_mean
    c_x, c_t = x.T @ x / len(x), t.T @ t / len(t)
    c_xt = x.reshape(crops, n, width).sum(0).T @ t / len(x)
    left = np.linalg.solve(_ridged(c_x, settings.image_ridge), c_xt)
    both = np.linalg.solve(_ridged(c_t, settings.text_ridge), left.T).T
    u, s, v = np.linalg.svd(both, full_matrices=False)
    rank, root = min(settings.rank, len(s)), np.sqrt(s)
    image_side = CookingMap(_f32(mean), _f32(scale), _f32((u * root)[:, :rank]))
    return image_side, CookingMap(_f32(text_mean), np.ones(t.shape[1], np.float32), _f32((v.T * root)[:, :rank]))


def fit_gate(cooking: Floats, other: Floats, decay: float) -> tuple[Floats, Floats]:
    """Logistic regression (weight (i,), bias (1,)) that tells cooking rows from others; both sides count the same."""
    x = torch.from_numpy(np.concatenate([cooking, other]).astype(np.float32))
    wanted = torch.cat([torch.ones(len(cooking)), torch.zeros(len(other))])
    share = torch.cat([torch.full((len(part),), 0.5 / len(part)) for part in (cooking, other)])
    weight, bias = torch.zeros(x.shape[1], requires_grad=True), torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=60)

    def loss() -> float:
        optimizer.zero_grad()
        errors = functional.binary_cross_entropy_with_logits(x @ weight + bias, wanted, reduction="none")
        total = (share * errors).sum() + decay * weight.square().sum()
        total.backward()  # type: ignore[no-untyped-call]
        return float(total.detach())

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return weight.detach().numpy(), bias.detach().numpy()


def _ridged(covariance: Doubles, ridge: float) -> Doubles:
    size = len(covariance)
    return np.asarray(covariance + np.eye(size) * (ridge * np.trace(covariance) / size), np.float64)


def _f32(array: Doubles) -> Floats:
    return np.ascontiguousarray(array, np.float32)
