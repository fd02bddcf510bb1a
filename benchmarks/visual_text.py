"""The paper's recurrent text network in place of the pooled one: same pictures, sentences, loss and epochs.

    python -m benchmarks.visual_text --data DIR [--epochs N] [--only pooled|recurrent] [--loss contrastive|cosine]

`pooled` is one network of the shipped model: mean of word vectors, two layers. `recurrent` is H-RNN (paper, section
3.1.1): a bi-GRU with attention over the words, another over the sentences, and a linear layer; a caption is a document
of one sentence, and the document level starts from zeros, so that a sentence can be embedded without a picture. Both
read the same word vectors (WordLlama beside GloVe). Scores are of the validation parts: coco, flickr8k.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from saffa.core.types import Floats
from saffa.encoders.vdan.dimensions import Dimensions
from saffa.encoders.visual.sentences import SentenceMeans
from saffa.encoders.words import unit, word_vectors, words
from saffa.research.datasets import image_text
from saffa.research.datasets.image_text import COOKING, ImageText
from saffa.research.evaluation.image_text import score_pairs
from saffa.research.training.contrastive.training import contrastive_loss
from saffa.research.training.vdan.networks import DocumentEncoder
from saffa.research.training.vdan.training import pair_loss
from saffa.research.training.visual.kitchen_words import WordSettings
from saffa.research.training.visual.run import Sources
from saffa.research.training.visual.training import (
    GeneralSettings,
    TwoLayerHead,
    batch_count,
    shuffled_batches,
)

LONGEST = 24
"""Words of a caption that the recurrent network reads."""
HIDDEN = 128

Read = Callable[[Sequence[str]], Tensor]
"""Sentences to inputs (m, ...) of a text network."""


class Recurrent(nn.Module):
    """Token ids (m, L) to unit-norm embeddings (m, g) through both levels of H-RNN."""

    def __init__(self, vectors: Floats, settings: GeneralSettings) -> None:
        super().__init__()
        self.dims = Dimensions(
            vocabulary=len(vectors),
            word=vectors.shape[1],
            word_hidden=HIDDEN,
            word_attention=2 * HIDDEN,
            sentence_hidden=HIDDEN,
            sentence_attention=2 * HIDDEN,
            h0="zeros",
        )
        self.document = DocumentEncoder(self.dims)
        self.document.sent_embedder.word_embedding_layer.weight.data.copy_(torch.from_numpy(vectors))
        self.last = nn.Linear(self.dims.document, settings.embedding)

    def forward(self, tokens: Tensor) -> Tensor:
        """A row of padding only is read as one unknown word."""
        lengths = (tokens > 0).sum(1).clamp(min=1)
        nothing = torch.zeros(len(tokens), self.dims.visual)
        encoded = self.document(tokens[:, None], lengths[:, None], nothing)
        return functional.normalize(self.last(encoded.document), dim=1)


def word_table(means: SentenceMeans, sentences: Sequence[str]) -> tuple[dict[str, int], Floats]:
    """Numbers from 2 on (0 padding, 1 unknown) for the words, and their vectors (V, 356), each half of unit length."""
    vocabulary = sorted({word for sentence in sentences for word in words(sentence)})
    glove = np.zeros((len(vocabulary), means.glove_vectors.shape[1]), np.float32)
    for row, word in enumerate(vocabulary):
        if word in means.glove:
            glove[row] = means.glove_vectors[means.glove[word]]
    vectors = np.concatenate([unit(word_vectors(vocabulary)), unit(glove)], axis=1)
    table = np.concatenate([np.zeros((2, vectors.shape[1]), np.float32), vectors])
    return {word: row + 2 for row, word in enumerate(vocabulary)}, 4 * table  # about 0.3 a number, as GloVe has them


def token_reader(numbers: dict[str, int]) -> Read:
    def read(sentences: Sequence[str]) -> Tensor:
        rows = np.zeros((len(sentences), LONGEST), np.int64)
        for row, sentence in enumerate(sentences):
            found = [numbers.get(word, 1) for word in words(sentence)][:LONGEST]
            rows[row, : len(found)] = found
        return torch.from_numpy(rows)

    return read


def mean_reader(sources: Sources) -> Read:
    return lambda sentences: torch.from_numpy(sources.scalings[1](sources.means(sentences)))


def batch_loss(e_v: Tensor, e_t: Tensor, sharpness: Tensor, cosine: bool) -> Tensor:
    """Of a batch of pairs, unit norm (B, g); `sharpness` is the logarithm of 1 / temperature."""
    if cosine:  # the paper's, with as many wrong pairs as right ones
        wrong, ones = e_t.roll(1, 0), torch.ones(len(e_v))
        return pair_loss(torch.cat([e_v, e_v]), torch.cat([e_t, wrong]), torch.cat([ones, -ones]))
    return contrastive_loss(e_v * sharpness.exp().clamp(max=100), e_t, 1.0)


def train(
    sources: Sources, inputs: Sequence[Tensor], text: nn.Module, settings: GeneralSettings, seed: int, cosine: bool
) -> Callable[[Floats], Floats]:
    """Train both sides together, as `train_network` does; gives the image side."""
    random = np.random.default_rng(seed)
    image = TwoLayerHead(sources.general[0].images.shape[2], settings, settings.image_dropout)
    sharpness = nn.Parameter(torch.tensor(float(-np.log(settings.temperature))))
    weights = [p for net in (image, text) for p in net.parameters() if p.requires_grad]
    groups = [{"params": weights, "weight_decay": settings.weight_decay}, {"params": [sharpness], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, settings.rate)
    steps = settings.epochs * sum(batch_count(part, settings) for part in sources.general)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, steps, pct_start=0.1)
    places = {part.name: place for place, part in enumerate(sources.general)}
    for epoch in range(settings.epochs):
        losses, start = [], time.perf_counter()
        for part, rows in shuffled_batches(sources.general, settings, random):
            crops = random.integers(len(part.images), size=len(rows))
            sentences = part.first[rows] + (random.random(len(rows)) * part.count[rows]).astype(np.int64)
            e_v = image(torch.from_numpy(sources.scalings[0](part.images[crops, rows])))
            loss = batch_loss(e_v, text(inputs[places[part.name]][sentences]), sharpness, cosine)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        spent = time.perf_counter() - start
        print(f"  epoch {epoch + 1}: loss {np.mean(losses):.3f}, {spent:.0f} s", file=sys.stderr, flush=True)
    image.eval()
    text.eval()

    @torch.no_grad()
    def embed(features: Floats) -> Floats:
        return np.asarray(image(torch.from_numpy(sources.scalings[0](features))).numpy(), np.float32)

    return embed


@torch.no_grad()
def score(pictures: ImageText, embed: Callable[[Floats], Floats], text: nn.Module, read: Read) -> str:
    inputs = read(pictures.sentences)
    sentences = torch.cat([text(inputs[start : start + 2000]) for start in range(0, len(inputs), 2000)])
    scores = embed(pictures.features()) @ sentences.numpy().T
    row = score_pairs(pictures.name, scores, pictures.owners, None)
    return f"{row.r10:.3f} / {row.auc:.3f}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--only", choices=["pooled", "recurrent"])
    parser.add_argument("--loss", choices=["contrastive", "cosine"], default="contrastive")
    parser.add_argument("--rate", type=float, default=GeneralSettings.rate)
    chosen = parser.parse_args(arguments)
    settings = GeneralSettings(epochs=chosen.epochs, rate=chosen.rate)
    sources = Sources.read(chosen.data, chosen.data / "glove" / "glove_100d_subset.npz", WordSettings())
    training = [image_text.load(chosen.data, part.name).part("train").sentences for part in sources.general]
    print("| text network | weights | coco R@10 / AUC | flickr8k R@10 / AUC |\n|---|---|---|---|")
    for name in ("pooled", "recurrent") if chosen.only is None else (chosen.only,):
        torch.manual_seed(123)
        text: nn.Module
        if name == "pooled":
            text = TwoLayerHead(sources.general[0].text.shape[1], settings, settings.text_dropout)
            read = mean_reader(sources)
            inputs = [torch.from_numpy(sources.scalings[1](part.text)) for part in sources.general]
        else:
            numbers, vectors = word_table(sources.means, [sentence for own in training for sentence in own])
            text, read = Recurrent(vectors, settings), token_reader(numbers)
            inputs = [read(own) for own in training]
        embed = train(sources, inputs, text, settings, 123, chosen.loss == "cosine")
        size = sum(p.numel() for p in text.parameters() if p.requires_grad)
        cells = [score(part, embed, text, read) for part in sources.validation if part.name != COOKING]
        print(f"| {name}, {chosen.loss} | {size:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
