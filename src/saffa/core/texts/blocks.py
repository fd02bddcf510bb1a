"""Blocks of a text: headings, list items, paragraphs and table rows, the same for every file format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["heading", "item", "paragraph", "row", "quote", "code", "aside"]
CHAPTERS = -1
"""Group of the items that are the chapters in the description of a video."""
LABEL_LEVEL = 7
"""Heading level of a line such as `Method:` that is no heading of the file format; deeper than h1 to h6."""


@dataclass(frozen=True)
class Block:
    """One piece of a text, in plain words without markup.

    `level` is 1 to 6 for headings and the nesting depth, from 0, for list items. `group` tells lists and tables
    apart. `number` is what an item of a numbered list is numbered with, None for bullets. An aside is no step for
    certain: the greeting of a letter, the caption of a picture.
    """

    kind: Kind
    text: str
    level: int = 0
    group: int = 0
    number: int | None = None
    bold: bool = False
    """The whole block is set in bold, as people write headings in editors without styles."""
    cells: tuple[str, ...] = ()
    """The cells of a table row."""
    link: bool = False
    """The whole block is a link, as in a table of contents."""

    apart: bool = True
    """A blank line, or nothing, stands before the block; always so where the file format tells blocks apart."""

    @property
    def has_words(self) -> bool:
        """Whether there is a letter or a digit in the text."""
        return any(c.isalnum() for c in self.text)
