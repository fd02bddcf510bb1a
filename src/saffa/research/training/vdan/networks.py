"""VDAN+ and VDAN (paper, section 3.1): a clip and a document in, two unit vectors out; the clip guides the reading.

The document side is a hierarchical bi-GRU with soft attention on words and on sentences (section 3.1.1). Attribute
names are those of the published checkpoints, so that these load by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.training.vdan.backbones import R2Plus1D34, ResNet50

BIAS = 0.01  # of every linear layer before training


class WeightedStates(NamedTuple):
    """Weighted sums of hidden states, (n, 2h), and the weights, (n, length), 0 on padding."""

    vectors: Tensor
    weights: Tensor


class TextEncoding(NamedTuple):
    """B documents of at most S sentences of at most L words; padding has weight 0.

    document          (B, 2h)    d
    sentences         (B, S, p)  p_i, zeros on padding
    sentence_weights  (B, S)     α_i
    word_weights      (B, S, L)  α_ij
    """

    document: Tensor
    sentences: Tensor
    sentence_weights: Tensor
    word_weights: Tensor


def attend(states: Tensor, lengths: Tensor, projection: nn.Linear, context: nn.Linear) -> WeightedStates:
    """u = tanh(W h + b), α = softmax(uᵀc) over the real steps, Σ α h; states (n, length, 2h), lengths (n,) ≥ 1."""
    scores: Tensor = context(torch.tanh(projection(states))).squeeze(-1)
    real = torch.arange(states.shape[1], device=states.device) < lengths[:, None]
    # softmax subtracts the maximum: equal to the paper's quotient of exponentials, and cannot overflow
    weights = torch.softmax(scores.masked_fill(~real, -torch.inf), dim=1)
    return WeightedStates(torch.einsum("nl,nlh->nh", weights, states), weights)


def run_gru(gru: nn.GRU, inputs: Tensor, lengths: Tensor, first: Tensor | None = None) -> Tensor:
    """States (n, length, 2h) of a bi-GRU over padded inputs (n, length, d); `first` is h0, (2, n, h)."""
    packed = pack_padded_sequence(inputs, lengths.cpu(), batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(gru(packed, first)[0], batch_first=True, total_length=inputs.shape[1])
    return states


class SentenceEncoder(nn.Module):
    """Words → sentence vector. Does not see the clip, so a document's sentences are encoded once."""

    def __init__(self, dims: Dimensions) -> None:
        super().__init__()
        self.word_embedding_layer = nn.Embedding(dims.vocabulary, dims.word, padding_idx=0)
        self.word_embedding_layer.weight.requires_grad_(False)  # GloVe stays as it is
        self.embedder = nn.GRU(dims.word, dims.word_hidden, batch_first=True, bidirectional=True)
        self.word_att = nn.Linear(dims.sentence, dims.word_attention)
        self.word_context_vector = nn.Linear(dims.word_attention, 1, bias=False)

    def forward(self, words: Tensor, lengths: Tensor) -> WeightedStates:
        """Token ids (n, L) of n sentences with lengths (n,) ≥ 1 → vectors (n, p), word weights (n, L)."""
        states = run_gru(self.embedder, self.word_embedding_layer(words), lengths)
        return attend(states, lengths, self.word_att, self.word_context_vector)


class DocumentEncoder(nn.Module):
    """Sentence vectors → document vector, its first hidden state set by the clip."""

    def __init__(self, dims: Dimensions) -> None:
        super().__init__()
        self.h0_kind = dims.h0
        self.sent_embedder = SentenceEncoder(dims)
        self.embedder = nn.GRU(dims.sentence, dims.sentence_hidden, batch_first=True, bidirectional=True)
        self.sentence_attention = nn.Linear(dims.document, dims.sentence_attention)
        self.sentence_context_vector = nn.Linear(dims.sentence_attention, 1, bias=False)
        if dims.h0 == "learned":
            self.h0 = nn.Parameter(torch.zeros(2, 1, dims.sentence_hidden))
        if dims.h0 == "mapped":
            self.h0_map = nn.Linear(dims.visual, dims.sentence_hidden)

    def first_state(self, features: Tensor) -> Tensor | None:
        """h0 (2, B, h), the same for both directions when it is φ(v), features (B, h), or a map of it."""
        if self.h0_kind == "zeros":
            return None
        if self.h0_kind == "learned":
            return self.h0.expand(-1, len(features), -1).contiguous()
        state = self.h0_map(features) if self.h0_kind == "mapped" else features
        return state.expand(2, -1, -1).contiguous()

    def document_level(self, sentences: Tensor, counts: Tensor, features: Tensor) -> WeightedStates:
        """Sentence vectors (B, S, p), counts (B,) ≥ 1, features φ(v) (B, z) → d (B, 2h), weights (B, S)."""
        states = run_gru(self.embedder, sentences, counts, self.first_state(features))
        return attend(states, counts, self.sentence_attention, self.sentence_context_vector)

    def forward(self, documents: Tensor, lengths: Tensor, features: Tensor) -> TextEncoding:
        """Token ids (B, S, L), words per sentence (B, S), φ(v) (B, z).

        A sentence of length 0, padding or one without words, is as if it were not there, wherever it stands.
        """
        real = lengths > 0
        counts = real.sum(1)
        if bool((counts == 0).any()):
            raise ValueError("every document needs at least one sentence with words")
        encoded = self.sent_embedder(documents[real], lengths[real])
        sentences = _spread(encoded.vectors, real)
        # Real sentences first, in their order: the document level must not step over gaps.
        order = (~real).to(torch.int8).argsort(dim=1, stable=True)
        packed = sentences.gather(1, order[..., None].expand_as(sentences))
        attended = self.document_level(packed, counts, features)
        weights = torch.zeros_like(attended.weights).scatter(1, order, attended.weights)
        return TextEncoding(attended.vectors, sentences, weights, _spread(encoded.weights, real))


