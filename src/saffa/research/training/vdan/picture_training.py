"""Training of VDAN on pictures with captions: resumable, every sentence of a batch encoded once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints, Share
from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.evaluation.picture_documents import DocumentScores, score_documents
from saffa.research.training.run import RunLog, open_board, read_state, write_state
from saffa.research.training.vdan.block_documents import (
    CONTRASTIVE,
    PAIRED,
    block_documents,
    draw_shape,
    paired_documents,
)
from saffa.research.training.vdan.captioned_sets import CaptionedSet, draw_rows
from saffa.research.training.vdan.networks import Vdan
from saffa.research.training.vdan.objective import Objective, cosine
from saffa.research.training.vdan.picture_scores import SetReader
from saffa.research.training.vdan.shared_reading import read_pairs

BEST, LAST = "best.pt", "last.pt"
Loss = Literal["cosine", "contrastive"]


@dataclass(frozen=True)
class PictureSettings:
    """How to train. `cosine` is the paper's loss, `contrastive` the departure (block InfoNCE and attention)."""

    loss: Loss = "contrastive"
    steps: int = 4000
    batch: int = 128
    rate: float = 1e-3
    """Adam's. The published 1e-5 moves nothing in the steps that a CPU can make."""
    warm_up: int = 50
    hidden: int = 128
    """Units per direction of both GRUs; 512 are published."""
    attention: int = 128
    """Width of both attentions; 1024 are published."""
    embedding: int = 128
    h0: Literal["mapped", "zeros", "learned"] = "mapped"
    dropout: float = 0.2
    """Share of φ(v)'s numbers that are left out at random, of `contrastive` alone."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Number format in which documents are read while learning; `bfloat16` costs a third where the CPU has it."""
    seed: int = 123
    validate: int = 250
    """Steps between two validations."""
    keep: int = 100
    """Steps between two states to resume from."""
    shares: dict[str, float] = field(default_factory=lambda: {"coco": 0.55, "flickr8k": 0.2, "youcook2_frames": 0.25})


