"""Choosing the steps of a text: the method of a recipe without its ingredients, tips, tables and comments.

What is not taken is counted for the line that says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from saffa.core.texts.blocks import Block
from saffa.core.texts.choosing import (
    RUNNING_TEXT,
    FoundSteps,
    announced,
    chapters,
    letter,
    main_list,
    numbered_lists,
    other_lists,
    prose,
    rest,
    step_headings,
    step_tables,
    titled,
    told_in_order,
)
from saffa.core.texts.lines import is_fact, is_ingredient, is_tip, is_title
from saffa.core.texts.structure.sections import Section, ingredient_lists, sections_of, sentences_of

__all__ = ["EVERYTHING", "RUNNING_TEXT", "Choice", "all_of", "body_of", "choose", "choose_if_sure", "counted"]
EVERYTHING = "`--text-part all` takes everything"
_FOOD = re.compile("ingr|zutat|składnik|材料|食材|재료|ингредиент")
_TOOLS = re.compile(
    "tool|equip|material|prereq|requi|parts|suppl|hardware|gear|stuff|werkzeug|ausrüst|gerät|vorausset|outil|ustensil|"
    "matériel|fourniture|herramient|utensil|attrezz|benodigd"
)


@dataclass(frozen=True)
class Choice:
    """The sentences to look for, and one line that says where they come from and what was left out."""

    sentences: tuple[str, ...]
    note: str = ""


def all_of(blocks: Iterable[Block]) -> Choice:
    """Every sentence of the text, headings too."""
    return Choice(tuple(sentence for block in blocks for sentence in sentences_of(block)))


def body_of(blocks: Sequence[Block]) -> Choice:
    """Every sentence but the headings; those only if they are all there is."""
    body = all_of(block for block in blocks if block.kind != "heading")
    return body if body.sentences else all_of(blocks)


def choose(blocks: Sequence[Block]) -> Choice:
    """The steps of a text with headings, lists and tables."""
    sections = sections_of([block for block in blocks if block.has_words])
    for search in (announced, step_headings, numbered_lists, step_tables, other_lists, told_in_order, prose):
        found = search(sections)
        choice = _choice(found, sections) if found else None
        if choice:
            return choice
    return body_of(blocks)


def choose_if_sure(blocks: Sequence[Block]) -> Choice:
    """The steps of plain text: chosen where a heading or a numbered list tells them, else every sentence."""
    sections = sections_of([block for block in blocks if block.has_words])
    for search in (chapters, announced, main_list, step_tables, rest, told_in_order, titled, letter):
        found = search(sections)
        choice = _choice(found, sections) if found else None
        if choice:
            return choice
    only_things = all(section.part == "ingredients" for section in sections)
    return all_of(block for section in sections for block in section.blocks) if only_things else body_of(blocks)


def _choice(found: FoundSteps, sections: Sequence[Section]) -> Choice | None:
    """Sentences of the blocks found, with the note; tips inside a step stay out as well."""
    sentences = [sentence for block in found.blocks for sentence in sentences_of(block) if not is_tip(sentence)]
    if not sentences:
        return None
    rest = left_out(found.blocks, sections)
    headed = found.origin.startswith("'")
    if not rest and not headed:
        return Choice(tuple(sentences))
    steps = counted(number_of_steps(found.blocks), "step")
    more = f" ({len(sentences)} sentences)" if not steps.startswith(f"{len(sentences)} ") else ""
    note = f"{steps}{more} from {found.origin}"
    return Choice(tuple(sentences), f"{note}; left out: {rest} ({EVERYTHING})" if rest else "")


def number_of_steps(blocks: Sequence[Block]) -> int:
    """One for each item of a list, however many sentences it has, and one for each sentence of prose."""
    sentences = ([s for s in sentences_of(block) if not is_tip(s)] for block in blocks)
    return sum(min(len(s), 1) if b.kind == "item" else len(s) for b, s in zip(blocks, sentences, strict=True))


def left_out(taken_blocks: Sequence[Block], sections: Sequence[Section]) -> str:
    """Counts of what was not taken: `14 ingredients, 1 tip`."""
    taken = {block.text for block in taken_blocks}
    counts: Counter[str] = Counter()
    tables = {b.group for s in sections for b in s.blocks if b.kind == "row" and taken & set(b.cells)}
    top = sections[0].blocks[:1] if sections and not sections[0].heading else ()
    title = next((block for block in top if block.kind == "paragraph" and is_title(block.text)), None)
    for section in sections:
        ingredient = _word_for_needed(section)
        lists = ingredient_lists(section.blocks) if section.part is None else set()
        for block in section.blocks:
            if block.text in taken or block.text.endswith(":") or (block.kind == "row" and block.group in tables):
                continue
            tables |= {block.group} if block.kind == "row" else set()
            listed = section.part == "ingredients" or (block.kind == "item" and (block.group, block.level) in lists)
            if listed and block.kind != "row":
                counts[ingredient] += _things_in(block)
            else:
                counts["title" if block is title else _name(block, section)] += 1
    inside = sum(is_tip(sentence) for block in taken_blocks for sentence in sentences_of(block))
    counts += Counter({"tip": inside})
    return ", ".join(counted(number, name) for name, number in counts.items())


def _things_in(block: Block) -> int:
    """How many ingredients a block names: one, or those between the commas of a line."""
    return 1 + block.text.count(", ") if block.kind == "paragraph" and block.text.count(", ") > 1 else 1


def _name(block: Block, section: Section) -> str:
    """What to call a block that is left out and does not stand among ingredients."""
    if block.kind in ("row", "code"):
        table = "nutrition table" if section.part == "nutrition" else "table"
        return table if block.kind == "row" else "code block"
    if section.part == "tips" or is_tip(block.text):
        return "tip"
    if section.part == "nutrition":
        return "nutrition line"
    if section.part == "other" and "omment" in section.source:
        return "comment"
    if section.part is None and is_ingredient(block.text) and not is_fact(block.text):
        return "ingredient"
    return {"item": "list item", "quote": "quotation"}.get(block.kind, "paragraph")


def _word_for_needed(section: Section) -> str:
    """What to call the things in a list of what is needed: food, or tools and materials."""
    source = section.source.lower()
    if section.part is None or _FOOD.search(source):
        return "ingredient"
    amounts = not _TOOLS.search(source) and any(is_ingredient(block.text) for block in section.blocks)
    return "ingredient" if amounts else "needed thing"


def counted(number: int, name: str) -> str:
    """`1 tip`, `14 ingredients`."""
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
