"""Made-up videos for the agent's tests."""

import numpy as np
from numpy.typing import NDArray

from saffa.methods.paper.embedding_track import Track


def embeddings(frames: int, width: int = 128, seed: int = 0) -> NDArray[np.float32]:
    """[e_D ; e_v], (frames, 2·width), unit norm each."""
    random = np.random.default_rng(seed)
    pairs = random.standard_normal((frames, 2, width))
    pairs /= np.linalg.norm(pairs, axis=2, keepdims=True)
    return pairs.reshape(frames, 2 * width).astype(np.float32)


def track(frames: int, width: int = 128, seed: int = 0) -> Track:
    return Track.of_embeddings(embeddings(frames, width, seed), f"video-{seed}")
