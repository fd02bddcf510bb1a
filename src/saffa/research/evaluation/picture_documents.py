"""Does an encoder tell the pictures of a document from others, and where does it look in the document?

A document holds one sentence of each of m pictures. Its pictures and m others are shown; e_D is read with each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints, Share
from saffa.encoders.registry import load_encoder
from saffa.encoders.vdan.onnx_encoder import ReadDocument, TextGraphs
from saffa.encoders.vdan.picture_encoder import PictureVdanEncoder
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.shared_space import attend
from saffa.research.datasets import image_text
from saffa.research.datasets.image_text import ImageText
from saffa.research.evaluation.image_text import AUTOMATIC, ranks, whole_split

Reader = Callable[[Ints, Ints], tuple[Floats, Floats]]
"""Documents (N, m) as numbers of the pictures whose sentences they hold, and pictures (N, k) to read each with →
e_D·e_v (N, k) and the sentences' weights (N, k, m)."""

BENCHMARK = "picture-documents"
SIZES = (1, 4, 8, 16)
"""Sentences of the documents that are tried."""
DOCUMENTS = 400
RANKED = 200
"""Pictures that are ranked: the honest way reads the square of it."""


class DocumentScores(NamedTuple):
    """
    auc            chance that a picture of the document has a higher product than one that is not
    wrong_auc      the same with a document of other pictures: 0.5 if it is the text that counts
    document_auc   chance that a picture prefers its own document to another one
    attention      mean weight of a picture's own sentence; by chance it is 1/m
    top            share of pictures whose own sentence has the highest weight
    own, other     mean and deviation of the products, for pictures of the document and for the others
    """

    sentences: int
    auc: float
    wrong_auc: float
    document_auc: float
    attention: float
    top: float
    own: tuple[float, float]
    other: tuple[float, float]


def score_documents(reader: Reader, pictures: int, sentences: int, seed: int = 5) -> DocumentScores:
    """Scores of a set of so many pictures; where they are few, the documents are shorter."""
    size = max(1, min(sentences, pictures // 2))
    random = np.random.default_rng(seed)
    shown = np.stack([random.permutation(pictures)[: 2 * size] for _ in range(DOCUMENTS)])
    products, weights = reader(shown[:, :size], shown)
    wrong, _ = reader(np.roll(shown[:, :size], 1, axis=0), shown)
    own = weights[:, np.arange(size), np.arange(size)]
    return DocumentScores(
        sentences=size,
        auc=_auc(products, size),
        wrong_auc=_auc(wrong, size),
        document_auc=_above(products[:, :size], wrong[:, :size]),
        attention=float(own.mean()),
        top=float((weights[:, :size].argmax(2) == np.arange(size)).mean()),
        own=_spread(products[:, :size]),
        other=_spread(products[:, size:]),
    )


def reciprocal_rank(reader: Reader, pictures: int, sentences: int = 4, seed: int = 5) -> float:
    """Mean reciprocal rank at which a picture finds its own document, all documents read with the picture that asks.

    Documents hold a sentence of their picture among others'; no other document holds it.
    """
    count, size = min(RANKED, pictures // 2), max(2, min(sentences, pictures // 2))
    random = np.random.default_rng(seed)
    order = random.permutation(pictures)
    asked, strangers = order[:count], order[count:]
    documents = np.stack([random.permutation([one, *random.choice(strangers, size - 1)]) for one in asked])
    products, _ = reader(documents, np.tile(asked, (count, 1)))
    return float((1 / ranks(products.T, np.arange(count))).mean())


def _auc(products: Floats, size: int) -> float:
    return _above(products[:, :size, None], products[:, None, size:])


def _above(one: Floats, other: Floats) -> float:
    """Equals count half."""
    return float(((one > other) + 0.5 * (one == other)).mean())


def _spread(products: Floats) -> tuple[float, float]:
    return float(products.mean()), float(products.std())


@dataclass(frozen=True, eq=False)
class VdanReader:
    """A trained VDAN: `sentences` (n, p) are encoded once, φ(v) (n, width) are prepared."""

    model: TextGraphs
    sentences: Floats
    phi: Floats

    def __call__(self, documents: Ints, pictures: Ints) -> tuple[Floats, Floats]:
        """See `Reader`."""
        products, weights = [], []
        for document, shown in zip(documents, pictures, strict=True):
            real = np.ones(len(document), np.bool_)
            read = ReadDocument(self.sentences[document], real, np.zeros((len(document), 1), np.float32))
            pairs = self.model.pair(read, self.phi[shown])
            products.append(pairs.relevance)
            weights.append(pairs.sentence_weights)
        return np.stack(products), np.stack(weights)


@dataclass(frozen=True, eq=False)
class VisualReader:
    """The visual encoder's space, where attention is a softmax over similarities."""

    model: VisualModel
    sentences: Floats
    images: Floats

    def __call__(self, documents: Ints, pictures: Ints) -> tuple[Floats, Floats]:
        """See `Reader`."""
        products, weights = [], []
        for document, shown in zip(documents, pictures, strict=True):
            attended = attend(self.images[shown], self.sentences[document], self.model.sharpness)
            products.append((attended.documents * self.images[shown]).sum(1))
            weights.append(attended.weights)
        return np.stack(products), np.stack(weights)


def reader_of(encoder: str, pictures: ImageText, seed: int = 5) -> Reader:
    """An encoder by name, on one caption of each picture."""
    random = np.random.default_rng(seed)
    sentences = [own[int(random.integers(len(own)))] for own in pictures.captions]
    if encoder in ("auto", "visual"):
        visual = VisualModel.load()
        return VisualReader(visual, visual.embed_sentences(sentences), visual.embed_images(pictures.features()))
    loaded = load_encoder(encoder)
    if not isinstance(loaded, PictureVdanEncoder):
        raise InputError(f"{BENCHMARK} compares visual, vdan and what `saffa train vdan` made, not {encoder}.")
    read = loaded.model.read(sentences)
    if not read.real.all():
        raise InputError(f"{pictures.name}: a caption has no words.")
    return VdanReader(loaded.model, read.vectors, loaded.model.space(pictures.features()))


def evaluate_documents(
    data: Path,
    encoder: str,
    split: str = AUTOMATIC,
    sizes: Sequence[int] = SIZES,
    progress: Share = lambda _: None,
) -> dict[str, Any]:
    """Every set of DIR/image_text with documents of every size, and the reciprocal rank with documents of four."""
    rows: list[dict[str, Any]] = []
    names = image_text.available(data)
    for done, name in enumerate(names):
        pictures = image_text.load(data, name)
        chosen = whole_split(pictures) if split == AUTOMATIC else split
        part = pictures.part(chosen)
        reader = reader_of(encoder, part)
        rank = reciprocal_rank(reader, len(part))
        for size in sizes:
            scores = score_documents(reader, len(part), size)._asdict()
            rows.append({"dataset": name, "split": chosen, "pictures": len(part), **scores, "mrr": rank})
        progress((done + 1) / len(names))
    return {"benchmark": BENCHMARK, "encoder": encoder, "rows": rows}
