"""What people type or paste into plain text: e-mails, chats, marks instead of bullets, dotted numbers, tables."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import names_a_part, part_of
from saffa.core.texts.lines import is_talk
from saffa.core.texts.sentences import one_line

_MAIL_HEAD = re.compile(
    r"^(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|datum|gesendet|de|à|objet|envoyé|para|asunto|fecha|"
    r"da|a|oggetto|data|message-id|mime-version|content-[\w-]+|attachments?)\s?:\s",
    re.IGNORECASE,
)
_LONGEST_SIGNATURE = 8
_DAY = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s(?:at\s|um\s)?)"
_HOUR = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?"
_INLINE = re.compile(rf"^\W{{0,2}}{_DAY}{_HOUR}\]?(?:\s-)?\s(?P<who>[^:\n]{{1,30}}):\s", re.IGNORECASE)
_ABOVE = re.compile(
    rf"^(?P<who>[^\W\d][^:\[\]\n]{{0,28}}?),?\s(?:[—–-]\s)?\[?(?:{_DAY}|(?:today|yesterday|heute|gestern)\s(?:at\s|um\s)?)?"
    rf"{_HOUR}\]?$",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"^(?P<who>[A-Z][\w.'’-]{1,20}(?: [A-Z][\w.'’-]{1,20})?):\s+(?=\S)")
_SPEAKERS = 4  # at most, in a talk that was written down
_LEAST_MESSAGES = 3  # heads of messages that make a chat
_SHORT = 2  # words of a message that does not interrupt: `ok`, `thank you`
_NEARLY = 0.8  # share of the lines
_MOST = 0.6  # share of the words from which on one person explains and the others ask
_PICTURE = re.compile(
    "^\\s*((?:[\u2022\u2023\u2043\u25e6\u2190-\u21ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    "[\ufe0f\u200d]*)+)[ \\t]*(?=\\S)"
)
_LEAST_MARKED = 2  # lines with the same mark from which on it stands for a bullet
MOMENT = re.compile(
    r"^\s*[\[(]?(?:\d{1,2}:)?\d{1,2}:\d{2}(?:\s?[-–—]\s?(?:\d{1,2}:)?\d{1,2}:\d{2})?[\])]?\s*[-–—:]?\s+(?=\S)"
)
FEW_MOMENTS = 3  # lines with a moment in front from which on they are the chapters of a video

WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,200}\|)?([^\[\]|\n]{1,200})\]\]")
_DOTTED = re.compile(r"^\s*(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?=[^\W\d])")
_LEAST_COUNTED = 3  # lines counted in this way
_SEPARATORS = ("\t", ";", "|", ",")
_LEAST_ROWS = 3
_LONGEST_ROW = 2_000  # characters


def letter_of(lines: list[str]) -> list[str]:
    """The lines of a text without the head and the signature of an e-mail, if it is one."""
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    end = first
    while end < len(lines) and (_MAIL_HEAD.match(lines[end]) or (end > first and lines[end][:1] in (" ", "\t"))):
        end += 1
    if end - first < 2:
        return lines
    letter = lines[end:]
    marks = [place for place, line in enumerate(letter) if line.rstrip() == "--"]
    cut = marks[-1] if marks and len(letter) - marks[-1] <= _LONGEST_SIGNATURE else len(letter)
    return letter[:cut]


@dataclass(frozen=True)
class _Message:
    who: str
    lines: tuple[str, ...]

    @property
    def words(self) -> int:
        return sum(len(line.split()) for line in self.lines)


def told_in_chat(lines: list[str]) -> list[str]:
    """The lines that explain, if the text is a chat, with a blank line before each message; else all lines."""
    for head in (_INLINE, _ABOVE):
        heads = [head.match(line.strip("\u200e\u200f")) for line in lines]
        if sum(found is not None for found in heads) >= _LEAST_MESSAGES:
            messages = _messages(lines, heads)
            told = [line for message in _explained(messages) for line in ("", *message.lines)]
            return [line for line in told if not is_talk(line)]
    spoken = [_SPOKEN.match(line) for line in lines]
    if _is_talk_of_few(lines, spoken):
        return [line for message in _explained(_messages(lines, spoken)) for line in message.lines]
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    alone = bool(lines) and _ABOVE.match(lines[first]) is not None  # one message, copied with its head
    return lines[first + 1 :] if alone else lines


def _is_talk_of_few(lines: Sequence[str], spoken: Sequence[re.Match[str] | None]) -> bool:
    """Whether nearly every line says who speaks, of two to four people who all speak more than once."""
    turns = Counter(found["who"] for found in spoken if found is not None)
    filled = sum(bool(line.strip()) for line in lines)
    several = 2 <= len(turns) <= _SPEAKERS and min(turns.values()) > 1 and turns.total() >= 2 * _LEAST_MESSAGES
    return several and turns.total() >= _NEARLY * filled


def _messages(lines: Sequence[str], heads: Sequence[re.Match[str] | None]) -> list[_Message]:
    """The messages; what stands above the first one belongs to nobody."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, head in zip(lines, heads, strict=True):
        if head is not None:
            found.append((head["who"].strip(), [line.strip("\u200e\u200f")[head.end() :]]))
        else:
            found[-1][1].append(line)
    return [_Message(who, tuple(own)) for who, own in found if any(line.strip() for line in own)]