class PictureTrainer:
    """One run in one folder. Equal settings and data give equal weights, also when broken off and resumed."""

    def __init__(
        self, folder: Path, settings: PictureSettings, words: Floats, captions: tuple[Ints, Ints], visual: int
    ) -> None:
        self.folder, self.settings = folder, settings
        torch.manual_seed(settings.seed)
        self.encoder = Vdan(_dimensions(settings, words, visual), backbone=False)
        table = self.encoder.text_embedder.doc_embedder.sent_embedder.word_embedding_layer.weight
        table.data = torch.from_numpy(words)
        self.objective = Objective(self.encoder.dims.sentence, settings.embedding)
        self.ids, self.lengths = (torch.from_numpy(part) for part in captions)
        learning = [p for p in self.encoder.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam([*learning, *self.objective.parameters()], settings.rate)
        self.step, self.best, self.seconds = 0, -1.0, 0.0

    def fit(
        self,
        training: Sequence[CaptionedSet],
        validation: Sequence[CaptionedSet],
        *,
        data: str,
        resume: bool = False,
        progress: Share = lambda _: None,
    ) -> dict[str, Any]:
        """Train to the last step; returns the log's best entry. `data` is a fingerprint of what is learnt from."""
        if resume:
            self._resume(data)
        total = self.settings.steps
        board = open_board(self.folder / "tensorboard", self.step + 1)
        with RunLog(self.folder, first=self.step + 1, board=board) as log:
            losses: list[float] = []
            while self.step < total:
                began = time.perf_counter()
                losses.append(self._learn(training))
                self.seconds += time.perf_counter() - began
                progress(self.step / total)
                if self.step % self.settings.validate == 0 or self.step == total:
                    self._validate(validation, losses, log)
                    losses = []
                if self.step % self.settings.keep == 0 or self.step == total:
                    write_state(self.folder / LAST, self._state(data))
            return max(log.entries, key=lambda entry: float(entry["auc"]))

    def _learn(self, training: Sequence[CaptionedSet]) -> float:
        settings = self.settings
        random = np.random.default_rng([settings.seed, self.step])
        self.encoder.train()
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate * _pace(self.step, settings)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self._loss(training, random)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.step += 1
        return float(loss.detach())

    def _loss(self, training: Sequence[CaptionedSet], random: np.random.Generator) -> Tensor:
        settings, paired = self.settings, self.settings.loss == "cosine"
        shape = draw_shape(PAIRED if paired else CONTRASTIVE, random).within(min(len(part) for part in training))
        blocks = max(1, settings.batch // shape.block)
        drawn = draw_rows(training, settings.shares, blocks, shape.block, random)
        parts = [part.draw(rows, shape.captions, random) for part, rows in drawn]
        phi = torch.from_numpy(np.concatenate([part[0] for part in parts]))
        captions = torch.from_numpy(np.concatenate([part[1] for part in parts]).ravel())
        made = (paired_documents if paired else block_documents)(len(phi), shape, random)
        if not paired and settings.dropout:
            kept = torch.from_numpy(random.random(phi.shape, dtype=np.float32) >= settings.dropout)
            phi = phi * kept / (1 - settings.dropout)
        document, picture, own = (torch.from_numpy(part) for part in (made.document, made.picture, made.own))
        net = self.encoder.text_embedder.doc_embedder
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.precision == "bfloat16"):
            sentences = self.read(captions)
            read = read_pairs(net, sentences, torch.from_numpy(made.sentences), phi, (document, picture))
        sentences, vectors, weights = (part.float() for part in (sentences, *read))
        e_v, e_d = self.encoder.visual_head(phi), self.encoder.text_head(vectors)
        if paired:
            return cosine(e_v[picture], e_d, own)
        products = (e_d * e_v[picture]).sum(1)
        size = (blocks, shape.documents, shape.block)
        sentence_loss = self.objective.sentences(sentences[:: shape.captions], e_v)
        return self.objective.contrastive(products, own, weights, size) + sentence_loss

    def read(self, captions: Tensor) -> Tensor:
        """Sentence vectors (S, p) of rows (S,) of the caption table."""
        lengths = self.lengths[captions]
        vectors: Tensor = self.encoder.text_embedder.doc_embedder.sent_embedder(
            self.ids[captions, : int(lengths.max())], lengths
        ).vectors
        return vectors

    def scores(self, part: CaptionedSet, size: int = 4, seed: int = 5) -> DocumentScores:
        """How a set fares with documents of `size` sentences."""
        return score_documents(SetReader.of(self.encoder, self.read, part, seed), len(part), size, seed)

    def _validate(self, validation: Sequence[CaptionedSet], losses: Sequence[float], log: RunLog) -> None:
        entry: dict[str, Any] = {"epoch": self.step, "loss": float(np.mean(losses)), "minutes": self.seconds / 60}
        found = []
        for part in validation:
            scores = self.scores(part)
            found.append(scores.auc)
            own = {"auc": scores.auc, "wrong": scores.wrong_auc, "attention": scores.attention}
            entry |= {f"{part.name}/{name}": value for name, value in own.items()}
        mean = float(np.mean(found))
        log.write(entry | {"auc": mean})
        if mean > self.best:
            self.best = mean
            write_state(self.folder / BEST, {"encoder": self.encoder.state_dict(), "step": self.step})

    def _state(self, data: str) -> dict[str, Any]:
        networks = {"encoder": self.encoder.state_dict(), "objective": self.objective.state_dict()}
        facts = {"step": self.step, "best": self.best, "seconds": self.seconds, "data": data}
        return networks | facts | {"optimizer": self.optimizer.state_dict(), "settings": asdict(self.settings)}

    def _resume(self, data: str) -> None:
        state = read_state(self.folder / LAST, "settings", "data", "encoder", "objective", "optimizer")
        # with other steps a run ends sooner or later: the rate falls over what is left
        if {**state["settings"], "steps": 0} != {**asdict(self.settings), "steps": 0}:
            raise InputError(
                f"{self.folder} holds a run with other settings; resume with the same, or start elsewhere."
            )
        if state["data"] != data:
            raise InputError(f"The data of the run in {self.folder} has changed since it began; start a new run.")
        self.encoder.load_state_dict(state["encoder"])
        self.objective.load_state_dict(state["objective"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.best, self.seconds = state["step"], state["best"], state["seconds"]


def _dimensions(settings: PictureSettings, words: Floats, visual: int) -> Dimensions:
    return Dimensions(
        vocabulary=len(words),
        word=words.shape[1],
        word_hidden=settings.hidden,
        word_attention=settings.attention,
        sentence_hidden=settings.hidden,
        sentence_attention=settings.attention,
        visual=visual,
        embedding=settings.embedding,
        h0=settings.h0,
    )


def _pace(step: int, settings: PictureSettings) -> float:
    """Share of the learning rate: a short warm-up, then half a cosine down to 2 %."""
    fall = 0.5 + 0.5 * float(np.cos(np.pi * step / max(1, settings.steps)))
    return min(1.0, (step + 1) / max(1, settings.warm_up)) * max(0.02, fall)
