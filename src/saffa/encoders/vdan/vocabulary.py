"""Words of a text and their rows in a table of vectors.

Tokens follow the Penn Treebank's conventions (the 1995 tokenisation notes), read character by character: punctuation
stands alone unless it holds a word or number together (`well-done`, `1,000`, `10:30`, `1/2`); double quotes become ``
and ''; clitics come off their word (`do n't`, `cook 's`); a few run-together words are taken apart (`gon na`). GloVe's
vocabulary follows the same conventions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from saffa.core.types import Ints

MAX_WORDS = 20
"""Number of words of a sentence that are read."""
_ALONE = frozenset(";?!*%$#@&()[]{}<>“”„‘’‚«»…")
_OPENING = frozenset("([{<“„‘«`")
_CLOSING = frozenset(")]}>”’»\"'")
_CLITICS = ("n't", "'s", "'m", "'d", "'ll", "'re", "'ve")
_JOINED = {
    "cannot": ("can", "not"),
    "gimme": ("gim", "me"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
    "lemme": ("lem", "me"),
    "wanna": ("wan", "na"),
    "d'ye": ("d'", "ye"),
    "more'n": ("more", "'n"),
}
_TITLES = ("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "rev", "capt", "gen", "sgt")
_ABBREVIATIONS = frozenset((*_TITLES, "vs", "etc", "cf", "ca", "approx", "inc", "ltd", "co"))
PAD, UNK = "PAD", "UNK"


def tokenize(text: str) -> list[str]:
    """All tokens of a text, lower-cased."""
    chunks = text.lower().split()
    last = len(chunks) - 1
    return [token for place, chunk in enumerate(chunks) for token in _Scanner(chunk, ends=place == last)]


def words_of(sentences: Sequence[str], limit: int = MAX_WORDS) -> list[list[str]]:
    """The tokens of each sentence, at most `limit`; a sentence without any gives an empty list."""
    return [tokenize(sentence)[:limit] for sentence in sentences]


class _Scanner:
    """Tokens of one chunk, a stretch without blanks; `ends` if the text ends with it."""

    def __init__(self, chunk: str, *, ends: bool) -> None:
        self._chunk, self._ends = chunk, ends

    def __iter__(self) -> Iterator[str]:
        """Marks as they come; what gathers between them is a word."""
        word, at = "", 0
        while at < len(self._chunk):
            mark = self._mark(at, word)
            if not mark:
                word += self._chunk[at]
                at += 1
                continue
            yield from _parts(word)
            word = ""
            yield self._shown(mark, at)
            at += len(mark)
        yield from _parts(word)

    def _mark(self, at: int, word: str) -> str:
        """The punctuation that stands alone at this place; empty where a word begins or goes on."""
        char, rest = self._chunk[at], self._chunk[at + 1 :]
        run = char * sum(1 for _ in takewhile(char.__eq__, self._chunk[at:]))
        if char == '"' or char in _ALONE:
            return char
        if char in ".-" and len(run) > 1:  # ellipsis, dash
            return run
        if char in "'`" and len(run) == 2:
            return run
        lone = (
            (char in ",:" and not rest[:1].isdigit())
            or (char == "'" and not (word and rest[:1].isalnum()))
            or char == "`"
            or (char == "." and self._stops(word, rest))
        )
        return char if lone else ""

    def _stops(self, word: str, rest: str) -> bool:
        """Whether a full stop after `word`, with `rest` behind it in the chunk, ends a sentence."""
        if any(char not in _CLOSING for char in rest):
            return False
        if self._ends:
            return True
        # "e.g. this", "dr. who", "2. stir", "j. smith": the stop belongs to the word
        return bool(word) and not ("." in word or word in _ABBREVIATIONS or word.isdigit() or len(word) == 1)

    def _shown(self, mark: str, at: int) -> str:
        """The mark as a token: straight double quotes get a direction."""
        if mark != '"':
            return mark
        opens = all(char in _OPENING or char in "\"'" for char in self._chunk[:at])
        return "``" if opens and at + 1 < len(self._chunk) else "''"


def _parts(word: str) -> Iterator[str]:
    """A word without its clitics, then the clitics; nothing for no word."""
    if word in _JOINED:
        yield from _JOINED[word]
        return
    for clitic in _CLITICS:
        if len(word) > len(clitic) and word.endswith(clitic):
            yield from _parts(word.removesuffix(clitic))
            yield clitic
            return
    if word:
        yield word


@dataclass(frozen=True)
class Vocabulary:
    """Words and their rows. Words must be lower-case to be found; PAD and UNK are not words."""

    index: Mapping[str, int]
    size: int
    unknown: int = 1

    @classmethod
    def of_words(cls, words: Sequence[str | None]) -> Vocabulary:
        """Build from rows in order, PAD and UNK included; None where a row has no word. The first of equals wins."""
        index: dict[str, int] = {}
        for row, word in enumerate(words):
            if word is not None:
                index.setdefault(word, row)
        return cls(index, len(words), index.get(UNK, 1))

    def words(self) -> list[str | None]:
        """List the word of each row, as `of_words` takes it."""
        rows: list[str | None] = [None] * self.size
        for word, row in self.index.items():
            rows[row] = word
        return rows

    def ids(self, sentences: Sequence[str], limit: int = MAX_WORDS) -> tuple[Ints, Ints]:
        """Token ids (S, L), 0 where padded, and words per sentence (S,); L is the longest, at most `limit`."""
        tokens = words_of(sentences, limit)
        lengths = np.array([len(words) for words in tokens], np.int64)
        ids = np.zeros((len(tokens), max(1, int(lengths.max(initial=0)))), np.int64)
        for row, words in zip(ids, tokens, strict=True):
            row[: len(words)] = [self.index.get(word, self.unknown) for word in words]
        return ids, lengths
