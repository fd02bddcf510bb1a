"""The documents of a batch: own captions among those of other pictures, as in the paper, of mixed length.

A batch is B pictures in blocks of b, each block of one set, and c captions of each picture: row i·c + j is the j-th
caption of picture i. A document holds all c captions of k pictures of one block, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from saffa.core.types import Flags, Ints


@dataclass(frozen=True)
class DocumentShape:
    """k pictures with c captions each make a document; b pictures make a block, which has n documents."""

    pictures: int
    captions: int
    block: int
    documents: int

    def within(self, pictures: int) -> DocumentShape:
        """This shape for a set of so few pictures: a document never holds all of its block."""
        block = min(self.block, pictures)
        return replace(self, block=block, pictures=min(self.pictures, max(1, block - 1)))


CONTRASTIVE = (
    (0.10, DocumentShape(1, 1, 16, 16)),
    (0.15, DocumentShape(2, 1, 16, 16)),
    (0.10, DocumentShape(3, 1, 16, 16)),
    (0.25, DocumentShape(4, 1, 16, 16)),
    (0.10, DocumentShape(6, 1, 16, 12)),
    (0.06, DocumentShape(2, 2, 16, 16)),
    (0.04, DocumentShape(4, 2, 16, 8)),
    (0.10, DocumentShape(8, 1, 32, 16)),
    (0.06, DocumentShape(12, 1, 32, 12)),
    (0.04, DocumentShape(16, 1, 32, 8)),
)
"""How often each shape is drawn. Longer documents are fewer, so that each step costs about the same."""

PAIRED = (
    (0.4, DocumentShape(2, 1, 16, 16)),
    (0.3, DocumentShape(2, 2, 16, 16)),
    (0.1, DocumentShape(4, 1, 16, 16)),
    (0.1, DocumentShape(4, 2, 16, 16)),
    (0.1, DocumentShape(8, 1, 32, 32)),
)
"""For the paper's pairs: mostly captions of two pictures, as published."""


@dataclass(frozen=True, eq=False)
class Documents:
    """N documents of m sentences: `sentences` (N, m) are rows of captions, `sources` (N, m) the pictures they are of.

    P pairs to be read: document `document` (P,) with picture `picture` (P,).
    """

    sentences: Ints
    sources: Ints
    document: Ints
    picture: Ints

    @property
    def own(self) -> Flags:
        """(P, m): which sentences of the pair's document are captions of the pair's picture."""
        return np.asarray(self.sources[self.document] == self.picture[:, None])


def draw_shape(shapes: tuple[tuple[float, DocumentShape], ...], random: np.random.Generator) -> DocumentShape:
    """One shape, by its share."""
    shares = np.array([share for share, _ in shapes])
    return shapes[int(random.choice(len(shapes), p=shares / shares.sum()))][1]


def block_documents(batch: int, shape: DocumentShape, random: np.random.Generator) -> Documents:
    """Every document of a block is read with all b pictures of the block; which are its own is known from here."""
    starts = np.arange(0, batch, shape.block)
    chosen = [
        start + random.permutation(shape.block)[: shape.pictures] for start in starts for _ in range(shape.documents)
    ]
    sentences, sources = _mixed(np.stack(chosen), shape.captions, random)
    first = np.repeat(starts, shape.documents)
    document = np.repeat(np.arange(len(first)), shape.block)
    picture = (first[:, None] + np.arange(shape.block)).ravel()
    return Documents(sentences, sources, document, picture)


def paired_documents(batch: int, shape: DocumentShape, random: np.random.Generator) -> Documents:
    """The paper's: for each picture a D+ (its captions and others') and a D− (others' alone), each read with it."""
    chosen = []
    for own in (True, False):
        for picture in range(batch):
            start = picture - picture % shape.block
            others = start + random.permutation(shape.block)
            others = others[others != picture]
            members = [picture, *others[: shape.pictures - 1]] if own else others[: shape.pictures]
            chosen.append(np.array(members))
    sentences, sources = _mixed(np.stack(chosen), shape.captions, random)
    return Documents(sentences, sources, np.arange(2 * batch), np.tile(np.arange(batch), 2))


def _mixed(pictures: Ints, captions: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Documents of k pictures (N, k) as caption rows and pictures (N, k·c), in random order."""
    rows = (pictures[..., None] * captions + np.arange(captions)).reshape(len(pictures), -1)
    rows = random.permuted(rows, axis=1)
    return rows, rows // captions
