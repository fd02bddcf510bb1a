"""VDAN that looks at pictures through the shipped backbone: a model folder at work, without PyTorch.

sentence.onnx, document.onnx   the H-RNN and both heads
weights.safetensors            what `PictureSpace` prepares pictures and words with
vocabulary.json                the words of its domain, row by row
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.encoders.vdan.onnx_encoder import ReadDocument, TextGraphs
from saffa.encoders.vdan.picture_space import Domain, PictureSpace, sentence_words
from saffa.storage.models import ModelFolder

KIND = "picture_vdan"
DOMAIN = "domain."
"""Prefix of the domain's arrays."""

Arrays = Mapping[str, NDArray[Any]]


class PictureVdan(TextGraphs):
    """Reads a document once, then says how every picture fits it."""

    def __init__(self, folder: ModelFolder, *, threads: int = 0) -> None:
        if folder.kind != KIND:
            raise InputError(f"{folder.name} is a model of kind {folder.kind}, not a VDAN of pictures.")
        super().__init__(folder, threads=threads)

    @cached_property
    def space(self) -> PictureSpace:
        """How features and words are prepared."""
        words = self.folder.words
        return self.folder.read(lambda stored: space_of({k: v.astype(np.float32) for k, v in stored.items()}, words()))

    def read(self, sentences: Sequence[str]) -> ReadDocument:
        """Encode a document's sentences; those without words are left out."""
        listed = [sentence_words(sentence) for sentence in sentences]
        vocabulary = sorted({word for own in listed for word in own})
        row = {word: number for number, word in enumerate(vocabulary)}
        table = self.space.word_vectors(vocabulary)
        lengths = np.array([len(own) for own in listed], np.int64)
        vectors = np.zeros((len(listed), max(1, int(lengths.max(initial=0))), table.shape[1]), np.float32)
        for place, own in enumerate(listed):
            vectors[place, : len(own)] = table[[row[word] for word in own]]
        return self.read_words(vectors, lengths)


def space_of(arrays: Arrays, words: Sequence[str]) -> PictureSpace:
    """Build the space from arrays by name and the domain's words."""
    own = {name[len(DOMAIN) :]: array for name, array in arrays.items() if name.startswith(DOMAIN)}
    domain = Domain(own, {word: row for row, word in enumerate(words)}) if own else None
    return PictureSpace(arrays["mean"], arrays["scale"], domain)


def arrays_of(space: PictureSpace) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """What `space_of` takes; maps and word vectors in half precision."""
    arrays: dict[str, NDArray[Any]] = {"mean": space.mean, "scale": space.scale}
    if space.domain is None:
        return arrays, []
    for name, array in space.domain.arrays.items():
        arrays[DOMAIN + name] = array.astype(np.float16 if array.ndim == 2 else np.float32)
    return arrays, sorted(space.domain.vocabulary, key=space.domain.vocabulary.__getitem__)
