"""ResNet-50 (He et al. 2016, stride in the 3×3 convolution): the picture features of VDAN (CVPR 2020).

`resnet.0` is the first convolution, `.1` its norm, `.4` to `.7` the four stages.
"""

from __future__ import annotations

from collections import OrderedDict

from torch import Tensor, nn

BLOCKS = (3, 4, 6, 3)
WIDTHS = (64, 128, 256, 512)
EXPANSION = 4
FEATURES = 2048


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


def stage(inputs: int, width: int, blocks: int, stride: int) -> nn.Sequential:
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
            layers[str(4 + i)] = stage(inputs, width, blocks, stride=1 if i == 0 else 2)
            inputs = EXPANSION * width
        layers["8"] = nn.AdaptiveAvgPool2d(1)
        self.resnet = nn.Sequential(layers)

    def forward(self, pictures: Tensor) -> Tensor:
        """The average over the last stage's map."""
        features: Tensor = self.resnet(pictures)
        return features.flatten(1)
