"""Choosing the steps of a text: the method of a recipe without its ingredients, tips, tables and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from saffa.core.texts.blocks import CHAPTERS, Block
from saffa.core.texts.headings import inline_label, is_stage, label_of, part_of, says_steps_plainly, step_number
from saffa.core.texts.left_out import counted, left_out, number_of_steps
from saffa.core.texts.lines import are_ingredients, is_fact, is_ingredient, is_sentence, is_talk, is_tip, is_title
from saffa.core.texts.sections import Section, ingredient_lists, sections_of, sentences_of

RUNNING_TEXT = "the running text"
EVERYTHING = "`--text-part all` takes everything"
_LEAST_NUMBERED = 1 / 3
_LEAST_BULLETS = 1 / 2
"""Shares of a plain text that a list must have, so that it is the steps and the rest is talk around them."""
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
_CELL_WORDS = 4  # on average in a column of steps, where no header names it
_NAME_WORDS = 2  # of an item that only names the list inside it


@dataclass(frozen=True)
class Choice:
    """The sentences to look for, and one line that says where they come from and what was left out."""

    sentences: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class _Found:
    """Blocks taken as steps, and where they stand."""

    blocks: list[Block]
    origin: str


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
    for search in (_announced, _step_headings, _numbered_lists, _step_tables, _other_lists, _prose):
        found = search(sections)
        choice = _choice(found, sections) if found else None
        if choice:
            return choice
    return body_of(blocks)


def choose_if_sure(blocks: Sequence[Block]) -> Choice:
    """The steps of plain text: chosen where a heading or a numbered list tells them, else every sentence."""
    sections = sections_of([block for block in blocks if block.has_words])
    for search in (_chapters, _announced, _main_list, _rest, _told_in_order, _titled):
        found = search(sections)
        choice = _choice(found, sections) if found else None
        if choice:
            return choice
    return body_of(blocks)


def _announced(sections: Sequence[Section]) -> _Found | None:
    """What stands under headings such as `Method`."""
    first = next((place for place, section in enumerate(sections) if section.part == "steps"), len(sections))
    stages = [section for section in sections[first:] if section.part is None and is_stage(section.heading)]
    named = [section for section in sections if section.part == "steps" or section in stages]
    plainly = [section for section in named if says_steps_plainly(section.source)]
    if any(section.blocks for section in plainly) and _lists_ingredients(sections):
        named = [section for section in named if section in plainly or section in stages]
    numbered = any(block.number is not None for section in named for block in section.blocks)
    blocks = [block for section in named for block in _steps_within(section, numbered)]
    sources = list(dict.fromkeys(section.source or section.heading for section in named if section.blocks))
    names = " and ".join(f"'{source.strip(' :')}'" for source in sources)
    return _Found(blocks, names if len(sources) <= 2 else f"{len(sources)} sections") if blocks else None


def _steps_within(section: Section, numbered: bool) -> list[Block]:
    """Lists where there are lists, else prose; ingredients and tips between them stay out.

    Where the steps of the text are `numbered`, prose beside them is no step.
    """
    ingredients = ingredient_lists(section.blocks)
    body = [block for block in _useful(section.blocks) if (block.group, block.level) not in ingredients]
    items = [block for block in body if block.kind == "item"]
    prose = [block for block in body if block.kind == "paragraph"]
    if len(items) >= 2 or (items and len(prose) < 2):
        return items
    if items:
        return [block for block in body if block.kind in ("item", "paragraph")]
    rows = _instruction_cells([block for block in section.blocks if block.kind == "row"])
    if len(rows) >= 2:
        return rows
    return prose if section.step is not None or not numbered else []


def _step_headings(sections: Sequence[Section]) -> _Found | None:
    """`Step 1: …`, `Step 2: …` as headings: what stands under them, or their own words if nothing does."""
    steps = [section for section in sections if section.step is not None and section.part in (None, "steps")]
    if len(steps) < 2 or any(part_of(section.heading) not in (None, "steps") for section in steps):
        return None
    blocks: list[Block] = []
    for section in steps:
        body = [block for block in _useful(section.blocks) if block.kind in ("item", "paragraph")]
        number = step_number(section.heading)
        blocks += body or ([Block("item", number[1], number=number[0])] if number and number[1] else [])
    return _Found(blocks, "the numbered headings") if blocks else None


def _numbered_lists(sections: Sequence[Section]) -> _Found | None:
    return _lists(sections, lambda block: block.number is not None, "the numbered list")


def _other_lists(sections: Sequence[Section]) -> _Found | None:
    """Bullets, if there is less prose than bullets, or none is expected because ingredients are listed too."""
    found = _lists(sections, lambda _: True, "the list")
    prose = sum(block.kind == "paragraph" for section in _neutral(sections) for block in section.blocks)
    return found if found and (len(found.blocks) >= prose or _lists_ingredients(sections)) else None


def _lists(sections: Sequence[Section], wanted: Callable[[Block], bool], origin: str) -> _Found | None:
    """Lists with wanted items that are neither ingredients nor a table of contents, two items or more in all."""
    blocks: list[Block] = []
    lists = 0
    for section in _neutral(sections):
        for _, group in groupby((b for b in _useful(section.blocks) if b.kind == "item"), lambda b: b.group):
            items = list(group)
            chosen = sum(wanted(item) for item in items if item.level == items[0].level)
            contents = all(item.link for item in items)
            if chosen and not contents and not are_ingredients([item.text for item in items]):
                blocks += items
                lists += 1
    if len(blocks) < 2:
        return None
    return _Found(blocks, origin if lists == 1 else f"{lists} {origin.removeprefix('the ')}s")


def _chapters(sections: Sequence[Section]) -> _Found | None:
    """The chapters in the description of a video."""
    found = [block for section in sections for block in section.blocks if block.group == CHAPTERS]
    return _Found(found, "the chapters") if found else None


def _main_list(sections: Sequence[Section]) -> _Found | None:
    """The list that makes up much of the text, with a title or a greeting around it."""
    numbered = _numbered_lists(sections)
    found = numbered or _lists(sections, lambda _: True, "the list")
    total = sum(len(block.text) for section in sections for block in section.blocks)
    share = _LEAST_NUMBERED if numbered else _LEAST_BULLETS
    most = found and len(found.blocks) >= 3 and sum(len(block.text) for block in found.blocks) > share * total
    return found if most else None


def _told_in_order(sections: Sequence[Section]) -> _Found | None:
    """Lines from `First, …` to `Finally, …`, without a greeting above and words that stand apart below."""
    blocks = [block for section in sections for block in section.blocks]
    first = next((place for place, block in enumerate(blocks) if _FIRST.match(block.text)), None)
    last = next((place for place, block in reversed(list(enumerate(blocks))) if _LAST.match(block.text)), None)
    if first is None or last is None or last < first + 2:
        return None
    end = next((place for place in range(last + 1, len(blocks)) if blocks[place].apart), len(blocks))
    return _Found(_useful(blocks[first:end]), "the lines from first to last")


def _titled(sections: Sequence[Section]) -> _Found | None:
    """Lines below a title: it stands apart and ends like none, and they are close together or end as sentences do."""
    if len(sections) == 1 and sections[0].heading and sections[0].part in ("tips", "other"):  # `How to store dahlias`
        return _Found(_useful(sections[0].blocks), "the lines below the title")
    title, *lines = [block for section in sections for block in section.blocks] or [Block("paragraph", "")]
    if any(block.kind != "paragraph" for block in (title, *lines)) or not lines or not lines[0].apart:
        return None
    if sum(len(sentences_of(line)) for line in lines) < _LEAST_LINES:
        return None
    named = is_title(title.text) and not is_ingredient(title.text)
    alike = not any(line.apart for line in lines[2:]) or all(is_sentence(line.text) for line in lines)
    return _Found(_useful(lines), "the lines below the title") if named and alike else None


def _step_tables(sections: Sequence[Section]) -> _Found | None:
    """Tables with a column of steps."""
    rows = [block for section in _neutral(sections) for block in section.blocks if block.kind == "row"]
    found: list[Block] = []
    for _, group in groupby(rows, lambda block: block.group):
        table = list(group)
        numbers = [row.cells[0].strip(" .)") for row in table if row.cells and not row.bold]
        counted = len(numbers) >= 2 and numbers == [str(number + 1) for number in range(len(numbers))]
        named = table[0].bold and (counted or any(part_of(cell) == "steps" for cell in table[0].cells))
        cells = _instruction_cells(table)
        wordy = sum(len(cell.text.split()) for cell in cells) >= _CELL_WORDS * len(cells)
        found += cells if named or (counted and wordy) else []
    return _Found(found, "the table") if found else None


def _prose(sections: Sequence[Section]) -> _Found | None:
    """Paragraphs and lists that no heading calls something else; of a recipe, those after its ingredients."""
    places = [place for place, section in enumerate(sections) if _has_ingredients(section)]
    after = sections[places[-1] :] if places else sections
    for some in (after, sections):
        blocks = [block for section in _neutral(some) for block in _running_text(section)]
        if blocks:
            return _Found(blocks, RUNNING_TEXT)
    return None


def _running_text(section: Section) -> list[Block]:
    ingredients = ingredient_lists(section.blocks)
    useful = (block for block in _useful(section.blocks) if block.kind in ("item", "paragraph"))
    return [block for block in useful if (block.group, block.level) not in ingredients]


def _rest(sections: Sequence[Section]) -> _Found | None:
    """Of plain text with a heading for ingredients or nutrition, what does not stand under it."""
    return _prose(sections) if any(section.part in ("ingredients", "nutrition") for section in sections) else None


def _neutral(sections: Iterable[Section]) -> list[Section]:
    return [section for section in sections if section.part in (None, "steps")]


def _useful(blocks: Sequence[Block]) -> list[Block]:
    """Blocks that are no tips, quotations, code, facts such as `Serves 4`, or names of the list below them."""
    following = [*blocks[1:], None][: len(blocks)]
    return [
        block
        for block, after in zip(blocks, following, strict=True)
        if block.kind not in ("quote", "code")
        and not is_tip(block.text)
        and not (block.kind == "paragraph" and _is_remark(block.text))
        and not _names_what_follows(block, after)
    ]


def _is_remark(text: str) -> bool:
    """Whether the line says itself that it is no step: `Serves 4`, `Enjoy!`, `When to use it: …`."""
    return is_fact(text) or is_talk(text) or label_of(inline_label(text)[0]) in ("tips", "nutrition", "other")


def _names_what_follows(block: Block, after: Block | None) -> bool:
    below = after is not None and after.kind == "item" and (block.kind != "item" or after.level > block.level)
    if not below or after is None:
        return False
    named = block.kind == "item" and len(block.text.split()) <= _NAME_WORDS and block.text[-1].isalpha()
    return (block.text.endswith(":") and len(block.text.split()) <= 6) or (named and is_sentence(after.text))


def _has_ingredients(section: Section) -> bool:
    return bool(section.blocks) and (section.part == "ingredients" or bool(ingredient_lists(section.blocks)))


def _lists_ingredients(sections: Sequence[Section]) -> bool:
    return any(_has_ingredients(section) for section in sections)


def _instruction_cells(rows: Sequence[Block]) -> list[Block]:
    """The wordiest column of a table, without its header."""
    body = [row for row in rows if not row.bold and row.cells]
    width = max((len(row.cells) for row in body), default=0)
    lengths = [sum(len(row.cells[column]) for row in body if column < len(row.cells)) for column in range(width)]
    if not lengths:
        return []
    column = lengths.index(max(lengths))
    return [Block("item", row.cells[column]) for row in body if column < len(row.cells) and row.cells[column]]


def _choice(found: _Found, sections: Sequence[Section]) -> Choice | None:
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
