"""R(2+1)D-34 as trained on IG-65M: 3-D convolutions split into a spatial and a temporal one (Tran et al. 2018).

`resnet.0` is the published file's `stem`, `resnet.N` its `layerN`; see `from_ig65m`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from torch import Tensor, nn

BLOCKS = (3, 4, 6, 3)
WIDTHS = (64, 128, 256, 512)
FEATURES = 512
CLASSES = 359  # of the published classifier

# As the IG-65M file was trained (Caffe2's conventions): PyTorch's own defaults are 1e-5 and 0.1.
BATCH_NORM_EPS = 1e-3
BATCH_NORM_MOMENTUM = 0.9

T = TypeVar("T")


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


class Block(nn.Module):
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
    first = Block(inputs, outputs, stride)
    return nn.Sequential(first, *(Block(outputs, outputs, 1) for _ in range(blocks - 1)))


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


def ig65m_name(key: str) -> str:
    """The IG-65M name of a key of `R2Plus1D34`: `resnet.0.` → `stem.`, `resnet.N.` → `layerN.`."""
    return re.sub(r"^resnet\.(\d)\.", lambda m: "stem." if m[1] == "0" else f"layer{m[1]}.", key)
