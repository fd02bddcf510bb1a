"""Plain text as blocks: a step per line, lists with marks, wrapped paragraphs, headings with `#`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from saffa.core.texts.blocks import CHAPTERS, Block
from saffa.core.texts.headings import arabic, label_of, names_a_part, part_of
from saffa.core.texts.lines import is_ingredient
from saffa.core.texts.sentences import looks_wrapped, split_counted, without_markup
from saffa.core.texts.typed import (
    FEW_MOMENTS,
    MOMENT,
    WIKI_LINK,
    letter_of,
    separated_rows,
    told_in_chat,
    with_bullets,
    with_dotted_numbers,
    with_listed_moments,
)

_BULLET = re.compile(
    r"^\s*(?:[-*+•–·▪●○]|\[[ xX]?\]|"
    r"\(?(?P<number>\d{1,4})[.):]|(?P<roman>[IVX]{1,5})[.)]|\(?[a-zA-Z][.)]|step\s+(?P<step>\d+)\s*[:.)–—-]?)\s+",
    re.IGNORECASE,
)
_CHECKBOX = re.compile(r"^\[[ xX]\]\s+")
_RULE = re.compile(r"^\s*([-*_=~#]\s*){3,}$")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s")
_BARE_MOMENT = re.compile(r"^\s*[\[(]?(?:\d{1,2}:)?\d{1,2}:\d{2}[\])]?\s*$")
_FEW = 3  # lines of a kind from which on they are one
_LABEL_WORDS = 3
_LABEL_LENGTH = 60
_LOOSE_NUMBER = re.compile(r"^\s*(\d{1,2})(?:\s+|[.)])([^\W\d_].*)$")
_WIKI_HEADING = re.compile(r"^(={2,4})\s*([^=]+?)\s*\1\s*$")
_ORG_SETTING = re.compile(r"^#\+[A-Za-z_]+:")
_ORG_HEADING = re.compile(r"^(\*{1,6})\s+")
_STEP_WORDS = 4  # on average, which names of ingredients do not have
_SENTENCE_WORDS = 6  # the same where other lines begin with a number too, which are amounts then
_FULL_LINE = 50  # characters from which on a line may have been cut for its length


def plain_blocks(text: str) -> list[Block]:
    """Blocks of a text without a file format of its own."""
    lines = letter_of(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    table = separated_rows(lines)
    if table:
        return table
    lines = with_dotted_numbers(_without_wiki_marks(_plain_lines(with_bullets(lines))))
    lines = [part for line in lines for part in split_counted(line)]
    lines = with_listed_moments(lines) if _moments_are_steps(lines) else lines
    chapters = _chapters(lines)
    return chapters or _set_apart(_grouped([_block(piece, apart) for piece, apart in _pieces(lines)]))


def _plain_lines(lines: list[str]) -> list[str]:
    """Lines without the heads of chat messages and without the moments between the lines of a transcript."""
    lines = _with_stops(told_in_chat(lines))
    bare = [bool(_BARE_MOMENT.match(line)) for line in lines]
    few = sum(bare) < _FEW
    return lines if few else [line for line, is_bare in zip(lines, bare, strict=True) if not is_bare]


def _moments_are_steps(lines: list[str]) -> bool:
    """Whether a heading such as `STEPS:` stands right above the first chapter of a video."""
    first = next((place for place, line in enumerate(lines) if MOMENT.match(line)), 0)
    above = next((line.strip() for line in reversed(lines[:first]) if line.strip()), "")
    return bool(above) and len(above) < _LABEL_LENGTH and label_of(above) == "steps"


def _chapters(lines: list[str]) -> list[Block]:
    """Chapters in the description of a video (`1:20 Jack up the car`) as a numbered list, and the talk around them."""
    moments = [line for line in lines if MOMENT.match(line)]
    others = [line for line in lines if not MOMENT.match(line)]
    labels = {label_of(line.strip()) for line in others if _is_label(line) and len(line.split()) <= _LABEL_WORDS}
    listed = [line for line in others if _BULLET.match(line) and "://" not in line]
    if len(moments) < FEW_MOMENTS or "steps" in labels or (listed and "ingredients" not in labels):
        return []
    names = [without_markup(MOMENT.sub("", line)) for line in moments]
    around = [name for name in names if names_a_part(name) and part_of(name) == "other"]
    steps = [name for name in names if name not in around]
    return [
        *(Block("paragraph", without_markup(line)) for line in [*others, *around] if line.strip()),
        *(Block("item", name, group=CHAPTERS, number=number) for number, name in enumerate(steps, 1)),
    ]


def _without_wiki_marks(lines: list[str]) -> list[str]:
    """Headings as `== Method ==` with lists of lines that begin with `#`, and those of Org mode, in our own form."""
    if any(_ORG_SETTING.match(line) for line in lines):
        kept = (line for line in lines if not _ORG_SETTING.match(line))
        return [_ORG_HEADING.sub(lambda mark: "#" * len(mark[1]) + " ", line) for line in kept]
    headings = [_WIKI_HEADING.match(line) for line in lines]
    if not any(headings):
        return lines
    lines = [WIKI_LINK.sub(r"\1", line) for line in lines]
    listed = [f"1. {line[2:]}" if line.startswith("# ") else line for line in lines]
    return [f"## {mark[2]}" if mark else line for line, mark in zip(listed, headings, strict=True)]


def _with_stops(lines: list[str]) -> list[str]:
    """`1 Stand behind the person`, as copied from pages, with the full stop that the number lacks."""
    found = [_LOOSE_NUMBER.match(line) for line in lines]
    run = _longest_count([int(match[1]) if match else None for match in found])
    words = sum(len(match[2].split()) for match in (found[place] for place in run) if match)
    alone = len(run) == sum(match is not None for match in found)
    if len(run) < _FEW or words < (_STEP_WORDS if alone else _SENTENCE_WORDS) * len(run):
        return lines
    counted = set(run)
    return [
        f"{match[1]}. {match[2]}" if match and place in counted else line
        for place, (line, match) in enumerate(zip(lines, found, strict=True))
    ]


def _longest_count(numbers: list[int | None]) -> list[int]:
    """Places of the longest count 1, 2, 3 among numbers of which some count nothing, such as amounts."""
    longest: list[int] = []
    run: list[int] = []
    for place, number in enumerate(numbers):
        if number == 1:
            run = [place]
        elif run and number == len(run) + 1:
            run.append(place)
        longest = run if len(run) >= len(longest) else longest
    return longest


def _pieces(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """A heading, a list item with its continuation lines, or a paragraph at a time; and whether it stands apart."""
    # One step per line is the common form; wrapped prose has long lines and blank lines.
    wrapped = looks_wrapped(lines, [bool(_BULLET.match(line)) for line in lines])
    piece: list[str] = []
    apart = len(lines) > 1 and not lines[1].strip()
    for line in lines:
        rule = _is_rule(line)
        starts = _BULLET.match(line) or _HEADING.match(line) or _is_label(line)
        goes_on = wrapped or (bool(piece) and _continues(piece, line))
        if piece and (not line.strip() or starts or rule or not goes_on or _is_heading(piece[0])):
            yield _joined(piece), apart
            piece, apart = [], False
        apart = apart or not line.strip() or rule
        if line.strip() and not rule:
            piece.append(line.strip() if piece else line.rstrip())
    if piece:
        yield _joined(piece), apart


def _continues(piece: list[str], line: str) -> bool:
    """Whether a line goes on with the step above: that is not at its end, and a small letter follows."""
    if not line.strip()[:1].islower() or piece[-1].rstrip()[-1:] in ".!?:;":
        return False
    mark = _BULLET.match(piece[0])
    if mark is None:
        return len(piece[-1]) >= _FULL_LINE and piece[0].lstrip()[:1].isupper()
    return bool(mark["number"] or mark["step"]) or len(piece[-1]) >= _FULL_LINE


def _joined(piece: list[str]) -> str:
    """The lines of a piece as one; a word that was divided at the end of a line is whole again."""
    return re.sub(r"(?<=[^\W\d_]{2})-\n(?=[^\W\d_])", "", "\n".join(piece)).replace("\n", " ")


def _is_rule(line: str) -> bool:
    """Whether the line is drawn rather than written: `-----`, `* * *`."""
    return line.strip(" \t")[:1] in tuple("-*_=~#") and bool(_RULE.match(line))


def _is_label(line: str) -> bool:
    return len(line) < _LABEL_LENGTH and bool(line.strip()) and label_of(line.strip()) is not None


def _is_heading(line: str) -> bool:
    return line.lstrip().startswith("#") or _is_label(line)


def _block(piece: str, apart: bool) -> Block:
    heading = _HEADING.match(piece)
    if heading:
        words = piece.strip().lstrip("#").strip()
        return Block("heading", without_markup(words.rstrip("#").rstrip() or words), len(heading[1]))
    bullet = _BULLET.match(piece)
    if not bullet:
        return Block("paragraph", without_markup(_CHECKBOX.sub("", piece)), bold=_is_bold(piece), apart=apart)
    number = bullet["number"] or bullet["step"] or (str(arabic(bullet["roman"])) if bullet["roman"] else None)
    words = without_markup(_CHECKBOX.sub("", piece[bullet.end() :]))
    indent = len(piece) - len(piece.lstrip())
    return Block("item", words, level=indent, group=1, number=int(number) if number and len(number) < 5 else None)


def _is_bold(piece: str) -> bool:
    text = piece.strip()
    return len(text) > 4 and any(text.startswith(mark) and text.endswith(mark) for mark in ("**", "__"))


def _grouped(blocks: list[Block]) -> list[Block]:
    """Items with numbers and items without are lists of their own, and so are those with something in between.

    Items that stand further to the right than the first one of their list (`level` is their indent) are inside of it.
    """
    group, before, margin = 0, None, 0
    found: list[Block] = []
    for block in blocks:
        inside = block.kind == "item" and before is not None and before[0] == "item" and block.level > margin + 1
        if inside:
            found.append(replace(block, group=group, level=1))
            continue
        kind = (block.kind, block.number is not None)
        group += kind != before
        margin = block.level if kind != before else min(margin, block.level)
        before = kind
        found.append(replace(block, group=group, level=0) if block.kind == "item" else block)
    return found


def _set_apart(blocks: list[Block]) -> list[Block]:
    """Lines with a list or ingredients below them can be headings, even if no blank line stands before them."""
    following = [*blocks[1:], Block("paragraph", "")][: len(blocks)]
    return [
        replace(block, apart=True) if after.kind == "item" or is_ingredient(after.text) else block
        for block, after in zip(blocks, following, strict=True)
    ]
