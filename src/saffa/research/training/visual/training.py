"""Training of the visual model's general space: two-layer heads on photographs with captions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from saffa.core.types import Floats, Ints
from saffa.encoders.visual.sentences import KitchenWords, SentenceMeans
from saffa.encoders.words import words
from saffa.research.datasets.image_text import ImageText
from saffa.research.training.contrastive.training import contrastive_loss

CHUNK = 2000
"""Sentences read at once: their table of words is dense."""
LEAST_SEEN = 3
"""Words met less often count as unseen."""


@dataclass(frozen=True)
class GeneralSettings:
    """Chosen on coco val and flickr8k val."""

    hidden: int = 512
    embedding: int = 128
    epochs: int = 16
    batch: int = 512
    rate: float = 1e-3
    weight_decay: float = 0.05
    temperature: float = 0.05
    """At the start; it is learnt."""
    image_dropout: float = 0.2
    text_dropout: float = 0.1
    hidden_dropout: float = 0.2


class TwoLayerHead(nn.Module):
    """Features (B, i) to unit-norm embeddings (B, g)."""

    def __init__(self, width: int, settings: GeneralSettings, dropout: float) -> None:
        super().__init__()
        self.first = nn.Linear(width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.embedding)
        self.dropout, self.hidden_dropout = dropout, settings.hidden_dropout

    def forward(self, x: Tensor) -> Tensor:
        """Dropout only while training."""
        hidden = self.first(functional.dropout(x, self.dropout, self.training))
        hidden = functional.dropout(functional.gelu(hidden, approximate="tanh"), self.hidden_dropout, self.training)
        return functional.normalize(self.second(hidden), dim=1)


@dataclass(frozen=True, eq=False)
class PictureSet:
    """A training set: features (crops, n, i), sentences (m, t), and where each picture's sentences lie."""

    name: str
    images: Floats = field(repr=False)
    text: Floats = field(repr=False)
    first: Ints = field(repr=False)
    count: Ints = field(repr=False)

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, data: ImageText, means: SentenceMeans, kitchen: KitchenWords | None = None) -> PictureSet:
        """Read all crops and all sentences; with `kitchen` its vectors stand beside the general ones."""
        count = np.array([len(own) for own in data.captions])
        images = np.stack([data.features(crop) for crop in range(data.crops)])
        text = sentence_features(means, data.sentences)
        if kitchen is not None:
            text = np.concatenate([text, kitchen(data.sentences, means)], axis=1)
        return cls(data.name, images, text, np.cumsum(count) - count, count)

    def draw(self, rows: Ints, random: np.random.Generator) -> tuple[Floats, Floats]:
        """One crop and one sentence of each picture."""
        crops = random.integers(len(self.images), size=len(rows))
        sentences = self.first[rows] + (random.random(len(rows)) * self.count[rows]).astype(np.int64)
        return self.images[crops, rows], self.text[sentences]


@dataclass(frozen=True, eq=False)
class Scaling:
    """One side's inputs are centred on `mean` (i,) and divided by the number `scale`."""

    mean: Floats
    scale: float

    @classmethod
    def of(cls, parts: Sequence[Floats]) -> Scaling:
        """Measure the scaling over all rows of all parts."""
        rows = sum(len(part) for part in parts)
        mean = sum(part.sum(0, dtype=np.float64) for part in parts) / rows
        spread = sum(np.square(part - mean.astype(np.float32)).sum(0, dtype=np.float64) for part in parts) / rows
        return cls(mean.astype(np.float32), float(np.sqrt(spread.mean())))

    def __call__(self, x: Floats) -> Floats:
        """Centred and scaled."""
        return np.asarray((x - self.mean) / np.float32(self.scale), np.float32)


@dataclass(frozen=True, eq=False)
class TrainedHeads:
    """A trained pair of heads as arrays: first (h, i), first_bias, second (g, h), second_bias for each side."""

    image: Mapping[str, Floats]
    text: Mapping[str, Floats]


def sentence_means(sets: Iterable[Sequence[str]], glove: Mapping[str, int], vectors: Floats) -> SentenceMeans:
    """Rarity from several texts that count the same, whatever their size: −log of the mean share of sentences."""
    seen, longest, number = Counter[str](), 1, 0
    shares: dict[str, float] = {}
    for sentences in sets:
        number += 1
        longest = max(longest, len(sentences))
        met = Counter(word for sentence in sentences for word in set(words(sentence)))
        seen.update(met)
        for word, times in met.items():
            shares[word] = shares.get(word, 0.0) + times / len(sentences)
    rarity = {word: float(-np.log(shares[word] / number)) for word in sorted(shares) if seen[word] >= LEAST_SEEN}
    return SentenceMeans(rarity, max(rarity.values(), default=float(np.log(1 + longest))), glove, vectors)


def sentence_features(means: SentenceMeans, sentences: Sequence[str]) -> Floats:
    """(m, t), in pieces."""
    pieces = [means(sentences[start : start + CHUNK]) for start in range(0, len(sentences), CHUNK)]
    return np.concatenate(pieces)


def train_network(
    sets: Sequence[PictureSet],
    scalings: tuple[Scaling, Scaling],
    settings: GeneralSettings,
    seed: int,
    epoch_done: Callable[[int, float], None] = lambda *_: None,
) -> TrainedHeads:
    """One pair of heads. A batch is of one set, so that telling the sets apart is no success."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    image = TwoLayerHead(sets[0].images.shape[2], settings, settings.image_dropout)
    text = TwoLayerHead(sets[0].text.shape[1], settings, settings.text_dropout)
    sharpness = nn.Parameter(torch.tensor(float(-np.log(settings.temperature))))
    heads = [*image.parameters(), *text.parameters()]
    optimizer = torch.optim.AdamW(
        [{"params": heads, "weight_decay": settings.weight_decay}, {"params": [sharpness], "weight_decay": 0.0}],
        settings.rate,
    )
    steps = settings.epochs * sum(batch_count(part, settings) for part in sets)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, steps, pct_start=0.1)
    for epoch in range(settings.epochs):
        losses = []
        for part, rows in shuffled_batches(sets, settings, random):
            x, t = (torch.from_numpy(s(f)) for s, f in zip(scalings, part.draw(rows, random), strict=True))
            loss = contrastive_loss(image(x) * sharpness.exp().clamp(max=100), text(t), 1.0)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        epoch_done(epoch + 1, float(np.mean(losses)))
    return TrainedHeads(_arrays(image), _arrays(text))


def batch_count(part: PictureSet, settings: GeneralSettings) -> int:
    """Number of batches in one pass over a set."""
    return -(-len(part) // settings.batch)


def shuffled_batches(
    sets: Sequence[PictureSet], settings: GeneralSettings, random: np.random.Generator
) -> list[tuple[PictureSet, Ints]]:
    """One pass over all sets: batches of one set each, in any order."""
    batches = [
        (part, rows)
        for part in sets
        for rows in np.array_split(random.permutation(len(part)), batch_count(part, settings))
    ]
    return [batches[place] for place in random.permutation(len(batches))]


def _arrays(head: TwoLayerHead) -> dict[str, Floats]:
    layers = {"first": head.first, "second": head.second}
    weights = {name: layer.weight.detach().numpy() for name, layer in layers.items()}
    return weights | {f"{name}_bias": layer.bias.detach().numpy() for name, layer in layers.items()}
