"""EfficientNet-Lite0 as an ONNX graph that takes pixels: the normalisation is inside.

Weights can be stored in half precision: half the file, and ONNX Runtime widens them once when it opens the graph.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np

from saffa.research.training.backbones.efficientnet import (
    DEVIATION,
    FEATURES,
    MEAN,
    SIZE,
    Block,
    EfficientNetLite0,
    Normed,
    same_padding,
)
from saffa.research.training.onnx_graph import Graph, normed_kernel


def export_efficientnet(net: EfficientNetLite0, path: Path, *, size: int = SIZE, half: bool = True) -> None:
    """pictures (n, size, size, 3) uint8 RGB → features (n, 1280)."""
    graph = Graph()
    layers = _Layers(graph, size, half)
    x = graph.op("Cast", graph.input("pictures", ["count", size, size, 3], "uint8"), to=1)
    # Not folded into the first kernel: its zero padding must stay zero after the normalisation.
    scale = 1 / (255 * np.array(DEVIATION))
    x = graph.op("Mul", x, graph.weight(scale))
    x = graph.op("Sub", x, graph.weight(np.array(MEAN) / np.array(DEVIATION)))
    x = layers.run(graph.op("Transpose", x, perm=[0, 3, 1, 2]), net.stem)
    for block in cast("list[Block]", net.blocks):
        wide = x if block.expand is None else layers.run(x, block.expand)
        out = layers.run(layers.run(wide, block.depthwise), block.project)
        x = graph.op("Add", out, x) if block.shortcut else out
    x = layers.run(x, net.head)
    graph.output(graph.op("ReduceMean", x, graph.ints(2, 3), keepdims=0), "features", ["count", FEATURES])
    graph.save(path)


class _Layers:
    """Convolutions one after the other; keeps track of how large the picture is."""

    def __init__(self, graph: Graph, size: int, half: bool) -> None:
        self._graph, self._size, self._half = graph, size, half
        self._limits = graph.weight(0.0), graph.weight(6.0)

    def run(self, x: str, layer: Normed) -> str:
        kernel, bias = normed_kernel(layer.conv, layer.norm)
        stride, around = layer.conv.stride[0], layer.conv.kernel_size[0]
        before, after = same_padding(self._size, around, stride)
        self._size = -(-self._size // stride)
        stored = self._graph.weight(kernel, np.float16 if self._half else np.float32)
        if self._half:
            stored = self._graph.op("Cast", stored, to=1)
        shape = {"kernel_shape": [around] * 2, "strides": [stride] * 2, "pads": [before, before, after, after]}
        out = self._graph.op("Conv", x, stored, self._graph.weight(bias), group=layer.conv.groups, **shape)
        return out if layer.plain else self._graph.op("Clip", out, *self._limits)
