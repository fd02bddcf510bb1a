"""Many documents read with many pictures, every sentence encoded once.

A sentence's vector does not depend on the picture, and neither does what the document level's gates make of it: both
are computed once for all documents that hold the sentence. Only the recurrence, which starts from the picture, runs
for each pair of a document and a picture. The result equals `DocumentEncoder.document_level`.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from saffa.research.training.vdan.networks import DocumentEncoder, WeightedStates, attend


def read_pairs(
    net: DocumentEncoder, sentences: Tensor, documents: Tensor, features: Tensor, pairs: tuple[Tensor, Tensor]
) -> WeightedStates:
    """Sentence vectors (S, p), documents (N, m) as rows of them, φ(v) (V, z), and P pairs (document, picture).

    Returns d (P, 2h) and the sentences' weights (P, m).
    """
    document, picture = pairs
    first = net.first_state(features)
    rows = documents[document]
    directions = []
    for number, suffix in enumerate(("", "_reverse")):
        start = sentences.new_zeros(len(document), net.embedder.hidden_size)
        state = start if first is None else first[number][picture]
        directions.append(_run(net, suffix, sentences, rows, state))
    states = torch.cat(directions, dim=2)
    counts = torch.full((len(rows),), rows.shape[1])
    return attend(states, counts, net.sentence_attention, net.sentence_context_vector)


def _run(net: DocumentEncoder, suffix: str, sentences: Tensor, rows: Tensor, state: Tensor) -> Tensor:
    """One direction of the GRU over rows (P, m) from a first state (P, h) → states (P, m, h)."""
    weight = {name: getattr(net.embedder, f"{name}_l0{suffix}") for name in _WEIGHTS}
    given = functional.linear(sentences, weight["weight_ih"], weight["bias_ih"])
    length = rows.shape[1]
    states: list[Tensor] = [state] * length
    for place in reversed(range(length)) if suffix else range(length):
        reset, update, new = given[rows[:, place]].chunk(3, 1)
        own_reset, own_update, own_new = functional.linear(state, weight["weight_hh"], weight["bias_hh"]).chunk(3, 1)
        candidate = torch.tanh(new + torch.sigmoid(reset + own_reset) * own_new)
        state = candidate + torch.sigmoid(update + own_update) * (state - candidate)
        states[place] = state
    return torch.stack(states, dim=1)


_WEIGHTS = ("weight_ih", "bias_ih", "weight_hh", "bias_hh")
