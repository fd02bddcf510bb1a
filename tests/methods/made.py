"""Made-up alignments for the samplers."""

from fractions import Fraction

import numpy as np

from saffa.core.alignment import Alignment


def alignment(frames: int, *, width: int = 16, seed: int = 0, grid: int = 30, flat: bool = False) -> Alignment:
    """30 fps, one grid time every `grid` frames, features that drift, relevance in hills (or `flat`)."""
    random = np.random.default_rng(seed)
    cells = max(1, frames // grid)
    hills = np.interp(np.linspace(0, 11, cells), np.arange(12), random.random(12))
    drift = np.cumsum(random.standard_normal((cells, width)), 0)
    asked = random.standard_normal(width)
    return Alignment(
        times=((np.arange(cells) + 0.5) * grid / 30).astype(np.float32),
        e_v=(drift / np.linalg.norm(drift, axis=1, keepdims=True)).astype(np.float32),
        e_d=np.tile(asked / np.linalg.norm(asked), (cells, 1)).astype(np.float32),
        relevance=(hills * (not flat)).astype(np.float32),
        sentence_weights=np.ones((cells, 1), np.float32),
        document=("stir the soup",),
        frames=frames,
        rate=Fraction(30),
        encoder="made",
    )
