"""Choosing the steps of a text: the method of a recipe without its ingredients, tips, tables and comments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from saffa.core.texts.blocks import Block
from saffa.core.texts.choosing.announced import announced, step_headings
from saffa.core.texts.choosing.found import FoundSteps
from saffa.core.texts.choosing.lists import chapters, main_list, numbered_lists, other_lists, step_tables
from saffa.core.texts.choosing.prose import RUNNING_TEXT, letter, prose, rest, titled, told_in_order
from saffa.core.texts.left_out import counted, left_out, number_of_steps
from saffa.core.texts.lines import is_tip
from saffa.core.texts.structure.sections import Section, sections_of, sentences_of

__all__ = ["EVERYTHING", "RUNNING_TEXT", "Choice", "all_of", "body_of", "choose", "choose_if_sure"]
EVERYTHING = "`--text-part all` takes everything"


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
