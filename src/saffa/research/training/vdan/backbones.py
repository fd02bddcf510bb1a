"""Networks that turn clips or pictures into features φ(v): R(2+1)D-34 for VDAN+, ResNet-50 for VDAN (CVPR 2020).

R(2+1)D-34 as trained on IG-65M: 3-D convolutions split into a spatial and a temporal one (Tran et al. 2018); `resnet.0`
is the published file's `stem`, `resnet.N` its `layerN`, see `from_ig65m`. ResNet-50 (He et al. 2016) has its stride in
the 3×3 convolution; `resnet.0` is its first convolution, `.1` its norm, `.4` to `.7` the four stages.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from torch import Tensor, nn

BLOCKS = (3, 4, 6, 3)
WIDTHS = (64, 128, 256, 512)
FEATURES = 512
# As the IG-65M file was trained (Caffe2's conventions): PyTorch's own defaults are 1e-5 and 0.1.
BATCH_NORM_EPS = 1e-3
BATCH_NORM_MOMENTUM = 0.9
T = TypeVar("T")
EXPANSION = 4


def norm(channels: int) -> nn.BatchNorm3d:
    """Batch norm with the file's constants."""
    return nn.BatchNorm3d(channels, eps=BATCH_NORM_EPS, momentum=BATCH_NORM_MOMENTUM)


def mid_channels(inputs: int, outputs: int) -> int:
    """Channels between the two parts, so that they have as many weights as one 3×3×3 convolution."""
    return inputs * outputs * 27 // (inputs * 9 + outputs * 3)


def split_convolution(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """1×3×3, norm, ReLU, 3×1×1; the stride acts on space in the first and on time in the last."""
    mid = mid_channels(inputs, outputs)
    return nn.Sequential(
        nn.Conv3d(inputs, mid, (1, 3, 3), (1, stride, stride), (0, 1, 1), bias=False),
        norm(mid),
        nn.ReLU(inplace=True),
        nn.Conv3d(mid, outputs, (3, 1, 1), (stride, 1, 1), (1, 0, 0), bias=False),
    )


class SplitBlock(nn.Module):
    """Two split convolutions and a shortcut, (B, inputs, T, H, W) → (B, outputs, T/stride, H/stride, W/stride)."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        first = split_convolution(inputs, outputs, stride)
        self.conv1 = nn.Sequential(first, norm(outputs), nn.ReLU(inplace=True))
        self.conv2 = nn.Sequential(split_convolution(outputs, outputs), norm(outputs))
        self.downsample: nn.Sequential | None = None
        if stride != 1 or inputs != outputs:
            shortcut = nn.Conv3d(inputs, outputs, 1, stride, bias=False)
            self.downsample = nn.Sequential(shortcut, norm(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Residual sum, then ReLU."""
        shortcut = x if self.downsample is None else self.downsample(x)
        out: Tensor = self.conv2(self.conv1(x)) + shortcut
        return out.relu_()


def stem(outputs: int) -> nn.Sequential:
    """(B, 3, T, H, W) → (B, outputs, T, H/2, W/2)."""
    return nn.Sequential(
        nn.Conv3d(3, 45, (1, 7, 7), (1, 2, 2), (0, 3, 3), bias=False),
        norm(45),
        nn.ReLU(inplace=True),
        nn.Conv3d(45, outputs, (3, 1, 1), 1, (1, 0, 0), bias=False),
        norm(outputs),
        nn.ReLU(inplace=True),
    )


def stage(inputs: int, outputs: int, blocks: int) -> nn.Sequential:
    """A run of blocks; the first halves time and space, except in the stage that keeps the width."""
    stride = 1 if inputs == outputs else 2
    first = SplitBlock(inputs, outputs, stride)
    return nn.Sequential(first, *(SplitBlock(outputs, outputs, 1) for _ in range(blocks - 1)))


class R2Plus1D34(nn.Module):
    """Clips (B, 3, T, H, W), normalised → φ(v) (B, 512). T = 32 and 112×112 in the paper; any T ≥ 1 works.

    Other widths make a network of the same form that is small enough for tests.
    """

    def __init__(self, widths: Sequence[int] = WIDTHS) -> None:
        super().__init__()
        inputs = (widths[0], *widths[:-1])
        stages = [stage(i, o, n) for i, o, n in zip(inputs, widths, BLOCKS, strict=True)]
        self.widths = tuple(widths)
        self.resnet = nn.Sequential(stem(widths[0]), *stages, nn.AdaptiveAvgPool3d(1))

    def forward(self, clips: Tensor) -> Tensor:
        """The average over time and space of the last stage."""
        features: Tensor = self.resnet(clips)
        return features.flatten(1)


def from_ig65m(tensors: Mapping[str, T]) -> dict[str, T]:
    """Keys of the IG-65M file → keys of `R2Plus1D34`; the classifier is left out."""
    return {
        re.sub(r"^(?:stem|layer(\d))\.", lambda m: f"resnet.{m[1] or 0}.", key): tensor
        for key, tensor in tensors.items()
        if not key.startswith("fc.")
    }


class Bottleneck(nn.Module):
    """1×1, 3×3, 1×1 and a shortcut, (B, inputs, H, W) → (B, 4·width, H/stride, W/stride)."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = EXPANSION * width
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.downsample: nn.Sequential | None = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Residual sum, then ReLU."""
        shortcut = x if self.downsample is None else self.downsample(x)
        out: Tensor = self.bn1(self.conv1(x)).relu_()
        out = self.bn2(self.conv2(out)).relu_()
        out = self.bn3(self.conv3(out)) + shortcut
        return out.relu_()


def bottlenecks(inputs: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    """A run of bottlenecks; the first changes width and size."""
    first = Bottleneck(inputs, width, stride)
    return nn.Sequential(first, *(Bottleneck(EXPANSION * width, width, 1) for _ in range(blocks - 1)))


class ResNet50(nn.Module):
    """Pictures (B, 3, H, W), normalised → features (B, 2048). 224×224 in the paper."""

    def __init__(self) -> None:
        super().__init__()
        layers: OrderedDict[str, nn.Module] = OrderedDict()
        layers["0"] = nn.Conv2d(3, WIDTHS[0], 7, 2, 3, bias=False)
        layers["1"] = nn.BatchNorm2d(WIDTHS[0])
        layers["2"] = nn.ReLU(inplace=True)
        layers["3"] = nn.MaxPool2d(3, 2, 1)
        inputs = WIDTHS[0]
        for i, (width, blocks) in enumerate(zip(WIDTHS, BLOCKS, strict=True)):
            layers[str(4 + i)] = bottlenecks(inputs, width, blocks, stride=1 if i == 0 else 2)
            inputs = EXPANSION * width
        layers["8"] = nn.AdaptiveAvgPool2d(1)
        self.resnet = nn.Sequential(layers)

    def forward(self, pictures: Tensor) -> Tensor:
        """The average over the last stage's map."""
        features: Tensor = self.resnet(pictures)
        return features.flatten(1)
