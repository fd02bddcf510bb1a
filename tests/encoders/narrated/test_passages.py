"""Passages of a narration, cut and compared."""

from collections.abc import Sequence

import numpy as np
import pytest

from saffa.core.types import Floats
from saffa.encoders.narrated.passages import (
    EVERY,
    LONGEST,
    PASSAGE_CLUES,
    Passages,
    batches,
    enclosed,
    numbers_of,
    passage_rows,
    piece_tokenizer,
    shipped_reader,
    unpacked,
)
from saffa.encoders.words import unit

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "onion", "##s", "pan", "o", "##n", "fry")


class OneAxisAPiece:
    """A reader whose vectors count pieces: texts are near if they share pieces."""

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        return numbers_of(piece_tokenizer(PIECES), texts)

    def vectors(self, rows: Sequence[Sequence[int]]) -> Floats:
        counts = np.array([np.bincount(row[1:-1], minlength=len(PIECES)) for row in rows], np.float32)
        return unit(counts)


def test_batches_hold_every_row_once_and_nothing_else() -> None:
    rows = [[7] * n for n in (3, 64, 5, 3, 40)] + [[8] * 60] * 150
    seen = {}
    for chosen, tokens in batches(rows):
        assert tokens.size <= 4000
        for place, row in zip(chosen.tolist(), tokens, strict=True):
            seen[place] = row[row > 0].tolist()
    assert seen == dict(enumerate(rows))


def test_words_are_cut_into_the_longest_known_pieces() -> None:
    assert numbers_of(piece_tokenizer(PIECES), ["Onions", "on", "wok"]) == [[4, 5], [7, 8], [1]]


def test_a_passage_holds_what_is_said_around_its_middle() -> None:
    words, times = [[4], [5], [6], [7]], np.array([1, 9, 3, 30], np.float32)
    rows, middles = passage_rows(words, times, np.array([2, 8, 20, 30], np.float32), 4.0)
    assert rows == [enclosed([4, 6]), enclosed([5]), enclosed([7])]
    assert middles.tolist() == [2, 8, 30]


def test_a_long_passage_is_cut_at_the_limit() -> None:
    assert len(enclosed(range(4, 500))) == LONGEST


def test_four_bit_numbers_are_unpacked_with_their_scales() -> None:
    integers = np.array([[0x9F, 0x08]], np.uint8)  # 15, 9, 8, 0
    found = unpacked(integers, np.array([[0.5, 2]], np.float16))
    np.testing.assert_array_equal(found, [[3.5, 0.5, 0, -16]])


def test_clues_are_high_where_the_text_is_said_and_nothing_in_silence() -> None:
    said = ["onions"] * 4 + ["pan"] * 4
    times = np.array([10, 11, 12, 13, 50, 51, 52, 53], np.float32)
    found = Passages.of(OneAxisAPiece(), said, times, ["onions", "fry pan"], 100, EVERY)
    clues = np.stack(list(found.clues(np.arange(100, dtype=np.float32) + 0.5)))
    assert clues.shape == (PASSAGE_CLUES, 100, 2)
    for clue in clues:
        assert clue[8:16, 0].min() > clue[48:56, 0].max()
        assert clue[48:56, 1].min() > clue[8:16, 1].max()
    assert not clues[:, 25:40].any() and not clues[:, 70:].any()


def test_many_sentences_are_read_in_part() -> None:
    class Counting(OneAxisAPiece):
        tokens = 0

        def vectors(self, rows: Sequence[Sequence[int]]) -> Floats:
            self.tokens += sum(map(len, rows))
            return super().vectors(rows)

    few, many = Counting(), Counting()
    for reader, texts in ((few, ["pan " * 200] * 10), (many, ["pan " * 200] * 900)):
        Passages.of(reader, ["pan"], np.array([5], np.float32), texts, 20, EVERY)
    assert few.tokens > 10 * LONGEST
    assert many.tokens < 10_000


@pytest.mark.parametrize(("said", "times"), [([], []), (["onion"], [5.0])])
def test_hardly_a_word_is_no_fault(said: list[str], times: list[float]) -> None:
    found = Passages.of(OneAxisAPiece(), said, np.array(times, np.float32), ["onion"], 20, EVERY)
    clues = np.stack(list(found.clues(np.arange(20, dtype=np.float32))))
    assert clues.shape == (PASSAGE_CLUES, 20, 1) and np.isfinite(clues).all()


def test_the_shipped_network_knows_what_passages_mean() -> None:
    reader = shipped_reader()
    texts = [
        "chop the onion and the garlic",
        "now we take a knife and cut this into really tiny pieces the same with the cloves",
        "if you like this video please subscribe and leave a comment below",
        "open the layer panel and add an adjustment",
        "go to the window where your layers are and create a new one for the adjustment",
    ]
    vectors = reader.vectors([enclosed(row) for row in reader.numbers(texts)])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > max(cosines[0, 2], cosines[0, 4])
    assert cosines[3, 4] > max(cosines[3, 1], cosines[3, 2])