def _spread(rows: Tensor, where: Tensor) -> Tensor:
    """Rows (n, k) into a (B, S, k) tensor of zeros at the n places where `where` (B, S) holds."""
    return rows.new_zeros(*where.shape, rows.shape[1]).masked_scatter(where[..., None], rows)


class TextEmbedder(nn.Module):
    """The wrapper that gives the checkpoints' keys their `text_embedder.` prefix."""

    def __init__(self, dims: Dimensions) -> None:
        super().__init__()
        self.doc_embedder = DocumentEncoder(dims)

    def forward(self, documents: Tensor, lengths: Tensor, features: Tensor) -> TextEncoding:
        """Encode documents with `DocumentEncoder`."""
        encoding: TextEncoding = self.doc_embedder(documents, lengths, features)
        return encoding


class Embeddings(NamedTuple):
    """Result of a forward pass for a batch of B pairs: e_v and e_d (B, d), unit norm, and the text's attentions."""

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
        """Build layers from a vector of `inputs` numbers to an embedding."""
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
    """Base of VDAN+ and VDAN; a subclass names its visual side and sets the initial weights.

    Without `backbone` it starts from features φ(v) and holds no network for pixels.
    """

    side: ClassVar[str]
    """What the names of the visual layers begin with."""
    eyes: ClassVar[type[nn.Module]]
    """The network that computes φ(v)."""
    text_fc1: nn.Linear

    def __init__(self, dims: Dimensions, *, backbone: bool = True) -> None:
        super().__init__()
        self.dims = dims
        self.text_embedder = TextEmbedder(dims)
        self.add_module(f"{self.side}_embedder", self.eyes() if backbone else None)
        for side, inputs in ((self.side, dims.visual), ("text", dims.document)):
            for name, layer in Head.build(inputs, dims)._asdict().items():
                self.add_module(f"{side}_{name}", layer)
        self._start()
        self.freeze_backbone()

    def _start(self) -> None:
        """Set the initial weights."""
        raise NotImplementedError

    def _head(self, side: str) -> Head:
        return Head(*(getattr(self, f"{side}_{name}") for name in Head._fields))

    @property
    def backbone(self) -> nn.Module | None:
        """The network that computes φ(v), if this model has one."""
        found: nn.Module | None = getattr(self, f"{self.side}_embedder")
        return found

    @property
    def visual_head(self) -> Head:
        """f_v."""
        return self._head(self.side)

    @property
    def text_head(self) -> Head:
        """f_D."""
        return self._head("text")

    def linear_layers(self) -> Iterator[nn.Linear]:
        """All linear layers."""
        return (module for module in self.modules() if isinstance(module, nn.Linear))

    def freeze_backbone(self) -> None:
        """Only the text side and the heads learn."""
        if self.backbone is not None:
            self.backbone.requires_grad_(False)

    def train(self, mode: bool = True) -> GuidedEncoder:
        """Training or evaluation mode; the backbone keeps evaluating, so that a clip means the same in both.

        The published VDAN+ let the running statistics of its backbone's batch norms follow the training clips.
        """
        super().train(mode)
        if self.backbone is not None:
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
    """The TPAMI 2022 encoder, with R(2+1)D-34."""

    side, eyes = "vid", R2Plus1D34

    def _start(self) -> None:
        for layer in self.linear_layers():
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.constant_(layer.bias, BIAS)


class Vdan(GuidedEncoder):
    """The CVPR 2020 encoder, with ResNet-50."""

    side, eyes = "img", ResNet50

    def _start(self) -> None:
        for layer in self.linear_layers():
            nn.init.xavier_normal_(layer.weight)
        if self.dims.h0 == "mapped":  # smaller: a first state far above the GRU's own numbers would saturate its gates
            self.text_embedder.doc_embedder.h0_map.reset_parameters()
