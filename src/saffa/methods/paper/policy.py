"""The agent's two networks in NumPy: small enough that PyTorch is only needed to train them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp

import numpy as np
from numpy import add, dot, maximum

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.methods.paper.observation import POSITION, Observation

LAYERS = ("fc1", "fc2", "fc3")
BLOCK = 32  # cells looked at together
QUIET, QUIET_ROW = 330_000, 131_072
"""Multiplications up to which OpenBLAS uses one thread, for a block and for one cell. Two threads bring nothing at this
size and, where other programs want the cores, wait for each other: 0.2 ms became 40-200 (on two busy cores)."""


@dataclass(frozen=True, eq=False)
class Mlp:
    """Three linear layers with ReLU between: 356-256-128-3 (policy) or …-1 (critic).

    weights  (256, width), (128, 256), (outputs, 128)
    biases   (256,), (128,), (outputs,)
    """

    weights: tuple[Floats, Floats, Floats]
    biases: tuple[Floats, Floats, Floats]

    @property
    def inputs(self) -> int:
        """Width of a state."""
        return int(self.weights[0].shape[1])

    @property
    def outputs(self) -> int:
        """Numbers given for a state."""
        return int(self.weights[2].shape[0])

    def __call__(self, states: Floats) -> Floats:
        """States (width,) or (n, width) → (outputs,) or (n, outputs)."""
        first, second, third = self.weights
        b1, b2, b3 = self.biases
        # One state is a matrix times a vector: numpy's own overhead matters there, so no transposes.
        single = states.ndim == 1
        hidden: Floats = first @ states if single else states @ first.T
        hidden += b1
        np.maximum(hidden, 0, out=hidden)
        hidden = second @ hidden if single else hidden @ second.T
        hidden += b2
        np.maximum(hidden, 0, out=hidden)
        out: Floats = third @ hidden if single else hidden @ third.T
        out += b3
        return out

    def tensors(self, prefix: str) -> dict[str, Floats]:
        """Weights and biases by their published names."""
        parts = zip(LAYERS, self.weights, self.biases, strict=True)
        return {
            f"{prefix}.{layer}.{kind}": array for layer, w, b in parts for kind, array in (("weight", w), ("bias", b))
        }

    @classmethod
    def of_tensors(cls, tensors: Mapping[str, Floats], prefix: str) -> Mlp:
        """Build the network from a state dict whose keys start with `prefix`."""
        try:
            w1, w2, w3 = (np.ascontiguousarray(tensors[f"{prefix}.{layer}.weight"], np.float32) for layer in LAYERS)
            b1, b2, b3 = (np.ascontiguousarray(tensors[f"{prefix}.{layer}.bias"], np.float32) for layer in LAYERS)
        except KeyError as error:
            raise InputError(f"These are not the weights of an agent: {error.args[0]} is missing.") from None
        joined = all(w.ndim == 2 and b.shape == w.shape[:1] for w, b in ((w1, b1), (w2, b2), (w3, b3)))
        if not joined or w2.shape[1] != w1.shape[0] or w3.shape[1] != w2.shape[0]:
            raise InputError(f"The layers of the agent's {prefix} do not fit together.")
        return cls((w1, w2, w3), (b1, b2, b3))


class Split:
    """A network whose first layer is cut by the parts of the state: W s = W_e [e_D ; e_v] + W_p NRPE + W_s one-hot.

    The first product is the same for all frames of a grid cell, the last one is a column of W_s. So most of a wide
    state is looked at once per cell, not once per step. To be made anew when the weights have changed.

    One walk's own: `look` and `scores` write into memory that their next call uses again. At this size NumPy's calls
    cost as much as its work, hence `dot` of matrices without gaps (2 µs less a product than `@`), and `out`.
    """

    def __init__(self, network: Mlp, observation: Observation) -> None:
        self.network = network
        at, end = observation.embedding, observation.embedding + POSITION * observation.position
        first = network.weights[0]
        self.cell = first[:, :at]
        self.position, self.skip = np.ascontiguousarray(first[:, at:end]), np.ascontiguousarray(first[:, end:].T)
        self._sees_position, self._sees_skip = observation.position, observation.skip
        _, self._second, self._third = network.weights
        self._biases = network.biases
        self._zeros = tuple(np.zeros(len(weights), np.float32) for weights in network.weights)
        self._hidden = tuple(np.empty(len(weights), np.float32) for weights in network.weights)
        self._seen = np.empty(len(first), np.float32)

    def table(self, embeddings: Floats) -> Floats:
        """What embeddings (T, 2d) add to the first layer, its bias included, (T, 256)."""
        added: Floats = embeddings @ self.cell.T
        added += self.network.biases[0]
        return added

    def cells(self, embeddings: Floats) -> Floats:
        """`table` of at most BLOCK embeddings, never in threads."""
        parts = embeddings @ _layers(self.cell, BLOCK, QUIET).transpose(0, 2, 1)
        added: Floats = (parts if parts.ndim == 2 else parts.transpose(1, 0, 2)).reshape(len(embeddings), -1)
        added += self.network.biases[0]
        return added

    @cached_property
    def narrow(self) -> bool:
        """Whether one embedding is one product."""
        return len(self._rows) == 1

    @cached_property
    def _rows(self) -> Floats:
        """`cell` in layers for one embedding; a single one has no gaps."""
        layers = _layers(self.cell, 1, QUIET_ROW)
        return layers if len(layers) > 1 else np.ascontiguousarray(layers)

    def look(self, embedding: Floats) -> Floats:
        """`table` of one embedding (2d,), never in threads, (256,)."""
        seen, rows = self._seen, self._rows
        if len(rows) == 1:
            dot(rows[0], embedding, seen)
        else:
            np.matmul(rows, embedding, out=seen.reshape(len(rows), -1))
        return add(seen, self._biases[0], seen)

    def scores(self, cell: Floats, position: Floats, index: int) -> Floats:
        """Scores of one state, (outputs,), from `look` or a row of `cells`, NRPE (50,) and `skip_index`; what the state
        lacks is ignored.
        """
        hidden, middle, out = self._hidden
        zeros, middle_zeros, _ = self._zeros
        if self._sees_position:
            add(dot(self.position, position, hidden), cell, hidden)
        else:
            hidden[:] = cell
        if self._sees_skip:
            add(hidden, self.skip[index], hidden)
        dot(self._second, maximum(hidden, zeros, out=hidden), middle)
        add(middle, self._biases[1], middle)
        dot(self._third, maximum(middle, middle_zeros, out=middle), out)
        return add(out, self._biases[2], out)


def _layers(weights: Floats, embeddings: int, limit: int) -> Floats:
    """The rows of (256, 2d) as layers (k, 256 / k, 2d), each with at most `limit` products for so many embeddings."""
    outputs, inputs = weights.shape
    count = 1
    while outputs % (2 * count) == 0 and embeddings * inputs * (outputs // count) > limit:
        count *= 2
    return weights.reshape(count, outputs // count, inputs)


def chances_of(scores: Floats) -> tuple[float, float, float]:
    """`softmax` of the three scores of one state; in plain Python, which at this size is five times as fast."""
    first, second, third = scores.tolist()
    top = max(first, second, third)
    first, second, third = exp(first - top), exp(second - top), exp(third - top)
    total = first + second + third
    return first / total, second / total, third / total


def softmax(scores: Floats) -> Floats:
    """Probabilities over the last axis."""
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    total: Floats = powers / powers.sum(-1, keepdims=True)
    return total
