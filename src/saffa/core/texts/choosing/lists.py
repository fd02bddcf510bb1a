"""Steps that are a list or a table, without a heading that announces them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from saffa.core.texts.blocks import CHAPTERS, Block
from saffa.core.texts.choosing.found import FoundSteps, lists_ingredients, neutral, useful
from saffa.core.texts.headings import part_of
from saffa.core.texts.lines import are_ingredients, is_sentence
from saffa.core.texts.structure.sections import Section

_LEAST_NUMBERED = 1 / 3
_LEAST_BULLETS = 1 / 2
"""Shares of a plain text that a list must have, so that it is the steps and the rest is talk around them."""
_LEAST_SENTENCES = 3  # items of a list from which on it shows how the steps of this text look
_CELL_WORDS = 4  # on average in a column of steps, where no header names it


def numbered_lists(sections: Sequence[Section]) -> FoundSteps | None:
    """Lists with numbers."""
    return _lists(sections, lambda block: block.number is not None, "the numbered list")


def other_lists(sections: Sequence[Section]) -> FoundSteps | None:
    """Bullets, if there is less prose than bullets, or none is expected because ingredients are listed too."""
    found = _lists(sections, lambda _: True, "the list")
    prose = sum(block.kind == "paragraph" for section in neutral(sections) for block in section.blocks)
    return found if found and (len(found.blocks) >= prose or lists_ingredients(sections)) else None


def _lists(sections: Sequence[Section], wanted: Callable[[Block], bool], origin: str) -> FoundSteps | None:
    """Lists with wanted items that are neither ingredients nor a table of contents, two items or more in all."""
    lists: list[list[Block]] = []
    for section in neutral(sections):
        for _, group in groupby((b for b in useful(section.blocks) if b.kind == "item"), lambda b: b.group):
            items = list(group)
            chosen = sum(wanted(item) for item in items if item.level == items[0].level)
            contents = all(item.link for item in items)
            if chosen and not contents and not are_ingredients([item.text for item in items]):
                lists.append(items)
    lists = _without_names(lists)
    blocks = [block for items in lists for block in items]
    if len(blocks) < 2:
        return None
    return FoundSteps(blocks, origin if len(lists) == 1 else f"{len(lists)} {origin.removeprefix('the ')}s")


def _without_names(lists: list[list[Block]]) -> list[list[Block]]:
    """Lists without bullets that are mere names (`screwdriver`), where others are sentences throughout."""
    if not any(all(is_sentence(item.text) for item in items) for items in lists if len(items) >= _LEAST_SENTENCES):
        return lists
    return [items for items in lists if items[0].number is not None or any(is_sentence(item.text) for item in items)]


def chapters(sections: Sequence[Section]) -> FoundSteps | None:
    """The chapters in the description of a video."""
    found = [block for section in sections for block in section.blocks if block.group == CHAPTERS]
    return FoundSteps(found, "the chapters") if found else None


def main_list(sections: Sequence[Section]) -> FoundSteps | None:
    """The list that makes up much of the text, with a title or a greeting around it."""
    numbered = numbered_lists(sections)
    found = numbered or _lists(sections, lambda _: True, "the list")
    total = sum(len(block.text) for section in sections for block in section.blocks)
    share = _LEAST_NUMBERED if numbered else _LEAST_BULLETS
    most = found and len(found.blocks) >= 3 and sum(len(block.text) for block in found.blocks) > share * total
    return found if most else None


def step_tables(sections: Sequence[Section]) -> FoundSteps | None:
    """Tables with a column of steps."""
    rows = [block for section in neutral(sections) for block in section.blocks if block.kind == "row"]
    found: list[Block] = []
    for _, group in groupby(rows, lambda block: block.group):
        table = list(group)
        numbers = [row.cells[0].strip(" .)") for row in table if row.cells and not row.bold]
        counted = len(numbers) >= 2 and numbers == [str(number + 1) for number in range(len(numbers))]
        named = table[0].bold and (counted or any(part_of(cell) == "steps" for cell in table[0].cells))
        cells = instruction_cells(table)
        wordy = sum(len(cell.text.split()) for cell in cells) >= _CELL_WORDS * len(cells)
        found += cells if named or (counted and wordy) else []
    return FoundSteps(found, "the table") if found else None


def instruction_cells(rows: Sequence[Block]) -> list[Block]:
    """The wordiest column of a table, without its header."""
    body = [row for row in rows if not row.bold and row.cells]
    width = max((len(row.cells) for row in body), default=0)
    lengths = [sum(len(row.cells[column]) for row in body if column < len(row.cells)) for column in range(width)]
    if not lengths:
        return []
    column = lengths.index(max(lengths))
    return [Block("item", row.cells[column]) for row in body if column < len(row.cells) and row.cells[column]]
