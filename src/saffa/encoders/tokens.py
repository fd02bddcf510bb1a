"""Words of a sentence by the Penn Treebank conventions, as NLTK's `word_tokenize` gives them; no download needed.

Punctuation is kept as tokens, contractions are split (do n't, chicken 's), straight quotes become `` and ''.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_WORDS = 20
"""Words of a sentence that the encoders read; the rest is dropped, as in the paper's code."""

_OPENING = (
    (re.compile(r"([«“‘„]|`+)"), r" \1 "),
    (re.compile(r'^"|``'), r" `` "),
    (re.compile(r"([ (\[{<])(?:\"|'')"), r"\1 `` "),
    # an apostrophe that opens a quotation; a word that is no more than 's, 're, 'll … is an ending
    (re.compile(r"(?<!\w)'(?!(?:re|ve|ll|[mtsdn])\b)(?=\w)"), r"' "),
)
_PUNCTUATION = (
    (re.compile(r"([^.])(\.)([\])}>\"'»”’ ]*)\s*$"), r"\1 \2 \3 "),  # the full stop that ends the sentence
    (re.compile(r"([:,])(\D)"), r" \1 \2"),  # but 1,000 and 10:30 stay whole
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.{2,}"), r" \g<0> "),
    (re.compile(r"[;@#$%&?!*\u2012-\u2015]"), r" \g<0> "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"[\][(){}<>]"), r" \g<0> "),
    (re.compile(r"--"), r" -- "),
)
_CLOSING = (
    (re.compile(r"[»”’]"), r" \g<0> "),
    (re.compile(r"''|\""), r" '' "),
    (re.compile(r"([^' ])('[smd]|') "), r"\1 \2 "),
    (re.compile(r"([^' ])('ll|'re|'ve|n't) "), r"\1 \2 "),
)
_JOINED = (
    (re.compile(r"\b(can)(not)\b"), r" \1 \2 "),
    (re.compile(r"\b(d)('ye)\b"), r" \1 \2 "),
    (re.compile(r"\b(gim|lem)(me)\b"), r" \1 \2 "),
    (re.compile(r"\b(gon)(na)\b"), r" \1 \2 "),
    (re.compile(r"\b(wan)(na)(?=\s)"), r" \1 \2 "),
    (re.compile(r"\b(got)(ta)\b"), r" \1 \2 "),
    (re.compile(r"\b(more)('n)\b"), r" \1 \2 "),
    (re.compile(r" ('t)(is|was)\b"), r" \1 \2 "),
)

# Where one sentence ends inside the text and another begins: its full stop is a token too.
_STOP = re.compile(r"(\S*[^\s.])\.([\])}>\"'»”’]*)(?=\s+(\S))")
# Those of newspaper English, which Punkt knows and which have their own word vectors with the full stop. Kitchen
# units (tbsp., min.) are not among them: there the bare word has the vector.
_ABBREVIATION = re.compile(
    r"(?:adm|ala|ariz|aug|bros|calif|capt|co|col|colo|conn|corp|dec|dr|etc|feb|fla|gen|inc|jan|jr|kan|lt|ltd|maj|mass|"
    r"messrs|mich|minn|mr|mrs|ms|nev|nov|oct|okla|ore|prof|rep|reps|sen|sep|sept|sr|st|tenn|tues|va|vs|wash|wed|wis)"
)
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_NUMBER = re.compile(r"-?[.,]?\d[\d,./-]*")


def tokenize(text: str) -> list[str]:
    """All tokens of a text, lower-cased."""
    line = " ".join(text.lower().split())
    return [token for sentence in _split(line) for token in treebank(sentence)]


def words_of(sentences: Sequence[str], limit: int = MAX_WORDS) -> list[list[str]]:
    """The tokens of each sentence, at most `limit`; a sentence without any gives an empty list."""
    return [tokenize(sentence)[:limit] for sentence in sentences]


def _split(line: str) -> list[str]:
    """Cut after each full stop that ends a sentence."""
    parts, start = [], 0
    for match in _STOP.finditer(line):
        if _ends_sentence(match[1], match[3]):
            parts.append(line[start : match.end()])
            start = match.end()
    return [part.strip() for part in (*parts, line[start:]) if part.strip()]


def _ends_sentence(word: str, following: str) -> bool:
    """Whether the full stop after `word` ends a sentence, with `following` the next character (as Punkt decides)."""
    bare = word.lstrip("([{<\"'`«“‘„")
    if _ABBREVIATION.fullmatch(bare) or _DOTTED.fullmatch(bare):
        return False
    # "2. stir": an item's number or an initial, unless something that cannot go on a sentence follows
    return not ((_NUMBER.fullmatch(bare) or (len(bare) == 1 and bare.isalpha())) and following.islower())


def treebank(sentence: str) -> list[str]:
    """Tokens of one lower-cased sentence, not split any further (NLTK's `preserve_line`)."""
    for pattern, spaced in (*_OPENING, *_PUNCTUATION):
        sentence = pattern.sub(spaced, sentence)
    sentence = f" {sentence} "
    for pattern, spaced in (*_CLOSING, *_JOINED):
        sentence = pattern.sub(spaced, sentence)
    return sentence.split()
