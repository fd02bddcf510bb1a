"""Marks in front of lines that people type instead of bullets: arrows, ticks, pictures."""

from __future__ import annotations

import re
from collections import Counter

_PICTURE = re.compile(
    "^\\s*((?:[\u2190-\u21ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d]*)+)[ \\t]*(?=\\S)"
)
_LEAST = 2  # lines with the same mark from which on it stands for a bullet


def with_bullets(lines: list[str]) -> list[str]:
    """The lines, with `- ` in place of an arrow or a picture that begins several of them."""
    marks = [_PICTURE.match(line) for line in lines]
    counts = Counter(mark[1] for mark in marks if mark)
    return [
        f"- {line[mark.end() :]}" if mark and counts[mark[1]] >= _LEAST else line
        for line, mark in zip(lines, marks, strict=True)
    ]
