"""Steps in running text: after the ingredients, from `First` to `Finally`, below a title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saffa.core.texts.blocks import Block
from saffa.core.texts.choosing.found import FoundSteps, has_ingredients, neutral, useful
from saffa.core.texts.lines import is_ingredient, is_sentence, is_title
from saffa.core.texts.structure.sections import Section, ingredient_lists, sentences_of

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
    """Of plain text with a heading for ingredients or nutrition, what does not stand under it."""
    return prose(sections) if any(section.part in ("ingredients", "nutrition") for section in sections) else None
