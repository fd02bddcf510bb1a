"""Sentences of running text, and plain words without markup. All in time proportional to the length."""

from __future__ import annotations

import re
from itertools import pairwise

# A full stop ends a sentence unless it belongs to a number, an initial or a common abbreviation.
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+(?=[\"'“‘(\[¡¿]*[^\Wa-z_])|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|ca|e\.g|i\.e|etc|vs|no|fig|tbsp|tbs|tsp|oz|lb|lbs|pt|qt|gal|dr|mr|mrs|ms|st|"
    r"z\.b|bzw)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_MINUTES = re.compile(r"\b(?:min|mins|sec|secs|hr|hrs|std)\.$", re.IGNORECASE)
"""Abbreviations that may end a sentence: `Cook 10 min. Drain`, but not `1 hr. 30 min.` and `30 Min. Backzeit`."""
_CITATION = re.compile(r"(?<=[.!?,;])\[\d{1,3}\](?![(\w])")
_COUNT = re.compile(r"(\d{1,2})[.)]\s+(?=[^\Wa-z_\d])")
_LEAST_COUNTED = 3
_LONGEST_ABBREVIATION = 16
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()]*\)")
_TAG = re.compile(r"<[^<>\n]{1,200}>")
_PAIRED = re.compile(r"\*\*|__|~~|`+")
_OPEN_TAG = re.compile(r"<(?= */? *[a-zA-Z][^<>]*(?:<|\Z))")
_EMPHASIS = re.compile(r"[*_]")


def split_sentences(text: str) -> list[str]:
    """Split a paragraph at sentence ends; marks of citations (`[3]`) go."""
    sentences: list[list[str]] = []
    for part in _SENTENCE_END.split(_CITATION.sub("", text)):
        if sentences and _goes_on(sentences[-1][-1][-_LONGEST_ABBREVIATION:], part):
            sentences[-1].append(part)
        elif part.strip():
            sentences.append([part.strip()])
    return [" ".join(parts) for parts in sentences]


def _goes_on(end: str, part: str) -> bool:
    """Whether the full stop at this end of a part belongs to an abbreviation, after which the sentence goes on."""
    unit = _MINUTES.search(end)
    if unit is None:
        return bool(_ABBREVIATION.search(end))
    return part[:1].isdigit() or unit[0][0].isupper()  # German writes `Min.`, and nouns after it, in capitals


def split_counted(text: str) -> list[str]:
    """Parts of a line in which steps are counted, `1. Chop. 2. Fry.`, each with its number; else the line."""
    starts = [match for match in _COUNT.finditer(text) if match.start() == 0 or text[match.start() - 1].isspace()]
    numbers = [int(match[1]) for match in starts]
    if len(numbers) < _LEAST_COUNTED or numbers != list(range(1, len(numbers) + 1)):
        return [text]
    edges = [0, *(match.start() for match in starts[1:]), len(text)]
    return [text[start:end].strip() for start, end in pairwise(edges)]


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def without_markup(text: str) -> str:
    """Plain words of a line that may hold Markdown emphasis, links, pictures or HTML tags."""
    text = _LINK.sub(r"\1", _PICTURE.sub("", text))
    text = _without(text, _marker_pairs(text))
    text = _without(text, _emphasis_pairs(text))
    return one_line(_TAG.sub("", text))


def without_open_tags(text: str) -> str:
    """Subtitles without the `<` of tags that are never closed, on which pysubs2 spends the square of their number."""
    return _OPEN_TAG.sub("", text)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """The text without the given parts, which are in order and do not overlap."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


def _marker_pairs(text: str) -> list[tuple[int, int]]:
    """Places of `**`, `__`, `~~` and back-ticks that open and close around something."""
    marks = list(_PAIRED.finditer(text))
    following: dict[str, int] = {}
    closing = [0] * len(marks)
    for place in range(len(marks) - 1, -1, -1):
        closing[place] = following.get(marks[place][0], 0)
        following[marks[place][0]] = place
    pairs, place = [], 0
    while place < len(marks):
        end = closing[place]
        if end and marks[end].start() > marks[place].end():
            pairs += [marks[place].span(), marks[end].span()]
            place = end
        place += 1
    return pairs


def _emphasis_pairs(text: str) -> list[tuple[int, int]]:
    """Places of single `*` and `_` around words; those inside a word, as in `file_name`, stay."""
    padded = f" {text} "  # so that every mark has neighbours
    opened = -1
    pairs: list[tuple[int, int]] = []
    for mark in _EMPHASIS.finditer(text):
        at = mark.start()
        before, after = padded[at], padded[at + 2]
        closes = opened >= 0 and not before.isspace() and at > opened + 1 and not (after.isalnum() or after == "_")
        if closes:
            pairs += [(opened, opened + 1), (at, at + 1)]
            opened = -1
        elif opened < 0 and not after.isspace() and not (before.isalnum() or before == "_"):
            opened = at
    return pairs


def looks_wrapped(lines: list[str], is_item: list[bool]) -> bool:
    """Whether the lines are hard-wrapped prose: most that another line follows are long and end no sentence."""
    followed = [
        line.strip()
        for (line, _), (following, item) in pairwise(zip(lines, is_item, strict=True))
        if line.strip() and following.strip() and not item
    ]
    running = [line for line in followed if len(line) > 50 and line[-1] not in ".!?:;…"]
    return len(followed) > 0 and len(running) > 0.5 * len(followed)