def _explained(messages: Sequence[_Message]) -> Sequence[_Message]:
    """The longest run of messages of the one who says most, or all of theirs; all messages if nobody says most."""
    words = Counter[str]()
    for message in messages:
        words[message.who] += message.words
    teller, most = words.most_common(1)[0]
    if len(words) < 2 or most < _MOST * words.total():
        return messages
    runs: list[list[_Message]] = [[]]
    for message in messages:
        if message.who == teller:
            runs[-1].append(message)
        elif message.words > _SHORT:
            runs.append([])
    longest = max(runs, key=lambda run: sum(message.words for message in run))
    whole = len(longest) >= _LEAST_MESSAGES and sum(message.words for message in longest) > most / 2
    return longest if whole else [message for message in messages if message.who == teller]


def with_bullets(lines: list[str]) -> list[str]:
    """The lines, with `- ` in place of an arrow or a picture that begins several of them."""
    marks = [_PICTURE.match(line) for line in lines]
    counts = Counter(mark[1] for mark in marks if mark)
    return [
        f"- {line[mark.end() :]}" if mark and counts[mark[1]] >= _LEAST_MARKED else line
        for line, mark in zip(lines, marks, strict=True)
    ]


def with_listed_moments(lines: list[str]) -> list[str]:
    """The lines, with `- ` in place of the moments (`1:15 Jack up the car`) in front of several of them.

    `Intro` and `Outro` are chapters in which nothing is done.
    """
    moments = [MOMENT.match(line) for line in lines]
    if sum(moment is not None for moment in moments) < FEW_MOMENTS:
        return lines
    named = [line[moment.end() :] if moment else "" for line, moment in zip(lines, moments, strict=True)]
    return [
        f"- {name}" if name else line
        for line, name in zip(lines, named, strict=True)
        if not (names_a_part(name) and part_of(name) == "other")
    ]


def with_dotted_numbers(lines: list[str]) -> list[str]:
    """The lines, in which those that count the parts of one number are a list, and the lines above them headings."""
    marks = [_DOTTED.match(line) for line in lines]
    numbers = [tuple(mark[1].split(".")) if mark else () for mark in marks]
    counted = _counted(numbers)
    if len(counted) < _LEAST_COUNTED:
        return lines
    above = {numbers[place][:depth] for place in counted for depth in range(1, len(numbers[place]))}
    found: list[str] = []
    for place, (line, mark, number) in enumerate(zip(lines, marks, numbers, strict=True)):
        words = line[mark.end() :] if mark else line
        if place in counted:
            found.append(f"{number[-1]}. {words}")
        else:
            found.append(f"{'#' * len(number)} {words}" if mark and number in above else line)
    return found


def _counted(numbers: Sequence[tuple[str, ...]]) -> set[int]:
    """Places of numbers with a common beginning of which the last parts count 1, 2, 3."""
    found: set[int] = set()
    places = [place for place, number in enumerate(numbers) if len(number) > 1]
    for _, group in groupby(places, lambda place: numbers[place][:-1]):
        run = list(group)
        if len(run) > 1 and [numbers[n][-1] for n in run] == [str(count + 1) for count in range(len(run))]:
            found |= set(run)
    return found


def separated_rows(lines: Sequence[str]) -> list[Block]:
    """The rows of a table of steps; none if the lines are no table, or if nothing tells that it holds steps."""
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) < _LEAST_ROWS or any(len(line) > _LONGEST_ROW for line in filled):
        return []
    for separator in _SEPARATORS:
        if separator not in filled[0] or separator not in filled[1]:
            continue
        bare = (line.strip("|") for line in filled) if separator == "|" else filled
        rows = [_cells(line, separator) for line in bare]
        if len({len(row) for row in rows}) == 1 and _tells_steps(rows):
            headed = not rows[0][0].isdigit()
            return [Block("row", " ".join(row), cells=row, bold=headed and n == 0) for n, row in enumerate(rows)]
    return []


def _cells(line: str, separator: str) -> tuple[str, ...]:
    return tuple(one_line(cell) for cell in next(csv.reader([line], delimiter=separator), []))


def _tells_steps(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first column counts the rows, or the header names the steps."""
    numbers = [row[0].strip(" .)") for row in rows]
    numbers = numbers if numbers[0].isdigit() else numbers[1:]
    counted = numbers == [str(number) for number in range(1, len(numbers) + 1)]
    return counted or any(part_of(cell) == "steps" for cell in rows[0])
