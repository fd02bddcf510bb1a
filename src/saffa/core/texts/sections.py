"""Sections of a text: what stands under a heading, and what that heading announces."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from saffa.core.texts.blocks import LABEL_LEVEL, Block
from saffa.core.texts.headings import (
    Part,
    inline_label,
    is_stage,
    is_subpart,
    label_of,
    names_a_part,
    part_of,
    step_number,
)
from saffa.core.texts.lines import are_ingredients, is_fact, is_ingredient, is_sentence
from saffa.core.texts.sentences import split_sentences

_SUBLABEL_LEVEL = LABEL_LEVEL + 1
_LABEL_LENGTH = 60
_CHECKBOXES = ("[ ] ", "[x] ", "[X] ")
_STORY = re.compile(r"\W*(?:intro|overview|description|summary|einleitung|beschreibung)\w*\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Section:
    """Blocks under one heading. `source` is the heading that says what they are, which may be one further up."""

    heading: str
    part: Part | None
    source: str
    blocks: tuple[Block, ...]
    step: int | None = None
    """The number of a heading such as `Step 3: stir`."""


def sections_of(blocks: Sequence[Block]) -> list[Section]:
    """Cut a text at its headings; lines that stand for headings (`Method:`) count as such."""
    headed = _with_subparts(_with_numbered_items(_with_step_headings(_with_labels(_with_ingredients_apart(blocks)))))
    title = _title(headed)
    above: list[tuple[float, Part | None, str]] = []
    sections: list[Section] = []
    heading, part, source, step = "", None, "", None
    body: list[Block] = []
    for place, block in enumerate(headed):
        if block.kind != "heading":
            body.append(block)
            continue
        sections += _split(Section(heading, part, source, tuple(body), step))
        body, heading = [], block.text
        level = _level(headed, place)
        above = [one for one in above if one[0] < level]
        numbered = step_number(block.text)
        step = numbered[0] if numbered else None
        own = None if place == title else part_of(numbered[1] if numbered else block.text)
        part, source = (own, block.text) if own else above[-1][1:] if above else (None, "")
        counted = step is not None and block.text.lstrip()[:1].isalpha()  # `Step 2`, which no heading above it explains
        if own is None and part != "steps" and (counted or (part == "ingredients" and is_stage(block.text))):
            part, source = None, ""
        above.append((level, part, source))
    return [*sections, *_split(Section(heading, part, source, tuple(body), step))]


def _level(blocks: Sequence[Block], place: int) -> float:
    """Depth of a heading. `For the sauce` is below its neighbours, `Method` with nothing under it is above them."""
    block = blocks[place]
    announces = part_of(block.text) is not None
    if not announces and is_subpart(block.text):
        return block.level + 0.5
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    empty = following is not None and following.kind == "heading" and following.level <= block.level
    return block.level - 0.5 if announces and empty else float(block.level)


def _title(blocks: Sequence[Block]) -> int | None:
    """Place of the first heading if all others are below it: the name of the text, which announces nothing."""
    places = [place for place, block in enumerate(blocks) if block.kind == "heading"]
    if (
        len(places) > 1
        and blocks[places[0]].level < LABEL_LEVEL
        and all(blocks[places[0]].level < blocks[other].level for other in places[1:])
    ):
        return places[0]
    return None


def _with_ingredients_apart(blocks: Sequence[Block]) -> list[Block]:
    """Bullets that begin with ingredients and go on with sentences are two lists, though Markdown makes them one.

    Three lines of ingredients that sentences follow get the heading they lack.
    """
    found = _with_missing_heading(blocks)
    blocks = list(found)
    group = max((block.group for block in blocks), default=0)
    for _, places in groupby(range(len(blocks)), lambda place: (blocks[place].kind, blocks[place].group)):
        items = [place for place in places if blocks[place].kind == "item" and blocks[place].number is None]
        after = next((n for n, place in enumerate(items) if is_sentence(blocks[place].text)), 0)
        texts = [blocks[place].text for place in items]
        if after >= 2 and are_ingredients(texts[:after]) and all(is_sentence(text) for text in texts[after:]):
            group += 1
            for place in items[after:]:
                found[place] = replace(blocks[place], group=group)
    return found


def _with_missing_heading(blocks: Sequence[Block]) -> list[Block]:
    announced = any(block.kind == "heading" or _is_label(block) for block in blocks)
    lines = [n for n, block in enumerate(blocks) if not (block.kind == "paragraph" and is_subpart(block.text))]
    amounts = [blocks[n].kind == "paragraph" and is_ingredient(blocks[n].text) for n in lines]
    first = next((k for k in range(len(lines) - 3) if all(amounts[k : k + 3])), None)
    if announced or first is None or not any(is_sentence(blocks[n].text) for n in lines[first + 3 :]):
        return list(blocks)
    at = lines[first - 1] + 1 if first else 0  # before `For the sauce:` where that stands above
    return [*blocks[:at], Block("heading", "Ingredients", LABEL_LEVEL), *blocks[at:]]


def _with_labels(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs such as `Ingredients:` and `**Method**` become headings; `Method: beat the eggs` is cut in two."""
    found: list[Block] = []
    if any(_is_label(block) and part_of(block.text) == "ingredients" for block in blocks):
        blocks = [replace(block, apart=True) for block in blocks]  # it is a recipe: `Method` is no title of a chapter
    for block in blocks:
        if block.kind not in ("paragraph", "item") or block.level:
            found.append(block)
            continue
        label, rest = inline_label(block.text)
        if _is_label(block):
            found.append(Block("heading", block.text.rstrip(" :"), LABEL_LEVEL))
        elif block.kind == "paragraph" and label_of(label) in ("steps", "ingredients") and not is_fact(block.text):
            found += [Block("heading", label, LABEL_LEVEL), replace(block, text=rest)]
        else:
            found.append(block)
    return found


