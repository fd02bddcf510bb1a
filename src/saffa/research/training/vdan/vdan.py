"""VDAN (CVPR 2020), the predecessor: a still picture guides the reading of the document."""

from __future__ import annotations

from torch import nn

from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.training.backbones.resnet import ResNet50
from saffa.research.training.vdan.text import TextEmbedder
from saffa.research.training.vdan.vdan_plus import GuidedEncoder, Head


class Vdan(GuidedEncoder):
    """ResNet-50 features as h0; sizes from `vdan_dimensions`."""

    def __init__(self, dims: Dimensions, *, backbone: bool = True) -> None:
        super().__init__(dims)
        self.text_embedder = TextEmbedder(dims)
        self.img_embedder = ResNet50() if backbone else None
        self.img_fc1, self.img_fc2, self.img_bnorm = Head.build(dims.visual, dims)
        self.text_fc1, self.text_fc2, self.text_bnorm = Head.build(dims.document, dims)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_normal_(module.weight)
        self.freeze_backbone()

    @property
    def backbone(self) -> nn.Module | None:
        """ResNet-50."""
        return self.img_embedder

    @property
    def visual_head(self) -> Head:
        """f_v."""
        return Head(self.img_fc1, self.img_fc2, self.img_bnorm)
