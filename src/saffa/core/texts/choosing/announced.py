"""Steps under headings that announce them: `Method`, `Step 1`."""

from __future__ import annotations

from collections.abc import Sequence

from saffa.core.texts.blocks import Block
from saffa.core.texts.choosing.found import FoundSteps, lists_ingredients, useful
from saffa.core.texts.choosing.lists import instruction_cells
from saffa.core.texts.headings import is_stage, is_subpart, part_of, says_steps_plainly, step_number
from saffa.core.texts.structure.sections import Section, ingredient_lists

_LEAST_LISTED = 3  # items from which on a text has its steps in lists


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
