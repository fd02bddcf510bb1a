"""An imported encoder at work: three ONNX graphs and a table of word vectors, no PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from safetensors import safe_open

from saffa.core.errors import InputError
from saffa.core.types import Flags, Floats, Ints, Rgb
from saffa.encoders.vdan.clips import ClipShape
from saffa.encoders.vdan.dimensions import TEXT, Dimensions
from saffa.encoders.vdan.vocabulary import Vocabulary
from saffa.storage.fingerprint import fingerprint
from saffa.storage.models import BACKBONE, DOCUMENT, SENTENCE, WEIGHTS, ModelFolder, open_session

WORDS = TEXT + "sent_embedder.word_embedding_layer.weight"
_TOGETHER = 64  # clips that share a run of the document level


class ReadDocument(NamedTuple):
    """A document that is read once for all clips: vectors (R, p) of its R sentences with words, `real` (S,) says which.

    `word_weights` (S, L) is the attention inside each sentence.
    """

    vectors: Floats
    real: Flags
    word_weights: Floats


class Pairs(NamedTuple):
    """B clips with one document of S sentences: e_d, e_v (B, d), sentence_weights (B, S)."""

    e_d: Floats
    e_v: Floats
    sentence_weights: Floats

    @property
    def relevance(self) -> Floats:
        """e_d · e_v, (B,): the paper's measure of how well a clip fits the document."""
        relevance: Floats = np.einsum("bd,bd->b", self.e_d, self.e_v)
        return relevance


class TextGraphs:
    """The two text graphs of a model folder: words → sentence vectors, and sentences with clips → embeddings."""

    def __init__(self, folder: ModelFolder, *, threads: int = 0) -> None:
        self.folder, self._threads = folder, threads
        self.dimensions = Dimensions.from_json(folder.facts["dimensions"])

    @property
    def sha256(self) -> str:
        """Hash of the model's manifest, which has that of every file."""
        return fingerprint(self.folder.facts)

    @cached_property
    def _sentence(self) -> Any:
        return open_session(self.folder.path / SENTENCE, self._threads)

    @cached_property
    def _document(self) -> Any:
        return open_session(self.folder.path / DOCUMENT, self._threads)

    def read_words(self, vectors: Floats, lengths: Ints) -> ReadDocument:
        """Encode sentences of word vectors (S, L, w) with `lengths` (S,); those without words are left out."""
        real = lengths > 0
        if not real.any():
            raise InputError("The text has no words.")
        inputs = {"word_vectors": vectors[real], "lengths": lengths[real].astype(np.int32)}
        sentences, weights = self._sentence.run(["sentences", "word_weights"], inputs)
        word_weights = np.zeros(vectors.shape[:2], np.float32)
        word_weights[real] = weights
        return ReadDocument(sentences, real, word_weights)

    def pair(self, document: ReadDocument, features: Floats) -> Pairs:
        """Features (B, z) with one document; costs only the document level."""
        runs = [self._pair(document, features[i : i + _TOGETHER]) for i in range(0, len(features), _TOGETHER)]
        return Pairs(*(np.concatenate(parts) for parts in zip(*runs, strict=True)))

    def _pair(self, document: ReadDocument, features: Floats) -> Pairs:
        inputs = {"sentences": document.vectors, "features": np.asarray(features, np.float32)}
        e_d, e_v, attention = self._document.run(["e_d", "e_v", "sentence_weights"], inputs)
        weights = np.zeros((len(features), len(document.real)), np.float32)
        weights[:, document.real] = attention
        return Pairs(e_d, e_v, weights)


class OnnxEncoder(TextGraphs):
    """VDAN+ or VDAN from a model folder. `threads` = 0 leaves the number to ONNX Runtime."""

    def __init__(self, folder: ModelFolder, *, threads: int = 0) -> None:
        if folder.kind not in ("vdan_plus", "vdan"):
            raise InputError(f"{folder.name} is a model of kind {folder.kind}, not an encoder.")
        super().__init__(folder, threads=threads)
        self.shape = ClipShape(**folder.facts["clip"])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words it knows."""
        return Vocabulary.of_words(self.folder.words())

    @cached_property
    def _backbone(self) -> Any:
        if not self.folder.has(BACKBONE):
            raise InputError(f"{self.folder.name} has no backbone: it works on given features, not on videos.")
        return open_session(self.folder.path / BACKBONE, self._threads)

    def word_vectors(self, ids: Ints) -> Floats:
        """Rows (…, w) of the word table; only the pages with these words are read from disk."""
        unique, places = np.unique(ids, return_inverse=True)
        with safe_open(self.folder.path / WEIGHTS, framework="numpy") as file:
            table = file.get_slice(WORDS)
            rows = np.concatenate([table[int(i) : int(i) + 1] for i in unique])
        vectors: Floats = rows[places.reshape(ids.shape)].astype(np.float32)
        return vectors

    def read(self, sentences: Sequence[str]) -> ReadDocument:
        """Encode a document's sentences; those without words are left out."""
        ids, lengths = self.vocabulary.ids(sentences)
        return self.read_words(self.word_vectors(ids), lengths)

    def features(self, clip: Rgb) -> Floats:
        """φ(v), (z,), of one clip (frames, size, size, 3)."""
        features: Floats = self._backbone.run(["features"], {"clips": self.shape.normalised(clip)[None]})[0][0]
        return features
