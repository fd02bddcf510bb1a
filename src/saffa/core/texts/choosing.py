"""Ways to find the steps among the sections of a text: announced by headings, in a list or a table, in running text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from saffa.core.texts.blocks import CHAPTERS, Block
from saffa.core.texts.headings import (
    is_stage,
    is_subpart,
    part_of,
    says_steps_plainly,
    step_number,
)
from saffa.core.texts.lines import (
    are_ingredients,
    is_ingredient,
    is_sentence,
    is_title,
)
from saffa.core.texts.structure.sections import (
    Section,
    has_ingredients,
    ingredient_lists,
    lists_ingredients,
    neutral,
    sentences_of,
    useful,
)

_LEAST_LISTED = 3  # items from which on a text has its steps in lists
_LEAST_NUMBERED = 1 / 3
_LEAST_BULLETS = 1 / 2
"""Shares of a plain text that a list must have, so that it is the steps and the rest is talk around them."""
_LEAST_SENTENCES = 3  # items of a list from which on it shows how the steps of this text look
_CELL_WORDS = 4  # on average in a column of steps, where no header names it
RUNNING_TEXT = "the running text"
_LEAST_LINES = 3
_FIRST = re.compile(
    r"\W*(?:first(?:ly)?|1st|to (?:start|begin)|start by|zuerst|zunächst|als erstes|d[’']abord|tout d[’']abord|primero|"
    r"en primer lugar|per prima cosa|innanzitutto|prima di tutto)\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\W*(?:final(?:ly)?|last(?:ly)?|zum schluss|zuletzt|schließlich|abschließend|enfin|pour finir|finalmente|"
    r"por último|para terminar|infine|per ultimo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FoundSteps:
    """Blocks taken as steps, and where they stand."""

    blocks: list[Block]
    origin: str


def announced(sections: Sequence[Section]) -> FoundSteps | None:
    """What stands under headings such as `Method`."""
    first = next((place for place, section in enumerate(sections) if section.part == "steps"), len(sections))
    named = [
        section
        for place, section in enumerate(sections)
        if section.part == "steps" or (place > first and _goes_on(section))
    ]
    plainly = any(section.blocks and says_steps_plainly(section.source) for section in named)
    if plainly and lists_ingredients(sections):
        named = [section for section in named if section.part is None or says_steps_plainly(section.source)]
    numbered = any(block.number is not None for section in named for block in section.blocks)
    listed = any(sum(block.kind == "item" for block in section.blocks) >= _LEAST_LISTED for section in named)
    above = {one.source for one in named if one.heading != one.source}  # headings whose steps stand further below
    blocks = [
        block
        for section in named
        for block in _steps_within(
            section,
            (numbered and not _has_prose_of_its_own(section, above)) or (listed and section.heading != section.source),
        )
    ]
    sources = list(dict.fromkeys(section.source or section.heading for section in named if section.blocks))
    names = " and ".join(f"'{source.strip(' :')}'" for source in sources)
    return FoundSteps(blocks, names if len(sources) <= 2 else f"{len(sources)} sections") if blocks else None


def _has_prose_of_its_own(section: Section, above: set[str]) -> bool:
    """Whether prose is the steps here although other parts of the text have lists: below `Method`, `To serve`."""
    return is_stage(section.heading) or (
        section.heading == section.source and section.heading not in above and says_steps_plainly(section.heading)
    )


def _goes_on(section: Section) -> bool:
    """Whether steps go on below a heading that names a stage of the work, or a part of it with a numbered list."""
    if section.part is not None:
        return False
    listed = any(block.kind == "item" and block.number is not None for block in section.blocks)
    return is_stage(section.heading) or (listed and is_subpart(section.heading))


def _steps_within(section: Section, listed: bool) -> list[Block]:
    """Lists where there are lists, else prose; ingredients and tips between them stay out.

    Where the steps of the text are `listed`, prose beside them is no step.
    """
    ingredients = ingredient_lists(section.blocks)
    body = [block for block in useful(section.blocks) if (block.group, block.level) not in ingredients]
    items = [block for block in body if block.kind == "item"]
    prose = [block for block in body if block.kind == "paragraph"]
    if len(items) >= 2 or (items and len(prose) < 2):
        return items
    if items:
        return [block for block in body if block.kind in ("item", "paragraph")]
    rows = instruction_cells([block for block in section.blocks if block.kind == "row"])
    if len(rows) >= 2:
        return rows
    return prose if section.step is not None or not listed else []


def step_headings(sections: Sequence[Section]) -> FoundSteps | None:
    """`Step 1: …`, `Step 2: …` as headings: what stands under them, or their own words if nothing does."""
    steps = [section for section in sections if section.step is not None and section.part in (None, "steps")]
    if len(steps) < 2 or any(part_of(section.heading) not in (None, "steps") for section in steps):
        return None
    blocks: list[Block] = []
    for section in steps:
        body = [block for block in useful(section.blocks) if block.kind in ("item", "paragraph")]
        number = step_number(section.heading)
        blocks += body or ([Block("item", number[1], number=number[0])] if number and number[1] else [])
    return FoundSteps(blocks, "the numbered headings") if blocks else None


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


def told_in_order(sections: Sequence[Section]) -> FoundSteps | None:
    """Lines from `First, …` to `Finally, …`, without a greeting above and words that stand apart below."""
    blocks = [block for section in sections for block in section.blocks]
    first = next((place for place, block in enumerate(blocks) if _FIRST.match(block.text)), None)
    last = next((place for place, block in reversed(list(enumerate(blocks))) if _LAST.match(block.text)), None)
    if first is None or last is None or last < first + 2:
        return None
    end = next((place for place in range(last + 1, len(blocks)) if blocks[place].apart), len(blocks))
    return FoundSteps(useful(blocks[first:end]), "the lines from first to last")


def titled(sections: Sequence[Section]) -> FoundSteps | None:
    """Lines below a title: it stands apart and ends like none, and they are close together or end as sentences do."""
    if len(sections) == 1 and sections[0].heading and sections[0].part in ("tips", "other"):  # `How to store dahlias`
        return FoundSteps(useful(sections[0].blocks), "the lines below the title")
    title, *lines = [block for section in sections for block in section.blocks] or [Block("paragraph", "")]
    if any(block.kind != "paragraph" for block in (title, *lines)) or not lines or not lines[0].apart:
        return None
    if sum(len(sentences_of(line)) for line in lines) < _LEAST_LINES:
        return None
    named = is_title(title.text) and not is_ingredient(title.text)
    alike = not any(line.apart for line in lines[2:]) or all(is_sentence(line.text) for line in lines)
    return FoundSteps(useful(lines), "the lines below the title") if named and alike else None


def prose(sections: Sequence[Section]) -> FoundSteps | None:
    """Paragraphs and lists that no heading calls something else; of a recipe, those after its ingredients."""
    places = [place for place, section in enumerate(sections) if has_ingredients(section)]
    after = sections[places[-1] :] if places else sections
    for some in (after, sections):
        blocks = [block for section in neutral(some) for block in _running_text(section)]
        if blocks:
            return FoundSteps(blocks, RUNNING_TEXT)
    return None


def _running_text(section: Section) -> list[Block]:
    ingredients = ingredient_lists(section.blocks)
    body = (block for block in useful(section.blocks) if block.kind in ("item", "paragraph"))
    return [block for block in body if (block.group, block.level) not in ingredients]


def letter(sections: Sequence[Section]) -> FoundSteps | None:
    """What is said between the greeting and the farewell of a letter."""
    framed = any(block.kind == "aside" for section in sections for block in section.blocks)
    found = prose(sections) if framed else None
    return FoundSteps(found.blocks, "the letter") if found else None


def rest(sections: Sequence[Section]) -> FoundSteps | None:
    """Of plain text that lists ingredients or nutrition, the rest, without a title right above them."""
    needed = any(section.part in ("ingredients", "nutrition") for section in sections)
    if not needed and not lists_ingredients(sections):
        return None
    found, first = prose(sections), next((block for section in sections for block in section.blocks), None)
    titled = found and len(found.blocks) > 1 and found.blocks[0] is first and is_title(found.blocks[0].text)
    return FoundSteps(found.blocks[1:], found.origin) if found and titled else found
