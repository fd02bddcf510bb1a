"""The trained network as inference reads it: an ONNX graph of four-bit weights, and the table of pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import Tensor, nn

from saffa.encoders.narrated.passages import GRAPH, PIECES
from saffa.research.training.onnx_graph import Graph, array
from saffa.research.training.passages.network import BLOCK, Layer, PassageNetwork, Rounded

RUNTIME = "com.microsoft"
"""Domain of ONNX Runtime's own operations: one of them multiplies by four-bit weights without unpacking them."""
INT8 = 4
"""Accuracy level at which it computes with integers of eight bits."""
ABSENT = -1e4
"""Added to the attention that goes to tokens that are not there."""


def packed(weights: Tensor) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Two weights in a byte, the lower first, 8 means 0, (n, blocks, BLOCK / 2), and scales (n, blocks)."""
    rounded = Rounded.of(weights)
    rows = len(weights)
    integers = (rounded.integers + 8).byte().numpy().reshape(rows, -1, BLOCK // 2, 2)
    pairs = (integers[..., 0] | (integers[..., 1] << 4)).astype(np.uint8)
    return pairs, rounded.scales.numpy().reshape(rows, -1)


def export(network: PassageNetwork, folder: Path) -> None:
    """Write GRAPH and PIECES."""
    integers, scales = packed(network.pieces)
    save_file({"integers": integers.reshape(len(integers), -1), "scales": scales.astype(np.float16)}, folder / PIECES)
    graph = Graph()
    width = network.pieces.shape[1]
    pieces = graph.input("pieces", ("n", "t", width))
    seen = graph.input("seen", ("n", "t"))
    length = graph.op("Slice", graph.op("Shape", pieces), graph.ints(1), graph.ints(2))
    positions = graph.op("Slice", graph.weight(array(network.positions)), graph.ints(0), length)
    x = _norm(graph, graph.op("Add", pieces, positions), network.norm)
    missing = graph.op("Mul", graph.op("Sub", graph.weight(1.0), seen), graph.weight(ABSENT))
    mask = graph.op("Unsqueeze", missing, graph.ints(1, 2))
    for layer in network.layers:
        assert isinstance(layer, Layer)
        x = _layer(graph, x, mask, layer)
    there = graph.op("Unsqueeze", seen, graph.ints(2))
    total = graph.op("ReduceSum", graph.op("Mul", x, there), graph.ints(1), keepdims=0)
    length = graph.op("ReduceL2", total, graph.ints(1), keepdims=1)
    graph.output(graph.op("Div", total, length), "vectors", ("n", width))
    graph.save(folder / GRAPH)


def _layer(graph: Graph, x: str, mask: str, layer: Layer) -> str:
    heads = layer.heads
    size = layer.query.in_features // heads

    def split(part: nn.Linear, order: tuple[int, ...]) -> str:
        shaped = graph.op("Reshape", _linear(graph, x, part), graph.ints(0, 0, heads, size))
        return graph.op("Transpose", shaped, perm=order)

    queries, keys, values = (
        split(layer.query, (0, 2, 1, 3)),
        split(layer.key, (0, 2, 3, 1)),
        split(layer.value, (0, 2, 1, 3)),
    )
    scores = graph.op("Mul", graph.op("MatMul", queries, keys), graph.weight(size**-0.5))
    attended = graph.op("MatMul", graph.op("Softmax", graph.op("Add", scores, mask), axis=-1), values)
    joined = graph.op("Reshape", graph.op("Transpose", attended, perm=(0, 2, 1, 3)), graph.ints(0, 0, heads * size))
    x = _norm(graph, graph.op("Add", x, _linear(graph, joined, layer.gathered)), layer.norm)
    wide = _linear(graph, x, layer.widened)
    bent = graph.op("Erf", graph.op("Mul", wide, graph.weight(0.5**0.5)))
    gelu = graph.op("Mul", graph.op("Mul", wide, graph.op("Add", bent, graph.weight(1.0))), graph.weight(0.5))
    return _norm(graph, graph.op("Add", x, _linear(graph, gelu, layer.narrowed)), layer.last_norm)


def _linear(graph: Graph, x: str, part: nn.Linear) -> str:
    integers, scales = packed(part.weight)
    weights = graph.weight(integers, np.uint8), graph.weight(scales.reshape(-1))
    size = {"K": part.in_features, "N": part.out_features, "bits": 4, "block_size": BLOCK, "accuracy_level": INT8}
    return graph.op("Add", graph.op("MatMulNBits", x, *weights, domain=RUNTIME, **size), graph.weight(array(part.bias)))


def _norm(graph: Graph, x: str, norm: nn.LayerNorm) -> str:
    return graph.op(
        "LayerNormalization", x, graph.weight(array(norm.weight)), graph.weight(array(norm.bias)), epsilon=norm.eps
    )
