"""Training of the contrastive variant: InfoNCE between clips and means of a few of their captions.

Little data (899 MSVD clips), so: linear towers, dropout on both inputs, weight decay, label smoothing (captions of
other clips often fit too), random mixtures of a clip's features, and the mean of several networks.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from saffa.core.types import Ints, Share
from saffa.encoders.visual.sentences import SentenceMeans
from saffa.research.datasets.base import FeatureClips
from saffa.research.training.contrastive.encoder import KIND, open_contrastive
from saffa.research.training.run import write_arrays
from saffa.research.training.vdan.pairs import draw_pairs
from saffa.research.training.vdan.ranking import mean_reciprocal_rank
from saffa.research.training.word_vectors import read_words
from saffa.storage.models import ModelFolder

MODEL = "model"


@dataclass(frozen=True)
class ContrastiveSettings:
    """Chosen on msvd-long val."""

    embedding: int = 256
    epochs: int = 60
    batch: int = 256
    rate: float = 1e-3
    weight_decay: float = 0.1
    temperature: float = 0.1
    smoothing: float = 0.1
    visual_dropout: float = 0.5
    text_dropout: float = 0.3
    captions: int = 3
    """At most so many captions are averaged to one text."""


class Inputs:
    """Clips (n, m, z) and all their captions' vectors, centred and scaled; `spans` are each clip's captions."""

    def __init__(self, clips: FeatureClips, means: SentenceMeans) -> None:
        self.text = means([caption for own in clips.captions for caption in own])
        ends = np.cumsum([len(own) for own in clips.captions])
        self.first, self.count = ends - [len(own) for own in clips.captions], np.diff(ends, prepend=0)
        flat = clips.features.reshape(-1, clips.features.shape[-1])
        self.centres = flat.mean(0), self.text.mean(0)
        self.scales = float(flat.std(0).mean()), float(self.text.std(0).mean())
        self.visual = (clips.features - self.centres[0]) / np.float32(self.scales[0])
        self.text = (self.text - self.centres[1]) / np.float32(self.scales[1])

    def draw(self, clips: Ints, random: np.random.Generator, most: int) -> tuple[Tensor, Tensor]:
        """A random mixture of each clip's features, (B, z), and the mean of some of its captions, (B, t)."""
        evenness = random.choice([0.2, 1.0], size=len(clips))
        shares = random.gamma(evenness[:, None], size=(len(clips), self.visual.shape[1])) + 1e-12
        shares /= shares.sum(1, keepdims=True)
        visual = np.einsum("bm,bmz->bz", shares.astype(np.float32), self.visual[clips])
        rows = self.first[clips, None] + (random.random((len(clips), most)) * self.count[clips, None]).astype(np.int64)
        used = np.arange(most) < random.integers(1, most + 1, size=len(clips))[:, None]
        text = (self.text[rows] * used[..., None]).sum(1) / used.sum(1, keepdims=True)
        return torch.from_numpy(visual), torch.from_numpy(text.astype(np.float32))


def train_towers(inputs: Inputs, settings: ContrastiveSettings, seed: int) -> tuple[nn.Linear, nn.Linear]:
    """One pair of linear maps."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    visual = nn.Linear(inputs.visual.shape[-1], settings.embedding)
    text = nn.Linear(inputs.text.shape[-1], settings.embedding)
    optimizer = torch.optim.AdamW(
        [*visual.parameters(), *text.parameters()], settings.rate, weight_decay=settings.weight_decay
    )
    steps = settings.epochs * -(-len(inputs.visual) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, steps)
    for _ in range(settings.epochs):
        order = random.permutation(len(inputs.visual))
        for start in range(0, len(order), settings.batch):
            v, t = inputs.draw(order[start : start + settings.batch], random, settings.captions)
            e_v = functional.normalize(visual(functional.dropout(v, settings.visual_dropout)), dim=1)
            e_t = functional.normalize(text(functional.dropout(t, settings.text_dropout)), dim=1)
            loss = contrastive_loss(e_v, e_t, settings.temperature, settings.smoothing)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return visual, text


def contrastive_loss(e_v: Tensor, e_t: Tensor, temperature: float, smoothing: float = 0.0) -> Tensor:
    """InfoNCE both ways: of all texts in the batch a clip must find its own, and a text its clip.

    e_v, e_t (B, d), unit norm, row b belongs to row b.
    """
    scores = e_v @ e_t.T / temperature
    right = torch.arange(len(scores), device=scores.device)
    to_text = functional.cross_entropy(scores, right, label_smoothing=smoothing)
    to_clip = functional.cross_entropy(scores.T, right, label_smoothing=smoothing)
    return (to_text + to_clip) / 2


def train_contrastive(
    training: FeatureClips,
    validation: FeatureClips,
    words: Path,
    output: Path,
    *,
    seed: int = 123,
    networks: int = 5,
    settings: ContrastiveSettings | None = None,
    progress: Share = lambda _: None,
) -> dict[str, Any]:
    """Train `networks` pairs of towers with seeds from `seed` on and write them as one model folder."""
    settings = settings or ContrastiveSettings()
    vectors = read_words(words)
    table = {word: row for word, row in vectors.vocabulary.index.items() if row > 1}
    means = SentenceMeans.of_text((c for own in training.captions for c in own), table, vectors.vectors)
    inputs = Inputs(training, means)
    towers = []
    for number in range(networks):
        towers.append(train_towers(inputs, settings, seed + number))
        progress((number + 1) / networks)
    facts = {"kind": KIND, "settings": asdict(settings), "seed": seed, "networks": networks, "clips": len(training)}
    folder = _write(towers, inputs, means, output / MODEL, facts)
    return {"model": str(folder.path), "mrr": _rank(folder, validation), "mrr_clips": len(validation)}


def _write(
    towers: list[tuple[nn.Linear, nn.Linear]], inputs: Inputs, means: SentenceMeans, target: Path, facts: dict[str, Any]
) -> ModelFolder:
    arrays: dict[str, NDArray[Any]] = {}
    for side, name in enumerate(("visual", "text")):
        layers = [pair[side] for pair in towers]
        arrays[f"{name}.mean"] = inputs.centres[side].astype(np.float32)
        arrays[f"{name}.scale"] = np.array([inputs.scales[side]], np.float32)
        arrays[f"{name}.weight"] = np.stack([layer.weight.detach().numpy() for layer in layers]).astype(np.float16)
        arrays[f"{name}.bias"] = np.stack([layer.bias.detach().numpy() for layer in layers])
    kept, lists = means.arrays()
    return write_arrays(target, arrays | kept, lists, facts)


def _rank(folder: ModelFolder, clips: FeatureClips) -> float:
    """MRR over D+ documents as for VDAN+; a document scores with its best sentence. No clip leaks into any text."""
    encoder = open_contrastive(folder)
    e_v = encoder.visual(clips.features.mean(1))
    drawn = draw_pairs([len(own) for own in clips.captions], np.random.default_rng(0))
    documents = {pair.clip: pair.document for pair in drawn if pair.label > 0}
    columns = []
    for clip in range(len(clips)):
        e_t = encoder.text(encoder.sentences([clips.captions[source][i] for source, i in documents[clip]]))
        columns.append((e_v @ e_t.T).max(1))
    return mean_reciprocal_rank(np.stack(columns, axis=1))
