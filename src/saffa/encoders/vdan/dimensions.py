"""The sizes that define a VDAN or VDAN+ network; stored beside its weights, so that a file rebuilds its own net."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from saffa.core.errors import InputError

FirstState = Literal["clip", "zeros", "learned", "mapped"]
"""h0 of the document level: φ(v) (the paper's choice), 0, or a learned vector W_s (its two ablations).

`mapped` is a learned linear map of φ(v), for features that are wider than the hidden state.
"""

TEXT = "text_embedder.doc_embedder."


@dataclass(frozen=True)
class Dimensions:
    """Widths of every layer. The defaults are VDAN+ (TPAMI 2022); hidden sizes are per direction."""

    vocabulary: int
    word: int = 300
    word_hidden: int = 512
    word_attention: int = 1024
    sentence_hidden: int = 512
    sentence_attention: int = 1024
    visual: int = 512
    projection: int = 512
    embedding: int = 128
    h0: FirstState = "clip"

    def __post_init__(self) -> None:
        if self.h0 == "clip" and self.visual != self.sentence_hidden:
            raise ValueError(f"h0 = φ(v) needs as many visual features ({self.visual}) as hidden units")

    @property
    def sentence(self) -> int:
        """Width of a sentence vector p_i: both directions."""
        return 2 * self.word_hidden

    @property
    def document(self) -> int:
        """Width of the document vector d: both directions."""
        return 2 * self.sentence_hidden

    def to_json(self) -> dict[str, Any]:
        """Give plain numbers and strings for a manifest."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Dimensions:
        """Read what `to_json` gave."""
        try:
            return cls(**data)
        except (TypeError, ValueError) as error:
            raise InputError(f"These are not the dimensions of an encoder ({error}).") from None

    @classmethod
    def of_shapes(cls, shapes: Mapping[str, tuple[int, ...]]) -> Dimensions:
        """Read the sizes off a state dict's shapes; `zeros` looks like `clip` there, which is assumed if it can be."""
        side = "img" if "img_fc1.weight" in shapes else "vid"
        try:
            vocabulary, word = shapes[TEXT + "sent_embedder.word_embedding_layer.weight"]
            projection, visual = shapes[f"{side}_fc1.weight"]
            hidden = shapes[TEXT + "embedder.weight_hh_l0"][1]
            return cls(
                vocabulary=vocabulary,
                word=word,
                word_hidden=shapes[TEXT + "sent_embedder.embedder.weight_hh_l0"][1],
                word_attention=shapes[TEXT + "sent_embedder.word_att.weight"][0],
                sentence_hidden=hidden,
                sentence_attention=shapes[TEXT + "sentence_attention.weight"][0],
                visual=visual,
                projection=projection,
                embedding=shapes[f"{side}_fc2.weight"][0],
                h0=_first_state(shapes, visual == hidden),
            )
        except (KeyError, ValueError, IndexError) as error:
            raise InputError(f"This is not a whole VDAN or VDAN+ state dict ({error}).") from None


def _first_state(shapes: Mapping[str, tuple[int, ...]], same_width: bool) -> FirstState:
    if TEXT + "h0" in shapes:
        return "learned"
    if TEXT + "h0_map.weight" in shapes:
        return "mapped"
    return "clip" if same_width else "zeros"
