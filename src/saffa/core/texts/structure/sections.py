"""Sections of a text: what stands under a heading, what that heading announces, which of its blocks can be steps."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from saffa.core.texts.blocks import LABEL_LEVEL, Block
from saffa.core.texts.headings import (
    Part,
    inline_label,
    is_stage,
    is_subpart,
    label_of,
    part_of,
    step_number,
    without_step_word,
)
from saffa.core.texts.lines import are_ingredients, is_caption, is_fact, is_ingredient, is_sentence, is_talk, is_tip
from saffa.core.texts.sentences import split_sentences
from saffa.core.texts.structure.labels import with_ingredients_apart, with_labels, with_step_headings, with_subparts
from saffa.core.texts.structure.unmarked import with_frame_aside, with_numbered_items, with_typed_items, without_cues

_CHECKBOXES = ("[ ] ", "[x] ", "[X] ")
_LEAST_LINES = 3  # below each other that show what kind of lines they are
_STORY = re.compile(r"\W*(?:intro|overview|description|summary|einleitung|beschreibung)\w*\W*$", re.IGNORECASE)
_NAME_WORDS = 2  # of an item that only names the list inside it
_INTRODUCTION_WORDS = 6
_COUNTED_WORDS = 3  # the same of a numbered item: with more words it is a step of its own


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
    plain = with_typed_items(with_frame_aside(without_cues(blocks)))
    headed = with_subparts(with_numbered_items(with_step_headings(with_labels(with_ingredients_apart(plain)))))
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
        wordy = part == "ingredients" and _is_wordy_list(headed, place + 1)
        if own is None and part != "steps" and (counted or wordy or (part == "ingredients" and is_stage(block.text))):
            part, source = None, ""
        above.append((level, part, source))
    return [*sections, *_split(Section(heading, part, source, tuple(body), step))]


def _is_wordy_list(blocks: Sequence[Block], start: int) -> bool:
    """Whether a list begins here, or several lines, too wordy for things that are needed."""
    if start == len(blocks) or blocks[start].kind not in ("item", "paragraph"):
        return False
    kind = blocks[start].kind
    texts = [blocks[place].text for place in takewhile(lambda n: blocks[n].kind == kind, range(start, len(blocks)))]
    return _are_wordy(texts) and (kind == "item" or (len(texts) >= _LEAST_LINES and not is_ingredient(texts[0])))


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
    return block.kind == "paragraph" and (is_sentence(block.text) or _wordy_lines_begin(blocks, place))


def _wordy_lines_begin(blocks: Sequence[Block], place: int) -> bool:
    """Whether several lines that are close together begin here below a blank line, too wordy for ingredients."""
    if not place or not blocks[place].apart:
        return False
    below = (blocks[other] for other in range(place + 1, len(blocks)))
    close = takewhile(lambda block: block.kind == "paragraph" and not block.apart, below)
    texts = [blocks[place].text, *(block.text for block in close)]
    return len(texts) >= _LEAST_LINES and _are_wordy(texts)


def _are_longer(blocks: Sequence[Block], group: int) -> bool:
    return _are_wordy([block.text for block in blocks if block.group == group and block.kind == "item"])


def _are_wordy(texts: Sequence[str]) -> bool:
    """Whether a list is too wordy for one of things that are needed."""
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
        text = text if block.number is None else without_step_word(text)
    return [sentence for sentence in split_sentences(text) if any(c.isalnum() for c in sentence)]


def neutral(sections: Iterable[Section]) -> list[Section]:
    """Sections that no heading calls something else than steps."""
    return [section for section in sections if section.part in (None, "steps")]


def useful(blocks: Sequence[Block]) -> list[Block]:
    """Blocks that are no tips, quotations, code, facts such as `Serves 4`, or names of the list below them."""
    following = [*blocks[1:], None][: len(blocks)]
    return [
        block
        for block, after in zip(blocks, following, strict=True)
        if block.kind not in ("quote", "code", "aside")
        and not is_tip(block.text)
        and not (block.kind == "paragraph" and _is_remark(block.text))
        and not _names_what_follows(block, after)
    ]


def _is_remark(text: str) -> bool:
    """Whether the line says itself that it is no step: `Serves 4`, `Enjoy!`, `When to use it: …`."""
    return (
        not any(c.isalpha() for c in text)
        or is_fact(text)
        or is_talk(text)
        or is_caption(text)
        or label_of(inline_label(text)[0]) in ("tips", "nutrition", "other")
    )


def _names_what_follows(block: Block, after: Block | None) -> bool:
    below = after is not None and after.kind == "item" and (block.kind != "item" or after.level > block.level)
    if not below or after is None:
        return False
    words = len(block.text.split())
    longest = _INTRODUCTION_WORDS if block.number is None else _COUNTED_WORDS
    named = block.kind == "item" and words <= _NAME_WORDS and block.text[-1].isalpha()
    return (block.text.endswith(":") and words <= longest) or (named and is_sentence(after.text))


def has_ingredients(section: Section) -> bool:
    """Whether things that are needed stand in the section, by its heading or by themselves."""
    return bool(section.blocks) and (section.part == "ingredients" or bool(ingredient_lists(section.blocks)))


def lists_ingredients(sections: Sequence[Section]) -> bool:
    """Whether the text lists ingredients anywhere, as recipes do."""
    return any(has_ingredients(section) for section in sections)
