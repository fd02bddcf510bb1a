"""FFNet (Lan et al. 2018; method.md E): a Q network that sees the frame it stands on and says how far to jump.

Supervised: it learns from dense labels, the step boundaries of training videos, which no other method here may see.
It reads neither the text nor the target speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import Selection
from saffa.core.types import Doubles, Flags, Floats, Ints
from saffa.encoders.registry import entry_of
from saffa.storage.models import WEIGHTS, ModelFolder, find, not_found, write_model

KIND = "ffnet"
LONGEST = 25
"""Action a = 0..24 jumps a + 1 frames."""
HIDDEN = (400, 200, 100)
SKIP_BONUS = 0.8
"""Reward of an irrelevant frame that is jumped over, against 1 lost for a relevant one; both per LONGEST."""
NEARNESS = (0.3989, 0.2420, 0.0540, 0.0044, 0.0001)
"""What landing |d| = 0..4 frames from a relevant one earns: a Gaussian of deviation 1."""


@dataclass(frozen=True, eq=False)
class QNetwork:
    """d-400-200-100-25 with ReLU, linear at the end. Inputs of unit length are scaled by √d to numbers of size one.

    weights  (400, d), (200, 400), (100, 200), (25, 100)
    biases   (400,), (200,), (100,), (25,)
    """

    weights: tuple[Floats, ...] = field(repr=False)
    biases: tuple[Floats, ...] = field(repr=False)
    encoder: str = ""
    name: str = KIND

    @property
    def inputs(self) -> int:
        """Width d of the features it learned from."""
        return int(self.weights[0].shape[1])

    def __call__(self, features: Floats) -> Floats:
        """Value of every jump: features (d,) or (n, d) → (25,) or (n, 25)."""
        hidden = features * np.float32(sqrt(self.inputs))
        last = len(self.weights) - 1
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            hidden = (weight @ hidden if hidden.ndim == 1 else hidden @ weight.T) + bias
            if layer < last:
                np.maximum(hidden, 0, out=hidden)
        return hidden

    def walk(self, rows: Floats, row_of_frame: Ints) -> Ints:
        """Frames it lands on, from frame 0 until a jump would pass the end; rows (T, d), row_of_frame (F,)."""
        frames, frame, seen, jump = [0], 0, -1, 1
        places = row_of_frame.tolist()
        while True:
            if places[frame] != seen:  # many frames share a row of a coarse grid
                seen = places[frame]
                jump = int(self(rows[seen]).argmax()) + 1
            frame += jump
            if frame >= len(places):
                return np.array(frames)
            frames.append(frame)

    def save(self, folder: Path, facts: Mapping[str, Any], *, overwrite: bool = False) -> None:
        """Write a model folder; half precision is more than the argmax needs."""

        def fill(part: Path) -> dict[str, Any]:
            save_file({name: array.astype(np.float16) for name, array in self.tensors().items()}, part / WEIGHTS)
            return {"kind": KIND, "dimensions": {"state": self.inputs}, "encoder": self.encoder, **facts}

        write_model(folder, fill, overwrite=overwrite)

    def tensors(self) -> dict[str, Floats]:
        """Weights and biases by layer: q.0.weight, q.0.bias, …"""
        named = {f"q.{layer}.weight": weight for layer, weight in enumerate(self.weights)}
        return named | {f"q.{layer}.bias": bias for layer, bias in enumerate(self.biases)}


def load_ffnet(source: str | Path) -> QNetwork:
    """Open the name of a shipped model, a model folder, or the folder of a training run."""
    path = find(source)
    if path is None:
        raise not_found("FFNet model", source, "Train one with `saffa train ffnet`.")
    folder = ModelFolder.open(path)
    if folder.kind != KIND:
        raise InputError(f"{source} is not an FFNet model but a {folder.kind}.")

    def built(tensors: Mapping[str, NDArray[Any]]) -> QNetwork:
        weights, biases = (
            tuple(tensors[f"q.{layer}.{part}"].astype(np.float32) for layer in range(len(HIDDEN) + 1))
            for part in ("weight", "bias")
        )
        return QNetwork(weights, biases, str(folder.facts.get("encoder", "")), folder.name)

    return folder.read(built)


def nearness(labels: Flags) -> Doubles:
    """What landing on each frame earns: Σ over d = -4..4 of label[j + d] · NEARNESS[|d|], shape (F,)."""
    kernel = np.array(NEARNESS[:0:-1] + NEARNESS)
    return np.convolve(labels.astype(np.float64), kernel)[4:-4]


def jump_rewards(relevant_before: Ints, start: Ints, end: Ints) -> Doubles:
    """Reward for the frames strictly between start and end: (0.8 · irrelevant - relevant) / 25.

    `relevant_before` (F + 1,) counts the relevant frames before each one.
    """
    skipped = end - start - 1
    relevant = relevant_before[end] - relevant_before[start + 1]
    reward: Doubles = (SKIP_BONUS * (skipped - relevant) - relevant) / LONGEST
    return reward


SHIPPED = {"narrated": "ffnet-narrated", "msvd-plus": "ffnet-msvd-long"}
"""Trained models by the encoder whose e_v they read."""


@dataclass(frozen=True)
class Ffnet:
    """`agent` names a model; without one the shipped model of the alignment's encoder is taken."""

    agent: str | None = None
    name: str = "ffnet"
    reads_text: bool = True
    """Not the text, but it looks at the encoder's e_v."""

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Frame 0 and every frame it jumps to; the speed is its own."""
        space = entry_of(alignment.encoder).space or alignment.encoder
        source = self.agent or SHIPPED.get(space)
        if source is None:
            raise InputError(
                f"ffnet has no trained model for the encoder {alignment.encoder}. Train one with `saffa train ffnet` "
                "and name it with --agent, or use --encoder narrated."
            )
        network = load_ffnet(source)
        width = alignment.e_v.shape[1]
        if width != network.inputs or network.encoder not in ("", space):
            raise InputError(
                f"{source} learned from {network.inputs} numbers of the encoder {network.encoder or '?'}, but the "
                f"encoder {alignment.encoder} gives {width}. Use the encoder that it was trained with."
            )
        frames = network.walk(*alignment.held_features())
        return Selection(frames, alignment.frames, float(speed), self.name)
