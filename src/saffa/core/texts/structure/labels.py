"""Lines that stand for headings although the file format has none for them: labels, names of parts, counted lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from saffa.core.texts.blocks import LABEL_LEVEL, Block
from saffa.core.texts.headings import inline_label, is_subpart, label_of, names_a_part, part_of, step_number
from saffa.core.texts.lines import are_ingredients, are_listed_ingredients, is_fact, is_ingredient, is_sentence

_SUBLABEL_LEVEL = LABEL_LEVEL + 1
_LABEL_LENGTH = 60
_NAME_WORDS = 4
_TITLE_WORDS = 8
_BODY_WORDS = 8  # of what stands below a title
_LEAST_TITLES = 3
_INTRODUCTION_WORDS = 10


def _named_things(blocks: Sequence[Block], lines: Sequence[int]) -> int | None:
    """Where bullets begin that are ingredients or mere names, with two paragraphs of sentences right below them."""
    bullets = [blocks[n].kind == "item" and blocks[n].number is None for n in lines]
    start = next((k for k, is_bullet in enumerate(bullets) if is_bullet), len(lines))
    end = next((k for k in range(start, len(lines)) if not bullets[k]), len(lines))
    texts = [blocks[n].text for n in lines[start:end]]
    names = all(len(text.split()) <= _NAME_WORDS and text[-1].isalnum() for text in texts)
    below = [blocks[n] for n in lines[end : end + 2]]
    told = len(below) == 2 and all(block.kind == "paragraph" and is_sentence(block.text) for block in below)
    return start if len(texts) >= 2 and told and (names or are_ingredients(texts)) else None


def _lists_in_a_line(block: Block) -> bool:
    return block.kind == "paragraph" and are_listed_ingredients(block.text)


def with_labels(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs such as `Ingredients:` and `**Method**` become headings; `Method: beat the eggs` is cut in two."""
    found: list[Block] = []
    if any(_is_label(block) and part_of(block.text) == "ingredients" for block in blocks):
        blocks = [replace(block, apart=True) for block in blocks]  # it is a recipe: `Method` is no title of a chapter
    for place, block in enumerate(blocks):
        if block.kind not in ("paragraph", "item") or block.level:
            found.append(block)
            continue
        label, rest = inline_label(block.text)
        if _is_label(block) or _introduces_steps(block, blocks[place + 1 : place + 2]):
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


def _introduces_steps(block: Block, after: Sequence[Block]) -> bool:
    """Whether a line such as `And this is how we make it:` stands above a list."""
    above = block.kind == "paragraph" and block.text.endswith(":") and bool(after) and after[0].kind == "item"
    return above and len(block.text.split()) <= _INTRODUCTION_WORDS and part_of(block.text) == "steps"


def with_subparts(blocks: Sequence[Block]) -> list[Block]:
    """Bold lines, short lines that end with a colon and `For the sauce` become headings of the lowest level."""
    if not any(block.kind == "heading" or block.number is not None for block in blocks):
        return list(blocks)
    following = [*blocks[1:], None][: len(blocks)]
    titles = _titles_in_turn(blocks)
    return [
        Block("heading", block.text.rstrip(" :"), _SUBLABEL_LEVEL)
        if place in titles or _names_a_part(block, after) or _names_a_list(block, after)
        else block
        for place, (block, after) in enumerate(zip(blocks, following, strict=True))
    ]


def _titles_in_turn(blocks: Sequence[Block]) -> set[int]:
    """Places of short lines that stand apart, each with long sentences below it, three times or more on end."""
    found: set[int] = set()
    run: list[int] = []
    for place, block in enumerate(blocks):
        titled = run and place == run[-1] + 1
        if block.kind == "paragraph" and is_sentence(block.text):
            if titled and len(block.text.split()) < _BODY_WORDS:
                run = []
            continue
        short = block.kind == "paragraph" and len(block.text.split()) <= _NAME_WORDS and block.text[-1].isalnum()
        title = short and block.apart and not is_ingredient(block.text) and not is_fact(block.text)
        run = [*run, place] if title and not titled else [place] if title else []
        if len(run) >= _LEAST_TITLES and place + 1 < len(blocks) and is_sentence(blocks[place + 1].text):
            found |= set(run[-_LEAST_TITLES:])
    return found


