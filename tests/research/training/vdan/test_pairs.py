import numpy as np
import pytest
import torch

from saffa.core.errors import InputError
from saffa.research.training.contrastive.training import contrastive_loss
from saffa.research.training.run import World
from saffa.research.training.vdan.pairs import CaptionTable, draw_pairs
from saffa.research.training.vdan.ranking import reciprocal_ranks
from saffa.research.training.vdan.training import pair_loss
from tests.encoders.small import SMALL, WORDS, small_encoder


def test_one_positive_and_one_negative_document_per_clip() -> None:
    pairs = draw_pairs([12, 10, 3, 11], np.random.default_rng(0))
    assert sorted((p.clip, p.label) for p in pairs) == [(c, label) for c in range(4) for label in (-1, 1)]
    for pair in pairs:
        sources = {clip for clip, _ in pair.document}
        assert len(sources) == 2
        assert (pair.clip in sources) == (pair.label == 1)
        assert len(pair.document) == sum(min(10, [12, 10, 3, 11][s]) for s in sources)
        assert len(set(pair.document)) == len(pair.document)
    mixed = [p.document for p in pairs if len(p.document) == 20]
    assert any(document != tuple(sorted(document)) for document in mixed), "sentences are shuffled"


def test_draws_differ_by_seed_only() -> None:
    first, again, other = (draw_pairs([10] * 6, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other
    with pytest.raises(InputError, match="at least 3 clips"):
        draw_pairs([10, 10], np.random.default_rng(0))


def test_caption_table() -> None:
    from saffa.encoders.vdan.vocabulary import Vocabulary  # noqa: PLC0415

    vocabulary = Vocabulary.of_words(WORDS)
    table = CaptionTable([("Add salt", "add salt ", "boil water now"), ("stir",)], vocabulary)
    assert table.counts == [2, 1], "equal captions count once"
    ids, lengths = table.documents([((0, 0), (1, 0), (0, 1)), ((1, 0),)])
    assert lengths.tolist() == [[2, 1, 3], [1, 0, 0]]
    assert ids[0].tolist() == [[2, 4, 0], [5, 0, 0], [7, 6, 1]]
    with pytest.raises(InputError, match="number 1 has no caption"):
        CaptionTable([("stir",), (" ",)], vocabulary)


def test_losses_by_hand() -> None:
    e = torch.tensor([[1.0, 0], [0, 1], [1, 0]])
    d = torch.tensor([[1.0, 0], [0, 1], [-1, 0]])
    assert float(pair_loss(e, d, torch.tensor([1, -1, -1]))) == pytest.approx(1 / 3)
    sharp = contrastive_loss(e[:2], d[:2], 0.01)
    assert float(sharp) == pytest.approx(0, abs=1e-6)
    assert float(contrastive_loss(e[:2], d[:2].flip(0), 1.0)) == pytest.approx(1 + np.log(1 + np.exp(-1)))


def test_parts_of_the_world() -> None:
    for size in (1, 2, 3, 5):
        parts = [list(range(17))[World(rank, size).part(17)] for rank in range(size)]
        assert [item for part in parts for item in part] == list(range(17))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("h0", ["clip", "zeros", "learned"])
def test_two_ranks(h0: str) -> None:
    from saffa.encoders.vdan.vocabulary import Vocabulary  # noqa: PLC0415

    encoder = small_encoder(h0)  # type: ignore[arg-type]
    captions = [("add salt", "stir"), ("boil water",), ("the pan", "oil ."), ("stir oil", "add water")]
    ranks = reciprocal_ranks(encoder, torch.rand(4, SMALL.visual), CaptionTable(captions, Vocabulary.of_words(WORDS)))
    assert ranks.clips == 4
    assert all(0.25 <= rank <= 1 for rank in (ranks.own, ranks.query))
    if h0 != "clip":
        assert ranks.own == ranks.query
