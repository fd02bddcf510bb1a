"""Steps that are counted in words or numbers: `Step 2`, `3. stir`, a number alone above its step."""

from __future__ import annotations

from collections.abc import Sequence

from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import step_number
from saffa.core.texts.lines import is_fact, is_sentence

_BUTTON_WORDS = 5


def with_numbered_items(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs that count 1, 2, 3 become items; after a bare number or `Step 2` all up to the next one do."""
    numbers = [step_number(b.text) if b.kind in ("paragraph", "item") and b.number is None else None for b in blocks]
    counting = _in_order([number[0] if number else None for number in numbers])
    group = max((block.group for block in blocks), default=0) + 1
    found: list[Block] = []
    current: int | None = None
    told = False  # the step at hand has a sentence
    last = max((place for place, counts in enumerate(counting) if counts), default=0)
    for place, (block, number, counts) in enumerate(zip(blocks, numbers, counting, strict=True)):
        if number is not None and counts:
            current, told = None if number[1] else number[0], False
            if number[1]:
                own = block.group if block.kind == "item" else group
                found.append(Block("item", number[1], block.level, own, number[0]))
        elif block.kind == "paragraph" and current is not None and not is_fact(block.text):
            if told and _is_button(block.text):
                current = None if block.bold or block.text.isupper() or place > last else current
                found.append(block)
                continue
            told = told or is_sentence(block.text)
            found.append(Block("item", block.text, group=group, number=current))
        else:
            current = None
            found.append(block)
    return found


def _is_button(text: str) -> bool:
    """Whether a line below the sentences of a step is none of them: `CARE`, `I made it`, `Print`."""
    return len(text.split()) <= _BUTTON_WORDS and text[-1] not in ".!?:;,…"


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