def _is_label(block: Block) -> bool:
    """Whether a paragraph stands for a heading; a list item only with a colon or in capitals."""
    marked = block.text[-1:] == ":" or block.text.isupper()
    if ": " in block.text:
        return False  # words of its own follow on the same line
    if len(block.text) > _LABEL_LENGTH or is_fact(block.text) or (block.kind == "item" and not marked):
        return False
    if block.kind == "item" and not names_a_part(block.text):
        return False  # `Sort the parts:` is a step with more below it
    return block.kind in ("paragraph", "item") and label_of(block.text, block.bold, block.apart) is not None


def _with_subparts(blocks: Sequence[Block]) -> list[Block]:
    """Bold lines, short lines that end with a colon and `For the sauce` become headings of the lowest level."""
    if not any(block.kind == "heading" or block.number is not None for block in blocks):
        return list(blocks)
    return [
        Block("heading", block.text.rstrip(" :"), _SUBLABEL_LEVEL) if _names_a_part(block) else block
        for block in blocks
    ]


def _names_a_part(block: Block) -> bool:
    short = block.kind == "paragraph" and len(block.text) <= _LABEL_LENGTH and len(block.text.split()) <= 6
    if not short or block.text[-1] in ".!?" or is_ingredient(block.text):
        return False
    return block.bold or block.text.endswith(":") or is_subpart(block.text) or block.text.isupper()


def _with_step_headings(blocks: Sequence[Block]) -> list[Block]:
    """Lines such as `Step 2 Remove the cover` become headings where each of them has bullets below it."""
    following = [*blocks[1:], None][: len(blocks)]
    counted = [b.kind == "paragraph" and b.text[0].isalpha() and step_number(b.text) is not None for b in blocks]
    below = [after is not None and after.kind == "item" and after.number is None for after in following]
    if sum(counted) < 2 or not all(has for counts, has in zip(counted, below, strict=True) if counts):
        return list(blocks)
    return [
        Block("heading", block.text, _SUBLABEL_LEVEL) if counts else block
        for block, counts in zip(blocks, counted, strict=True)
    ]


