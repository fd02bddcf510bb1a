"""EfficientNet-Lite0 (Tan & Le 2019; the Lite variant has ReLU6 and no squeeze-and-excitation): picture features.

Padding is TensorFlow's "same": the odd pixel goes to the right and to the bottom. Published weights keep their
names in `published_names`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torch import Tensor, nn
from torch.nn import functional

FEATURES = 1280
SIZE = 224
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""ImageNet statistics of RGB in 0..1: what the weights were trained with."""
_EPSILON = 1e-3
_STEM = 32
_STAGES = ((1, 16, 1, 3, 1), (6, 24, 2, 3, 2), (6, 40, 2, 5, 2), (6, 80, 3, 3, 2), (6, 112, 3, 5, 1), (6, 192, 4, 5, 2))
_LAST_STAGE = (6, 320, 1, 3, 1)
"""Expansion, channels, blocks, kernel, stride of the first block."""


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
