"""Lists that were typed by hand into a format that has lists of its own: paragraphs that begin with a dash."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from saffa.core.texts.blocks import Block

_MARK = re.compile(r"^(?:[-–—*•·▪●○◦‣→➤✓✔☐□▢]|\[[ xX]?\])\s+(?=\S)")
_LEAST = 2  # such paragraphs below each other


def with_typed_items(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, in which paragraphs with a typed mark in front are items, a group for each run of them."""
    marks = [_MARK.match(block.text) if block.kind == "paragraph" else None for block in blocks]
    if sum(mark is not None for mark in marks) < _LEAST:
        return list(blocks)
    group = max(block.group for block in blocks)
    found: list[Block] = []
    inside = False
    for block, mark in zip(blocks, marks, strict=True):
        group += mark is not None and not inside
        inside = mark is not None
        found.append(replace(block, kind="item", text=block.text[mark.end() :], group=group) if mark else block)
    return found
