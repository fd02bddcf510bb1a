"""Blocks taken as steps, and which blocks of a section can be any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import inline_label, label_of
from saffa.core.texts.lines import is_caption, is_fact, is_sentence, is_talk, is_tip
from saffa.core.texts.structure.sections import Section, ingredient_lists

_NAME_WORDS = 2  # of an item that only names the list inside it
_INTRODUCTION_WORDS = 6
_COUNTED_WORDS = 3  # the same of a numbered item: with more words it is a step of its own


@dataclass(frozen=True)
class FoundSteps:
    """Blocks taken as steps, and where they stand."""

    blocks: list[Block]
    origin: str


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
