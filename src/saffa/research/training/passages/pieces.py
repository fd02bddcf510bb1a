"""Which pieces of words the network keeps: those of the training texts, and the most frequent ones of English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from saffa.core.errors import InputError
from saffa.encoders.narrated.lexicon import SpokenWords
from saffa.encoders.narrated.passages import MARKS, piece_tokenizer
from saffa.encoders.words import words
from saffa.research.datasets.base import BenchmarkVideo

COUNT = 7500
"""Pieces that are kept."""
OFTEN = 3
"""Times that a word must be said to keep its pieces."""
CONTINUED = "##"
"""Begins a piece that is not the first of its word."""


def published_pieces(path: Path) -> list[str]:
    """All pieces of a published vocabulary, one in a line, the frequent ones first."""
    try:
        return path.read_text("utf-8").rstrip("\n").split("\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from None


def chosen_pieces(pieces: list[str], videos: Iterable[BenchmarkVideo], count: int = COUNT) -> list[str]:
    """MARKS, single letters, those of the videos' texts and of words said OFTEN, then the most frequent ones."""
    said: Counter[str] = Counter()
    written: set[str] = set()
    for video in videos:
        cues = video.narration.cues if video.narration else ()
        said.update(SpokenWords.of(cues, float(video.frames / video.rate)).words)
        written.update(word for sentence in video.document.sentences for word in words(sentence))
    known = sorted(written | {word for word, times in said.items() if times >= OFTEN})
    used = {n for encoded in piece_tokenizer(pieces).encode_batch(known, add_special_tokens=False) for n in encoded.ids}
    letters = [piece for piece in pieces if piece.isascii() and len(piece.removeprefix(CONTINUED)) == 1]
    plain = [piece for piece in pieces if piece.isascii() and piece.removeprefix(CONTINUED).isalnum()]
    heard = [pieces[number] for number in sorted(used) if pieces[number].isascii()]
    return list(dict.fromkeys([*MARKS, *letters, *heard, *plain]))[:count]
