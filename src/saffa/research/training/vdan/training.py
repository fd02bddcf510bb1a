"""Training of VDAN+ and VDAN on pairs of clips and documents, in one process or many, from the start or resumed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from saffa.core.errors import InputError
from saffa.core.types import Progress, Share
from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.training.run import RunLog, World, open_board, read_state, write_state
from saffa.research.training.vdan.importing import import_checkpoint
from saffa.research.training.vdan.networks import GuidedEncoder, Vdan, VdanPlus
from saffa.research.training.vdan.pairs import FEWEST, CaptionTable, ClipPair, ClipSource, draw_pairs
from saffa.research.training.vdan.ranking import reciprocal_ranks
from saffa.research.training.word_vectors import WordVectors

BEST, LAST, MODEL = "best.pth", "last.pt", "model"
RANKED = 500  # clips at most: the honest rank reads N² documents
SMALLEST = 8  # a last batch with fewer pairs joins the one before: batch norm needs company, and each process a part
_VALIDATION = 10**6  # stands where an epoch's number would in the seed of the validation documents


@dataclass(frozen=True)
class VdanSettings:
    """Settings of a run. Defaults are the authors'; `kind` is vdan_plus or vdan."""

    kind: str = "vdan_plus"
    epochs: int = 100
    batch: int = 64
    rate: float = 1e-5
    seed: int = 123
    captions: int = 10


class PairModel(nn.Module):
    """The encoder with its loss over the whole batch, the form in which DDP can wrap it."""

    def __init__(self, encoder: GuidedEncoder, world: World) -> None:
        super().__init__()
        self.encoder, self._world = encoder, world

    def forward(self, visual: Tensor, documents: Tensor, lengths: Tensor, labels: Tensor) -> Tensor:
        """This process's part of the clips and documents, and all labels (B,) → the loss of the whole batch."""
        encoder, total = self.encoder, len(labels)
        text = encoder.text_embedder(documents, lengths, visual)
        e_v = encoder.visual_head(self._world.gathered(visual, total))
        e_d = encoder.text_head(self._world.gathered(text.document, total))
        return pair_loss(e_v, e_d, labels)