def _names_a_list(block: Block, after: Block | None) -> bool:
    """Whether a short line that stands apart is the name of the list right below it."""
    if after is None or after.kind != "item" or block.kind != "paragraph" or not block.apart:
        return False
    short = len(block.text.split()) <= _NAME_WORDS and len(block.text) <= _LABEL_LENGTH
    return short and block.text[-1].isalnum() and not is_fact(block.text) and not is_ingredient(block.text)


def _names_a_part(block: Block, after: Block | None) -> bool:
    if after is not None and after.kind == "code" and block.text.endswith(":"):
        return False  # a step that says what to type
    short = block.kind == "paragraph" and len(block.text) <= _LABEL_LENGTH and len(block.text.split()) <= 6
    if not short or block.text[-1] in ".!?" or is_ingredient(block.text):
        return False
    return block.bold or block.text.endswith(":") or is_subpart(block.text) or block.text.isupper()


def with_step_headings(blocks: Sequence[Block]) -> list[Block]:
    """Lines such as `Step 2 Remove the cover` become headings where each of them has bullets below it.

    So do titles that are counted (`2. The cover`) where each of them has a paragraph of sentences below it.
    """
    titles = _counted_titles(blocks)
    if titles:
        return [
            Block("heading", f"{titles[n]}. {_title_words(block)}", _SUBLABEL_LEVEL) if n in titles else block
            for n, block in enumerate(blocks)
        ]
    following = [*blocks[1:], None][: len(blocks)]
    counted = [b.kind == "paragraph" and b.text[0].isalpha() and step_number(b.text) is not None for b in blocks]
    below = [after is not None and after.kind == "item" and after.number is None for after in following]
    if sum(counted) < 2 or not all(has for counts, has in zip(counted, below, strict=True) if counts):
        return list(blocks)
    return [
        Block("heading", block.text, _SUBLABEL_LEVEL) if counts else block
        for block, counts in zip(blocks, counted, strict=True)
    ]


def _counted_titles(blocks: Sequence[Block]) -> dict[int, int]:
    """Numbers of the blocks that count titles, by their place; none if one of them has no sentence below it."""
    found: dict[int, int] = {}
    for place, block in enumerate(blocks):
        number = _own_number(block)
        if number is None or block.level:
            continue
        after = blocks[place + 1] if place + 1 < len(blocks) else None
        if not _is_step_title(_title_words(block)) or after is None or after.kind != "paragraph":
            return {}
        if not is_sentence(after.text) or number != len(found) + 1:
            return {}
        found[place] = number
    return found if len(found) >= _LEAST_TITLES else {}


def _own_number(block: Block) -> int | None:
    if block.kind == "item":
        return block.number
    number = step_number(block.text) if block.kind == "paragraph" else None
    return number[0] if number and number[1] else None


def _title_words(block: Block) -> str:
    number = step_number(block.text)
    return number[1] if number and number[1] else block.text


def _is_step_title(text: str) -> bool:
    return len(text.split()) <= _TITLE_WORDS and text[-1] not in ".!?…"


def with_ingredients_apart(blocks: Sequence[Block]) -> list[Block]:
    """Bullets that begin with ingredients and go on with sentences are two lists, though Markdown makes them one.

    Three lines of ingredients, or three in a line, that sentences follow get the heading they lack.
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
    labels = [block for block in blocks if block.kind == "heading" or _is_label(block)]
    lines = [n for n, block in enumerate(blocks) if not (block.kind == "paragraph" and is_subpart(block.text))]
    amounts = [blocks[n].kind == "paragraph" and is_ingredient(blocks[n].text) for n in lines]
    first = next((k for k in range(len(lines) - 3) if all(amounts[k : k + 3])), None)
    announced = bool(labels)
    if first is None:
        first = next((k for k, n in enumerate(lines) if _lists_in_a_line(blocks[n])), _named_things(blocks, lines))
        announced = any(part_of(block.text) in ("steps", "ingredients") for block in labels)
    if announced or first is None or not any(is_sentence(blocks[n].text) for n in lines[first + 1 :]):
        return list(blocks)
    at = lines[first - 1] + 1 if first else 0  # before `For the sauce:` where that stands above
    return [*blocks[:at], Block("heading", "Ingredients", LABEL_LEVEL), *blocks[at:]]
