"""The contrastive variant at work: linear towers for clips and sentences, in NumPy.

Where VDAN+ reads the document anew for every clip, here a sentence means the same whoever asks. That is weaker as a
model and stronger on little data: there is no path on which the clip could answer for the text. Sentences are told in
the order in which they are shown, which `ShotOrder` uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Doubles, Floats, Ints
from saffa.core.video import Axis, FeatureAxis, Narration
from saffa.encoders.visual.sentences import SentenceMeans
from saffa.encoders.words import softmax
from saffa.storage.models import ModelFolder

KIND = "contrastive"
CUT = 0.5
"""Cosine distance of neighbouring features beyond which one shot ends and the next begins.

Chosen on msvd-long val, where it lies between the 95th percentile of the distances inside clips (.30) and the 1st at
their ends (.66); .4 to .6 serve about equally well.
"""


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
    order: ShotOrder | None
    """None: each frame is read by itself."""
    streaming: bool = False

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Align a video that is given by its features."""
        if not isinstance(video, FeatureAxis):
            raise InputError(
                f"The encoder {self.name} works on the features of MSVD-Long only; it cannot look at video files."
            )
        e_v, e_t = self.visual(video.features), self.text(self.sentences(document.sentences))
        relevance, weights = self._read(video, e_v @ e_t.T)
        e_d = weights @ e_t
        e_d /= np.maximum(np.linalg.norm(e_d, axis=1, keepdims=True), 1e-9)
        rows = video.row_of_frame
        return Alignment.of(
            self.name,
            video,
            document,
            times=(np.arange(video.frames) / float(video.rate)).astype(np.float32),
            e_v=e_v[rows],
            e_d=e_d.astype(np.float32)[rows],
            relevance=relevance.astype(np.float32)[rows],
            sentence_weights=weights.astype(np.float32)[rows],
        )

    def _read(self, video: FeatureAxis, similarity: Floats) -> tuple[Doubles, Doubles]:
        """Relevance (M,) and sentence weights (M, N) of the video's rows from similarities (M, N)."""
        if self.order is None:
            return similarity.max(1).astype(np.float64), softmax(ShotOrder.sharpness * similarity, np.float64)
        shots = shot_of_row(shot_starts(video.features), len(similarity))
        frames = np.bincount(video.row_of_frame, minlength=len(similarity)).astype(np.float64)
        means = shot_means(similarity, shots, frames)
        weights = softmax(self.order.sharpness * means, np.float64)
        posterior = self.order.posterior(means)
        shown = posterior.sum(1, keepdims=True)
        # a shot that shows nothing of the text still needs weights: those of plain similarity
        return shown[shots, 0], (posterior + (1 - shown) * weights)[shots]


def open_contrastive(folder: ModelFolder, reading: str = "", **_: object) -> ContrastiveEncoder:
    """Open a model folder that `saffa train contrastive` wrote; `reading` is empty or "frames"."""
    if reading not in ("", "frames"):
        raise InputError(f"{folder.name} can be read as it is or as @frames, not as @{reading}.")
    name = f"{folder.name}@{reading}" if reading else folder.name

    def built(arrays: Mapping[str, NDArray[Any]]) -> ContrastiveEncoder:
        visual, text = (
            Tower(
                arrays[f"{side}.mean"],
                float(arrays[f"{side}.scale"][0]),
                arrays[f"{side}.weight"].astype(np.float32),
                arrays[f"{side}.bias"],
            )
            for side in ("visual", "text")
        )
        sentences = SentenceMeans.of_arrays(arrays, folder.words())
        return ContrastiveEncoder(name, visual, text, sentences, None if reading else ShotOrder())

    return folder.read(built)


@dataclass(frozen=True)
class ShotOrder:
    """Evidence is `sharpness` · (similarity − `threshold`), in nats against "no sentence". Tuned on msvd-long val."""

    sharpness: float = 8.0
    threshold: float = 0.1
    go_on: float = -3.0
    """Log weight of a sentence that goes on in the next shot."""
    leave_out: float = -2.0
    """Log weight of a sentence that no shot shows."""

    def posterior(self, similarity: Doubles) -> Doubles:
        """Probability that shot m shows sentence k, (M, K), from similarities (M, K)."""
        shots, sentences = similarity.shape
        evidence = np.zeros((shots, 2 * sentences + 1))  # even states: nothing of the text; odd: a sentence
        evidence[:, 1::2] = self.sharpness * (similarity - self.threshold)
        begin, move, end = self._chain(sentences)
        forward, backward = np.empty_like(evidence), np.empty_like(evidence)
        forward[0], backward[-1] = begin + evidence[0], end
        for m in range(1, shots):
            forward[m] = _log_sum(forward[m - 1][:, None] + move, 0) + evidence[m]
        for m in range(shots - 2, -1, -1):
            backward[m] = _log_sum(move + (evidence[m + 1] + backward[m + 1])[None], 1)
        both = forward + backward
        posterior: Doubles = np.exp(both - _log_sum(both, 1)[:, None])
        return posterior[:, 1::2]

    def _chain(self, sentences: int) -> tuple[Doubles, Doubles, Doubles]:
        """Log weights to begin in a state, to move between states (from, to), and to end in one."""
        states = 2 * sentences + 1
        told = (np.arange(states) + 1) // 2  # sentences done with when in a state
        shows = np.arange(states) % 2 == 1
        move = np.full((states, states), -np.inf)
        for i in range(states):
            move[i, i] = self.go_on if shows[i] else 0.0
            if shows[i]:
                move[i, i + 1] = 0.0
            later = np.flatnonzero(shows & (told > told[i]))
            move[i, later] = self.leave_out * (told[later] - told[i] - 1)
        begin = np.where(shows, self.leave_out * (told - 1.0), -np.inf)
        begin[0] = 0.0
        return begin, move, self.leave_out * (sentences - told.astype(np.float64))


def _log_sum(x: Doubles, axis: int) -> Doubles:
    most = x.max(axis, keepdims=True)
    total: Doubles = (most + np.log(np.exp(x - most).sum(axis, keepdims=True))).squeeze(axis)
    return total


def shot_starts(features: NDArray[np.floating], cut: float = CUT) -> Ints:
    """First rows of the shots of features (M, z), beginning with 0."""
    unit = features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9)
    distance = 1 - np.einsum("mz,mz->m", unit[:-1], unit[1:])
    return np.concatenate([[0], np.flatnonzero(distance > cut) + 1]).astype(np.int64)


def shot_of_row(starts: Ints, rows: int) -> Ints:
    """The shot that each of `rows` rows belongs to, (rows,)."""
    return np.searchsorted(starts, np.arange(rows), side="right") - 1


def shot_means(values: NDArray[np.floating], shots: Ints, weights: NDArray[np.floating]) -> Doubles:
    """Weighted mean of values (M, k) over each shot, (shots, k); `weights` (M,) are the rows' numbers of frames."""
    count = int(shots[-1]) + 1
    total = np.zeros((count, values.shape[1]))
    np.add.at(total, shots, values * weights[:, None])
    return total / np.bincount(shots, weights, minlength=count)[:, None]