class VdanTrainer:
    """One run in one folder. Equal settings and data give equal weights, also when broken off and resumed."""

    def __init__(
        self, folder: Path, dims: Dimensions, words: WordVectors, settings: VdanSettings, world: World | None = None
    ) -> None:
        self.folder, self.settings, self.world = folder, settings, world or World()
        torch.manual_seed(settings.seed)
        build = Vdan if settings.kind == "vdan" else VdanPlus
        self.encoder = build(dims, backbone=False)
        table = self.encoder.text_embedder.doc_embedder.sent_embedder.word_embedding_layer.weight
        table.data = torch.from_numpy(np.array(words.vectors, np.float32))
        self.words = words
        self.backbone: nn.Module | None = None
        self.optimizer = torch.optim.Adam([p for p in self.encoder.parameters() if p.requires_grad], settings.rate)
        self.epoch, self.best = 0, float("inf")
        self.views, self.data = "clip", ""

    def give_backbone(self, backbone: nn.Module) -> None:
        """Set, for sources that give pixels, a frozen network (B, 3, T, H, W) → φ(v)."""
        self.backbone = backbone.eval().requires_grad_(False)

    def fit(
        self,
        training: ClipSource,
        validation: ClipSource,
        *,
        resume: bool = False,
        progress: Progress = lambda *_: None,
    ) -> dict[str, Any]:
        """Train to the last epoch; returns the log's best entry. The best weights by validation loss are in BEST."""
        vocabulary, self.views = self.words.vocabulary, getattr(training, "views", "clip")
        for part, source in (("training", training), ("validation", validation)):  # not after the first epoch
            if (count := len(source.captions)) < FEWEST:
                raise InputError(f"There are {count} {part} clips with captions; pairs need at least {FEWEST}.")
        tables = CaptionTable(training.captions, vocabulary), CaptionTable(validation.captions, vocabulary)
        self.data = data_print(training)
        if resume:
            self._resume()
        model: nn.Module = PairModel(self.encoder, self.world)
        if self.world.size > 1:
            model = DistributedDataParallel(model)
        first = self.epoch + 1
        board = open_board(self.folder / "tensorboard", first) if self.world.leads else None
        with RunLog(self.folder, first=first, quiet=not self.world.leads, board=board) as log:
            while self.epoch < self.settings.epochs:
                self.epoch += 1
                began = time.perf_counter()
                loss = self._learn(model, training, tables[0], partial(progress, f"Epoch {self.epoch}"))
                found = self.validate(validation, tables[1])
                entry = {"epoch": self.epoch, "loss": loss, "validation_loss": found}
                log.write(entry | {"seconds": time.perf_counter() - began, "best": found < self.best})
                self._keep(found)
            return min(log.entries, key=lambda entry: float(entry["validation_loss"]), default={})

    def pairs(self, table: CaptionTable, epoch: int) -> list[ClipPair]:
        """The pairs of an epoch; they depend on the seed and the epoch alone."""
        return draw_pairs(table.counts, np.random.default_rng([self.settings.seed, epoch]), self.settings.captions)

    def _learn(self, model: nn.Module, source: ClipSource, table: CaptionTable, progress: Share) -> float:
        self.encoder.train()
        losses: list[float] = []
        batches = batched(self.pairs(table, self.epoch), self.settings.batch)
        for number, batch in enumerate(batches):
            own = batch[self.world.part(len(batch))]
            ids, lengths = table.documents([pair.document for pair in own])
            # a random view depends on the clip and the epoch, not on which process happens to draw it
            randoms = [np.random.default_rng([self.settings.seed, self.epoch, p.clip, p.label + 1]) for p in own]
            visual = self.visual(source, [pair.clip for pair in own], randoms)
            labels = torch.tensor([pair.label for pair in batch])
            self.optimizer.zero_grad(set_to_none=True)
            loss = model(visual, torch.from_numpy(ids), torch.from_numpy(lengths), labels)
            loss.backward()
            self.optimizer.step()
            losses.append(float(loss.detach()))
            progress((number + 1) / len(batches))
        return float(np.mean(losses))

    def visual(
        self, source: ClipSource, clips: Sequence[int], randoms: Sequence[np.random.Generator] | None = None
    ) -> Tensor:
        """φ(v) (B, z) of these clips; random views if there are generators."""
        views = [source.view(clip, randoms[i] if randoms else None) for i, clip in enumerate(clips)]
        stacked = torch.from_numpy(np.stack(views)).to(self.encoder.text_fc1.weight.dtype)
        if not source.decoded:
            return stacked
        if self.backbone is None:
            raise InputError("Training on videos needs a backbone; give one with --backbone.")
        with torch.no_grad():
            features: Tensor = self.backbone(stacked)
        return features

    @torch.no_grad()
    def validate(self, source: ClipSource, table: CaptionTable) -> float:
        """Mean loss on documents and views that are the same in every epoch (the authors draw them anew)."""
        self.encoder.eval()
        total, pairs = 0.0, self.pairs(table, _VALIDATION)
        for batch in batched(pairs, self.settings.batch):
            ids, lengths = table.documents([pair.document for pair in batch])
            visual = self.visual(source, [pair.clip for pair in batch])
            out = self.encoder(visual, torch.from_numpy(ids), torch.from_numpy(lengths))
            labels = torch.tensor([pair.label for pair in batch])
            total += len(batch) * float(pair_loss(out.e_v, out.e_d, labels))
        return total / len(pairs)

    def _keep(self, found: float) -> None:
        """Files after an epoch: what `resume` needs, and the best weights in the authors' container."""
        better = found < self.best
        self.best = min(self.best, found)
        if not self.world.leads:
            return
        if better:
            write_state(self.folder / BEST, self.container())
        state = {"model": self.encoder.state_dict(), "optimizer": self.optimizer.state_dict()}
        facts = {
            "epoch": self.epoch,
            "best": self.best,
            "settings": self._facts(),
            "data": self.data,
            "torch_random": torch.get_rng_state(),
        }
        write_state(self.folder / LAST, state | facts)

    def _resume(self) -> None:
        state = read_state(self.folder / LAST, "settings", "model", "optimizer", "torch_random", "epoch", "best")
        if state.get("data", self.data) != self.data:
            raise InputError(f"The data of the run in {self.folder} has changed since it began; start a new run.")
        if {**state["settings"], "epochs": 0} != {**self._facts(), "epochs": 0}:
            raise InputError(
                f"{self.folder} was trained with other settings; resume with the same, or start elsewhere."
            )
        self.encoder.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["torch_random"])
        self.epoch, self.best = state["epoch"], state["best"]

    def _facts(self) -> dict[str, Any]:
        return asdict(self.settings) | {"dimensions": self.encoder.dims.to_json()}

    def container(self) -> dict[str, Any]:
        """State in the form in which the authors save an encoder, so that `saffa models import` reads it."""
        backbone = {}
        if self.backbone is not None:
            place = f"{self.encoder.side}_embedder."
            backbone = {place + key: tensor for key, tensor in self.backbone.state_dict().items()}
        return {
            "epoch": self.epoch,
            "model_state_dict": self.encoder.state_dict() | backbone,
            "optimizer_state_dict": self.optimizer.state_dict(),
            "word_map": dict(self.words.vocabulary.index),
            "model_params": {"h0": self.encoder.dims.h0, "views": self.views},
            "train_params": {k: v for k, v in asdict(self.settings).items() if k != "epochs"},
        }


