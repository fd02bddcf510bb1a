"""Chats kept as text: what the one who explains says, without names and times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from saffa.core.texts.lines import is_talk

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
_LEAST = 3  # heads of messages that make a chat
_SHORT = 2  # words of a message that does not interrupt: `ok`, `thank you`
_NEARLY = 0.8  # share of the lines
_MOST = 0.6  # share of the words from which on one person explains and the others ask


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
        if sum(found is not None for found in heads) >= _LEAST:
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
    several = 2 <= len(turns) <= _SPEAKERS and min(turns.values()) > 1 and turns.total() >= 2 * _LEAST
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
    whole = len(longest) >= _LEAST and sum(message.words for message in longest) > most / 2
    return longest if whole else [message for message in messages if message.who == teller]
