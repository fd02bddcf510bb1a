"""What a file format does not mark: the frame of a letter, lists typed with dashes, steps that are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import part_of, step_number
from saffa.core.texts.lines import is_fact, is_sentence

_GREETING = re.compile(
    r"^(?:dear|hi|hello|hey|good (?:morning|evening)|hallo|lieber?|liebes|guten tag|moin|bonjour|salut|coucou|chère?|"
    r"chers|hola|querid[oa]s?|ciao|car[oaie]|beste|olá)\b[^.?:;]{0,40}[,!]$",
    re.IGNORECASE,
)
_HELLO = re.compile(
    r"^(?:hi|hello|hey|hallo|moin|bonjour|salut|coucou|hola|ciao|olá)(?: [^\W\d]+){0,2}$", re.IGNORECASE
)
_FAREWELL = re.compile(
    r"^(?:love|lots of love|best|all the best|best wishes|(?:kind|best|warm|warmest) regards|regards|cheers|sincerely|"
    r"yours(?: (?:truly|sincerely|faithfully))?|x{2,}|xoxo|hugs|have a (?:good|great|nice|lovely) \w+|"
    r"(?:liebe|viele|herzliche|beste|schöne) gr(?:ü|ue)(?:ß|ss)e|gr(?:ü|ue)(?:ß|ss)e|lg|vg|mfg|bis bald|"
    r"mit freundlichen gr(?:ü|ue)(?:ß|ss)en|cordialement|bises|bisous|amitiés|à bientôt|saludos|un abrazo|besos|"
    r"cari saluti|un saluto|baci|un bacio|groetjes|abraços|beijos|hilsen)\b(?: (?:from|von|de|da|di|van) .{1,20})?"
    r"(?:[,!.]?$|,.{0,40}$)",
    re.IGNORECASE,
)
_GREETING_WORDS = 6
_NEAR_THE_END = 8  # blocks
_MARK = re.compile(r"^(?:[-–—*•·▪●○◦‣→➤✓✔☐□▢]|\[[ xX]?\])\s+(?=\S)")
_CUE = re.compile(r"^\[([^\[\]]{2,40})\]\s+(?=\S)")
_LEAST_CUES = 3  # paragraphs of a script
_LEAST_TYPED = 2  # such paragraphs below each other
_BUTTON_WORDS = 5


def with_frame_aside(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, in which those that frame a letter are asides."""
    first = next((place for place, block in enumerate(blocks) if _greets(block)), None)
    start = 0 if first is None or first >= len(blocks) / 2 else first + 1
    end = len(blocks)
    for place in range(max(start + 1, end - _NEAR_THE_END), len(blocks)):
        if blocks[place].kind == "paragraph" and _FAREWELL.match(blocks[place].text):
            end = place
            break
    if any(block.kind == "item" for block in blocks[end:]):
        end = len(blocks)
    return [
        block if start <= place < end or block.kind == "heading" else replace(block, kind="aside")
        for place, block in enumerate(blocks)
    ]


def _greets(block: Block) -> bool:
    short = block.kind == "paragraph" and len(block.text.split()) <= _GREETING_WORDS
    return short and bool(_GREETING.match(block.text) or _HELLO.match(block.text))


def without_cues(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without the cues of a script in front (`[Shot 2] Open the lid.`); its intro and outro are asides."""
    cues = [_CUE.match(block.text) for block in blocks]
    if sum(cue is not None for cue in cues) < _LEAST_CUES:
        return list(blocks)
    return [
        replace(block, text=block.text[cue.end() :], kind="aside" if part_of(cue[1]) == "other" else block.kind)
        if cue
        else block
        for block, cue in zip(blocks, cues, strict=True)
    ]


def with_typed_items(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, in which paragraphs with a typed mark in front are items, a group for each run of them."""
    marks = [_MARK.match(block.text) if block.kind == "paragraph" else None for block in blocks]
    if sum(mark is not None for mark in marks) < _LEAST_TYPED:
        return list(blocks)
    group = max(block.group for block in blocks)
    found: list[Block] = []
    inside = False
    for block, mark in zip(blocks, marks, strict=True):
        group += mark is not None and not inside
        inside = mark is not None
        found.append(replace(block, kind="item", text=block.text[mark.end() :], group=group) if mark else block)
    return found


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
