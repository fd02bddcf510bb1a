"""The network that reads passages and sentences: MiniLM, a small BERT, of four-bit weights while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from saffa.encoders.narrated.passages import LONGEST, batches

BLOCK = 64
"""Weights that share a scale."""
TOP = 7
"""Rounded weights are -TOP to TOP times their scale."""
HEAD = 32
"""Width of a head of attention."""
FROZEN = 2
"""Layers that stay as they were published, beside the pieces."""
NEVER = -1e4
"""Score of a token that is not there."""
PUBLISHED = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "gathered": "attention.output.dense",
    "norm": "attention.output.LayerNorm",
    "widened": "intermediate.dense",
    "narrowed": "output.dense",
    "last_norm": "output.LayerNorm",
}
"""Names of a layer's parts here and in published checkpoints."""


@dataclass(frozen=True, eq=False)
class Rounded:
    """Weights as four-bit integers (n, BLOCK) with a scale for each row (n, 1)."""

    integers: Tensor
    scales: Tensor

    @classmethod
    def of(cls, weights: Tensor) -> Rounded:
        """Round each block to its own scale."""
        blocks = weights.detach().reshape(-1, BLOCK)
        scales = (blocks.abs().amax(1, keepdim=True) / TOP).clamp(min=1e-7).half().float()
        return cls((blocks / scales).round().clamp(-TOP, TOP), scales)

    def like(self, weights: Tensor) -> Tensor:
        """The rounded weights, shaped as `weights`."""
        return (self.integers * self.scales).reshape(weights.shape)


class RoundedLinear(nn.Linear):
    """A linear layer that is run with rounded weights; the gradient goes to the unrounded ones."""

    def forward(self, x: Tensor) -> Tensor:
        """(…, in) → (…, out)."""
        if not self.weight.requires_grad:
            return functional.linear(x, self.weight, self.bias)
        change = Rounded.of(self.weight).like(self.weight) - self.weight.detach()
        return functional.linear(x, self.weight + change, self.bias)


class Layer(nn.Module):
    """A layer of BERT."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.gathered = (RoundedLinear(width, width) for _ in range(4))
        self.widened, self.narrowed = RoundedLinear(width, inner), RoundedLinear(inner, width)
        self.norm, self.last_norm = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def forward(self, x: Tensor, seen: Tensor, dropout: float) -> Tensor:
        """x (n, T, d); `seen` (n, 1, 1, T) marks the tokens that are there."""

        def split(values: Tensor) -> Tensor:
            return values.reshape(*values.shape[:2], self.heads, -1).transpose(1, 2)

        queries, keys, values = split(self.query(x)), split(self.key(x)), split(self.value(x))
        # Short rows: written out, attention learns three times as fast as by PyTorch's own on a CPU.
        scores = queries @ keys.transpose(2, 3) * queries.shape[-1] ** -0.5
        attended = scores.masked_fill(~seen, NEVER).softmax(-1).to(values.dtype) @ values
        x = self.norm(x + self.gathered(attended.transpose(1, 2).flatten(2)))
        inner = self.narrowed(functional.gelu(self.widened(x)))
        out: Tensor = self.last_norm(x + functional.dropout(inner, dropout, self.training))
        return out


class PassageNetwork(nn.Module):
    """Token numbers to unit vectors; the vectors of word pieces stay as they were published, rounded."""

    def __init__(self, pieces: int, width: int, layers: int, heads: int, inner: int) -> None:
        super().__init__()
        self.pieces = nn.Parameter(torch.zeros(pieces, width), requires_grad=False)
        self.positions = nn.Parameter(torch.zeros(LONGEST, width))
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, inner) for _ in range(layers))

    def forward(self, tokens: Tensor, dropout: float = 0.0) -> Tensor:
        """(n, T) numbers of pieces, 0 after the end → (n, d)."""
        seen = tokens > 0
        x = self.norm(functional.embedding(tokens, self.pieces) + self.positions[: tokens.shape[1]])
        for layer in self.layers:
            x = layer(x, seen[:, None, None], dropout)
        there = seen[..., None]
        return functional.normalize((x.float() * there).sum(1) / there.sum(1), dim=-1)

    def read(self, rows: Sequence[Sequence[int]], dropout: float = 0.0) -> Tensor:
        """Rows of piece numbers of any length → (n, d), in batches of like length."""
        parts = [(chosen, self(torch.from_numpy(tokens), dropout)) for chosen, tokens in batches(rows)]
        order = torch.cat([torch.from_numpy(chosen) for chosen, _ in parts])
        return torch.cat([vectors for _, vectors in parts])[torch.argsort(order)]


def published_network(checkpoint: Path, rows: Sequence[int]) -> PassageNetwork:
    """The network of a published checkpoint (safetensors), of whose pieces only these rows are kept, in this order."""
    stored = {name.removeprefix("bert."): tensor for name, tensor in load_file(checkpoint).items()}
    layers = 1 + max(int(name.split(".")[2]) for name in stored if name.startswith("encoder.layer."))
    table = stored["embeddings.word_embeddings.weight"]
    inner = stored[f"encoder.layer.0.{PUBLISHED['widened']}.weight"].shape[0]
    network = PassageNetwork(len(rows), table.shape[1], layers, table.shape[1] // HEAD, inner)
    kept = table[torch.tensor(rows)]
    network.pieces.data = Rounded.of(kept).like(kept)
    kinds = stored["embeddings.token_type_embeddings.weight"]
    network.positions.data = stored["embeddings.position_embeddings.weight"][:LONGEST] + kinds[0]
    _fill(network.norm, stored, "embeddings.LayerNorm")
    for number, layer in enumerate(network.layers):
        for name, published in PUBLISHED.items():
            _fill(layer.get_submodule(name), stored, f"encoder.layer.{number}.{published}")
        if number < FROZEN:
            layer.requires_grad_(False)
            for part in layer.modules():
                if isinstance(part, RoundedLinear):
                    part.weight.data = Rounded.of(part.weight).like(part.weight)
    network.positions.requires_grad_(False)
    network.norm.requires_grad_(False)
    return network


def _fill(part: nn.Module, stored: dict[str, Tensor], name: str) -> None:
    part.load_state_dict({kind: stored[f"{name}.{kind}"] for kind in ("weight", "bias")})
