"""VDAN+ (paper, section 3.1): a clip and a document in, two unit vectors out; the clip guides the reading."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.training.backbones.r2plus1d import R2Plus1D34
from saffa.research.training.vdan.text import TextEmbedder, TextEncoding

BIAS = 0.01  # of every linear layer before training


class Embeddings(NamedTuple):
    """What a forward pass gives for a batch of B pairs: e_v and e_d (B, d), unit norm, and the text's attentions."""

    e_v: Tensor
    e_d: Tensor
    text: TextEncoding


class Head(NamedTuple):
    """f_v or f_D: two linear layers and a batch norm."""

    fc1: nn.Linear
    fc2: nn.Linear
    bnorm: nn.BatchNorm1d

    @classmethod
    def build(cls, inputs: int, dims: Dimensions) -> Head:
        """From a vector of `inputs` numbers to an embedding."""
        return cls(
            nn.Linear(inputs, dims.projection),
            nn.Linear(dims.projection, dims.embedding),
            nn.BatchNorm1d(dims.embedding),
        )

    def __call__(self, x: Tensor) -> Tensor:
        """(B, inputs) → (B, d) of unit norm; the norm has no epsilon, as in the published code."""
        out: Tensor = self.bnorm(self.fc2(torch.relu(self.fc1(x))))
        unit: Tensor = out / torch.linalg.vector_norm(out, dim=1, keepdim=True)
        return unit


class GuidedEncoder(nn.Module):
    """What VDAN+ and VDAN share; a subclass names its visual side and sets the initial weights."""

    text_embedder: TextEmbedder
    text_fc1: nn.Linear
    text_fc2: nn.Linear
    text_bnorm: nn.BatchNorm1d

    def __init__(self, dims: Dimensions) -> None:
        super().__init__()
        self.dims = dims
        self.drifting_backbone = False
        """Whether `train()` lets the backbone's batch norms follow the training clips.

        The published VDAN+ did (its weights were frozen, its running statistics were not). Off by default:
        the backbone then stays what it was, and a clip means the same in training and in use.
        """

    @property
    def backbone(self) -> nn.Module | None:
        """The network that computes φ(v), if this model has one."""
        raise NotImplementedError

    @property
    def visual_head(self) -> Head:
        """f_v."""
        raise NotImplementedError

    @property
    def text_head(self) -> Head:
        """f_D."""
        return Head(self.text_fc1, self.text_fc2, self.text_bnorm)

    def freeze_backbone(self) -> None:
        """Only the text side and the heads learn."""
        if self.backbone is not None:
            self.backbone.requires_grad_(False)

    def train(self, mode: bool = True) -> GuidedEncoder:
        """Training or evaluation mode; the backbone keeps evaluating unless `drifting_backbone`."""
        super().train(mode)
        if self.backbone is not None and not self.drifting_backbone:
            self.backbone.eval()
        return self

    def features(self, visual: Tensor) -> Tensor:
        """φ(v) (B, z) of clips (B, 3, T, H, W) or pictures (B, 3, H, W)."""
        if self.backbone is None:
            raise ValueError("this encoder was built without a backbone; give it features")
        out: Tensor = self.backbone(visual)
        return out

    def forward(self, features: Tensor, documents: Tensor, lengths: Tensor) -> Embeddings:
        """φ(v) (B, z), token ids (B, S, L) with 0 = PAD, words per sentence (B, S) with 0 = no sentence."""
        text = self.text_embedder(documents, lengths, features)
        return Embeddings(self.visual_head(features), self.text_head(text.document), text)


class VdanPlus(GuidedEncoder):
    """The TPAMI 2022 encoder. Without `backbone` it starts from features φ(v) and holds no R(2+1)D-34."""

    def __init__(self, dims: Dimensions, *, backbone: bool = True) -> None:
        super().__init__(dims)
        self.text_embedder = TextEmbedder(dims)
        self.vid_embedder = R2Plus1D34() if backbone else None
        self.vid_fc1, self.vid_fc2, self.vid_bnorm = Head.build(dims.visual, dims)
        self.text_fc1, self.text_fc2, self.text_bnorm = Head.build(dims.document, dims)
        self._start()
        self.freeze_backbone()

    def _start(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.constant_(module.bias, BIAS)

    @property
    def backbone(self) -> nn.Module | None:
        """R(2+1)D-34."""
        return self.vid_embedder

    @property
    def visual_head(self) -> Head:
        """f_v."""
        return Head(self.vid_fc1, self.vid_fc2, self.vid_bnorm)
