"""Word vectors for training, from a GloVe text file or an npz of `words` and `vectors`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from saffa.core.errors import InputError
from saffa.encoders.vdan.glove import WordVectors, read_glove


def read_words(path: Path) -> WordVectors:
    """By extension. An npz without "a" (some sources leave out single letters) gets the vector of "an" for it."""
    if path.suffix != ".npz":
        return read_glove(path)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words, vectors = [str(word) for word in arrays["words"]], arrays["vectors"].astype(np.float32)
    except FileNotFoundError:
        raise InputError(f"There is no file of word vectors {path}.") from None
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} does not hold words and vectors ({error}).") from None
    if "a" not in words and "an" in words:
        vectors = np.concatenate([vectors, vectors[words.index("an")][None]])
        words.append("a")
    return WordVectors.of_words(words, vectors)