def _with_numbered_items(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs that count 1, 2, 3 become items; after a bare number or `Step 2` all up to the next one do."""
    numbers = [step_number(b.text) if b.kind in ("paragraph", "item") and b.number is None else None for b in blocks]
    counting = _in_order([number[0] if number else None for number in numbers])
    group = max((block.group for block in blocks), default=0) + 1
    found: list[Block] = []
    current: int | None = None
    for block, number, counts in zip(blocks, numbers, counting, strict=True):
        if number is not None and counts:
            current = None if number[1] else number[0]
            if number[1]:
                own = block.group if block.kind == "item" else group
                found.append(Block("item", number[1], block.level, own, number[0]))
        elif block.kind == "paragraph" and current is not None and not is_fact(block.text):
            found.append(Block("item", block.text, group=group, number=current))
        else:
            current = None
            found.append(block)
    return found


def _in_order(numbers: Sequence[int | None]) -> list[bool]:
    """Which numbers belong to a count 1, 2, 3, …; a count of one is none. It may start anew."""
    belongs = [False] * len(numbers)
    run: list[int] = []
    for place, number in enumerate(numbers):
        if number is None:
            continue
        if run and number == (numbers[run[-1]] or 0) + 1:
            run.append(place)
        elif number in (0, 1):
            run = [place]
        else:
            run = []
        if len(run) > 1:
            for one in run[-2:]:
                belongs[one] = True
    return belongs


def _split(section: Section) -> list[Section]:
    """Where steps follow ingredients or a story without a heading of their own, they are a section without a name."""
    if not section.blocks or (section.part != "ingredients" and not _STORY.match(section.source)):
        return [section] if section.heading or section.blocks else []
    first = 0 if section.heading != section.source else 1  # a heading of its own may announce steps in other words
    for place, block in enumerate(section.blocks):
        if section.part != "ingredients" and block.number is None:
            continue  # of a story, only a numbered list can be the steps
        if place >= first and _leaves_ingredients(section.blocks, place, block):
            before, after = section.blocks[:place], section.blocks[place:]
            return [replace(section, blocks=before), Section("", None, "", after, section.step)]
    return [section]


def _leaves_ingredients(blocks: Sequence[Block], place: int, block: Block) -> bool:
    if block.kind == "item" and block.number is not None and (not place or blocks[place - 1].number is None):
        return not are_ingredients([other.text for other in blocks[place:] if other.group == block.group])
    if block.kind == "item" and block.number is None and place == 1 and "," in blocks[0].text:
        return _are_longer(blocks, block.group)  # `Tools: rag, oil` and then the steps
    return block.kind == "paragraph" and is_sentence(block.text)


def _are_longer(blocks: Sequence[Block], group: int) -> bool:
    """Whether a list is too wordy for one of things that are needed."""
    texts = [block.text for block in blocks if block.group == group and block.kind == "item"]
    return sum(len(text.split()) for text in texts) >= 4 * len(texts) and not are_ingredients(texts)


def ingredient_lists(blocks: Sequence[Block]) -> set[tuple[int, int]]:
    """The lists of bullets that hold ingredients, by group and level."""
    texts: dict[tuple[int, int], list[str]] = defaultdict(list)
    for block in blocks:
        if block.kind == "item" and block.number is None:
            texts[block.group, block.level].append(block.text)
    return {key for key, lines in texts.items() if are_ingredients(lines)}


def sentences_of(block: Block) -> list[str]:
    """Sentences of a block; a numbered item does not keep `Step 3:` in front of its words."""
    text = block.text
    if text.startswith(_CHECKBOXES):
        text = text[4:]
    if block.kind == "item":
        number = step_number(text)
        text = number[1] if number and number[1] and block.number == number[0] else text
    return [sentence for sentence in split_sentences(text) if any(c.isalnum() for c in sentence)]