def data_print(source: ClipSource) -> str:
    """The SHA-256 of the captions, and of the features or the files where these are known."""
    digest = hashlib.sha256(json.dumps([list(own) for own in source.captions]).encode())
    digest.update(getattr(source, "fingerprint", "").encode())
    features = getattr(source, "features", None)
    if features is not None:
        digest.update(f"{features.shape}".encode() + np.ascontiguousarray(features).tobytes())
    return digest.hexdigest()


def pair_loss(e_v: Tensor, e_d: Tensor, labels: Tensor) -> Tensor:
    """Cosine embedding loss (paper, eq. 6), mean over the batch: 1 − cos for pairs, max(0, cos − margin) for others.

    e_v, e_d (B, d) of any length; labels (B,) +1 or −1. The authors' margin is 0.
    """
    return functional.cosine_embedding_loss(e_v, e_d, labels, margin=0.0)


def batched(pairs: Sequence[ClipPair], size: int) -> list[Sequence[ClipPair]]:
    """Stretches of `size`, in order; a short rest joins the last one."""
    starts = list(range(0, len(pairs), size))
    if len(starts) > 1 and len(pairs) - starts[-1] < SMALLEST:
        starts.pop()
    return [pairs[start:end] for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True)]


def finish(trainer: VdanTrainer, validation: ClipSource, best: dict[str, Any]) -> dict[str, Any]:
    """Rank the best weights, write the model folder and give what was found as plain numbers."""
    state = read_state(trainer.folder / BEST)
    encoder = trainer.encoder
    encoder.load_state_dict({k: t for k, t in state["model_state_dict"].items() if k in encoder.state_dict()})
    clips = range(min(RANKED, len(validation.captions)))
    table = CaptionTable([validation.captions[clip] for clip in clips], trainer.words.vocabulary)
    ranks = reciprocal_ranks(encoder, trainer.visual(validation, clips), table)
    folder: Path = trainer.folder / MODEL
    import_checkpoint(trainer.folder / BEST, folder, h0=encoder.dims.h0, overwrite=True)
    return {
        "epoch": best["epoch"],
        "validation_loss": best["validation_loss"],
        "mrr_own_clip": ranks.own,
        "mrr_query_clip": ranks.query,
        "mrr_clips": ranks.clips,
        "model": str(folder),
    }
