"""Treebank tokens and token ids."""

import json
from pathlib import Path

import pytest

from saffa.encoders.vdan.vocabulary import MAX_WORDS, Vocabulary, tokenize, words_of
from tests.encoders.rule import golden, vocabulary_of


def test_tokens_of_the_reference(shared_data: Path) -> None:
    wanted = json.loads((shared_data / "golden/tokens_nltk_preserve_line.json").read_text("utf-8"))
    assert {text: tokenize(text) for text in wanted} == wanted


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop", "do n't stop"),
        ("the cook's knife, they'll", "the cook 's knife , they 'll"),
        ('say "hi" (now)', "say `` hi '' ( now )"),
        ('"hi" said she', "`` hi '' said she"),
        ("I cannot, gonna, wanna go", "i can not , gon na , wan na go"),
        ("1,000 g at 10:30, $5.50", "1,000 g at 10:30 , $ 5.50"),
        ("well-done -- or not...", "well-done -- or not ..."),
        ("under 'My Documents' here", "under ' my documents ' here"),
        ("'tis rock'n'roll", "' tis rock'n'roll"),
        ("a; b: c? d! e* 50%", "a ; b : c ? d ! e * 50 %"),
        ("“quoted” «so»", "“ quoted ” « so »"),
        ("it’s", "it ’ s"),
        ("stir well. then fry.", "stir well . then fry ."),
        ("add 2 tbsp. e.g. for dr. who.", "add 2 tbsp . e.g. for dr. who ."),
        ("2. stir the soup.", "2. stir the soup ."),
        ("serve (warm.)", "serve ( warm . )"),
        ("  tabs\tand\nlines ", "tabs and lines"),
        ("", ""),
        (" \n", ""),
        (".", "."),
    ],
)
def test_conventions(text: str, tokens: str) -> None:
    assert tokenize(text) == tokens.split()


def test_long_sentences_are_cut_and_empty_ones_kept() -> None:
    assert [len(w) for w in words_of(["word " * 50, "", "one"])] == [MAX_WORDS, 0, 1]


def test_ids_pad_and_know_unknown_words() -> None:
    vocabulary = Vocabulary.of_words(["PAD", "UNK", "add", "salt", None, "add"])
    ids, lengths = vocabulary.ids(["Add salt", "add xylophones PAD !", ""])
    assert ids.tolist() == [[2, 3, 0, 0], [2, 1, 1, 1], [0, 0, 0, 0]]
    assert lengths.tolist() == [2, 4, 0]
    assert vocabulary.words() == ["PAD", "UNK", "add", "salt", None, None]
    assert vocabulary.ids([""])[0].shape == (1, 1)


def test_ids_of_the_reference(shared_data: Path) -> None:
    z = golden(shared_data, "rule_text_io.npz")
    vocabulary = Vocabulary.of_words(vocabulary_of(z))
    for n, document in enumerate(json.loads(str(z["docs_json"]))):
        ids, lengths = vocabulary.ids(document)
        assert lengths.tolist() == z["words_per_sentence"][n, : len(document)].tolist()
        assert ids.tolist() == z["documents"][n, : len(document), : ids.shape[1]].tolist()
