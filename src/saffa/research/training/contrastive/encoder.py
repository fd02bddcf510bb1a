"""The contrastive variant at work: linear towers for clips and sentences, in NumPy.

Where VDAN+ reads the document anew for every clip, here a sentence means the same whoever asks. That is weaker as a
model and stronger on little data: there is no path on which the clip could answer for the text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import Narration
from saffa.encoders.base import Axis
from saffa.encoders.visual.sentence_means import SentenceMeans
from saffa.research.datasets.features import FeatureVideo
from saffa.research.training.contrastive.shot_order import ShotOrder
from saffa.research.training.contrastive.shots import shot_means, shot_of_row, shot_starts
from saffa.storage.models import VOCABULARY, WEIGHTS, ModelFolder

KIND = "contrastive"
Floats = NDArray[np.float32]
Reading = Literal["order", "shots", "frames"]
"""How similarities become relevance: by the order of the sentences, the best sentence per shot, or per frame."""


@dataclass(frozen=True, eq=False)
class Tower:
    """K linear maps of one centred input, (K, d, i): each output of unit length, side by side, unit again."""

    mean: Floats = field(repr=False)
    scale: float
    weight: Floats = field(repr=False)
    bias: Floats = field(repr=False)

    def __call__(self, x: Floats) -> Floats:
        """(N, i) → (N, K·d). The product of two such rows is the mean of the K networks' cosines."""
        inputs = (x - self.mean) / self.scale
        out = np.einsum("kdi,ni->nkd", self.weight, inputs, optimize=True) + self.bias
        out /= np.maximum(np.linalg.norm(out, axis=2, keepdims=True), 1e-9)
        joined: Floats = out.reshape(len(x), -1).astype(np.float32) / np.float32(np.sqrt(len(self.weight)))
        return joined


@dataclass(frozen=True, eq=False)
class ContrastiveEncoder:
    """Compares features of a benchmark video with the sentences of a document."""

    name: str
    visual: Tower
    text: Tower
    sentences: SentenceMeans
    reading: Reading = "order"
    order: ShotOrder = field(default_factory=ShotOrder)
    streaming: bool = False

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Align a video that is given by its features."""
        if not isinstance(video, FeatureVideo):
            raise InputError(
                f"The encoder {self.name} works on the features of MSVD-Long only; it cannot look at video files."
            )
        e_v, e_t = self.visual(video.features), self.text(self.sentences(document.sentences))
        relevance, weights = self._read(video, e_v @ e_t.T)
        e_d = weights @ e_t
        e_d /= np.maximum(np.linalg.norm(e_d, axis=1, keepdims=True), 1e-9)
        rows = video.row_of_frame
        return Alignment(
            times=(np.arange(video.frames) / float(video.rate)).astype(np.float32),
            e_v=e_v[rows],
            e_d=e_d.astype(np.float32)[rows],
            relevance=relevance.astype(np.float32)[rows],
            sentence_weights=weights.astype(np.float32)[rows],
            document=document.sentences,
            frames=video.frames,
            rate=video.rate,
            encoder=self.name,
        )

    def _read(self, video: FeatureVideo, similarity: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Relevance (M,) and sentence weights (M, N) of the video's rows from similarities (M, N)."""
        if self.reading == "frames":
            return similarity.max(1).astype(np.float64), _attention(similarity, self.order.sharpness)
        shots = shot_of_row(shot_starts(video.features), len(similarity))
        frames = np.bincount(video.row_of_frame, minlength=len(similarity)).astype(np.float64)
        means = shot_means(similarity, shots, frames)
        weights = _attention(means, self.order.sharpness)
        if self.reading == "shots":
            return means.max(1)[shots], weights[shots]
        posterior = self.order.posterior(means)
        shown = posterior.sum(1, keepdims=True)
        # a shot that shows nothing of the text still needs weights: those of plain similarity
        return shown[shots, 0], (posterior + (1 - shown) * weights)[shots]


def _attention(similarity: NDArray[np.floating], sharpness: float) -> NDArray[np.float64]:
    weights = np.exp(sharpness * (similarity - similarity.max(1, keepdims=True)), dtype=np.float64)
    normed: NDArray[np.float64] = weights / weights.sum(1, keepdims=True)
    return normed


def open_contrastive(folder: ModelFolder, reading: str = "order") -> ContrastiveEncoder:
    """From a model folder that `saffa train encoder --recipe contrastive` wrote."""
    if reading not in ("order", "shots", "frames"):
        raise InputError(f"{folder.name} can be read as @order, @shots or @frames, not @{reading}.")
    arrays = load_file(folder.path / WEIGHTS)
    lists = json.loads((folder.path / VOCABULARY).read_text("utf-8"))
    sentences = SentenceMeans(
        rarity=dict(zip(lists["rarity"], arrays["rarity"].tolist(), strict=True)),
        unseen=float(arrays["unseen"][0]),
        glove={word: row for row, word in enumerate(lists["glove"])},
        glove_vectors=arrays["glove"].astype(np.float32),
    )
    name = folder.name if reading == "order" else f"{folder.name}@{reading}"
    visual, text = (
        Tower(
            arrays[f"{side}.mean"],
            float(arrays[f"{side}.scale"][0]),
            arrays[f"{side}.weight"].astype(np.float32),
            arrays[f"{side}.bias"],
        )
        for side in ("visual", "text")
    )
    return ContrastiveEncoder(name, visual, text, sentences, reading)  # type: ignore[arg-type]
