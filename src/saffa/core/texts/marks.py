"""Marks in front of lines that people type instead of bullets: arrows, ticks, pictures, moments of a video."""

from __future__ import annotations

import re
from collections import Counter

from saffa.core.texts.headings import names_a_part, part_of

_PICTURE = re.compile(
    "^\\s*((?:[\u2022\u2023\u2043\u25e6\u2190-\u21ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    "[\ufe0f\u200d]*)+)[ \\t]*(?=\\S)"
)
_LEAST = 2  # lines with the same mark from which on it stands for a bullet
MOMENT = re.compile(r"^\s*[\[(]?(?:\d{1,2}:)?\d{1,2}:\d{2}[\])]?\s*[-–—:]?\s+(?=\S)")
FEW_MOMENTS = 3  # lines with a moment in front from which on they are the chapters of a video

WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,200}\|)?([^\[\]|\n]{1,200})\]\]")

_MARKDOWN = re.compile(
    r"^#{1,6}\s|^ {0,3}\|?[ :]*-{3,}[-| :]*\||\*\*\S|__\S|\]\(|\[\[|^ {0,3}(?:```|~~~|>|---|===|\+\+\+|;;;)|^\s*[-*+] |"
    r"<[a-zA-Z/!]",
    re.MULTILINE,
)
"""What Markdown is written for; without any of it, a text is as plain as one in a txt file."""
_WIKI_HEADING = re.compile(r"^={2,4}[^=\n]{1,200}={2,4} *$", re.MULTILINE)
_SURELY_MARKDOWN = re.compile(r"^#{1,6} \S.*$(?s:.*?)^#{1,6} \S|^ {0,3}\|?[ :]*-+[ :]*\|[-| :]*$", re.MULTILINE)


def is_markdown(text: str, named: bool) -> bool:
    """Whether a text is to be read as Markdown: `named` so and with any sign of it, or with two headings or a table."""
    if named:
        return _MARKDOWN.search(text) is not None
    return _SURELY_MARKDOWN.search(text) is not None and _WIKI_HEADING.search(text) is None


def with_bullets(lines: list[str]) -> list[str]:
    """The lines, with `- ` in place of an arrow or a picture that begins several of them."""
    marks = [_PICTURE.match(line) for line in lines]
    counts = Counter(mark[1] for mark in marks if mark)
    return [
        f"- {line[mark.end() :]}" if mark and counts[mark[1]] >= _LEAST else line
        for line, mark in zip(lines, marks, strict=True)
    ]


def with_listed_moments(lines: list[str]) -> list[str]:
    """The lines, with `- ` in place of the moments (`1:15 Jack up the car`) in front of several of them.

    `Intro` and `Outro` are chapters in which nothing is done.
    """
    moments = [MOMENT.match(line) for line in lines]
    if sum(moment is not None for moment in moments) < FEW_MOMENTS:
        return lines
    named = [line[moment.end() :] if moment else "" for line, moment in zip(lines, moments, strict=True)]
    return [
        f"- {name}" if name else line
        for line, name in zip(lines, named, strict=True)
        if not (names_a_part(name) and part_of(name) == "other")
    ]
