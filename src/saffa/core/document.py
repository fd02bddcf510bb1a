"""The text that guides the selection: txt, md, srt, vtt or json → Document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from saffa.core.errors import InputError
from saffa.core.text_file import decode_text, read_bytes

MAX_SENTENCES = 10_000

_BULLET = re.compile(r"^\s*(?:[-*+•–·▪●○]|\(?\d{1,4}[.):]|\(?[a-zA-Z][.)]|step\s+\d+\s*[:.)-]?)\s+", re.IGNORECASE)
_CHECKBOX = re.compile(r"^\[[ xX]\]\s+")
_RULE = re.compile(r"^\s*([-*_=~#]\s*){3,}$")
_MARKUP = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),  # pictures
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),  # links keep their words
    (re.compile(r"(\*\*|__|~~|`+)(.+?)\1"), r"\2"),
    (re.compile(r"(?<!\w)[*_](\S(?:.*?\S)?)[*_](?!\w)"), r"\1"),
    (re.compile(r"<[^>\n]{1,200}>"), ""),
)
# A full stop ends a sentence unless it belongs to a number, an initial or a common abbreviation.
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\Wa-z_])|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|ca|e\.g|i\.e|etc|vs|no|fig|min|mins|sec|hr|hrs|tbsp|tbs|tsp|oz|lb|lbs|pt|qt|gal|dr|mr|mrs|ms|st|"
    r"z\.b|bzw)|\b[A-Z])\.$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Document:
    """The sentences of a text, in order."""

    sentences: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.sentences:
            raise InputError("The text has no sentences. Give at least one step or sentence.")
        if len(self.sentences) > MAX_SENTENCES:
            raise InputError(f"The text has {len(self.sentences)} sentences; at most {MAX_SENTENCES} are supported.")

    def __len__(self) -> int:
        return len(self.sentences)

    @classmethod
    def from_text(cls, text: str, *, markdown: bool = False) -> Document:
        """Lists give a sentence per item, paragraphs are split to sentences, headings stay out if there is a body."""
        return cls(tuple(_sentences(text, markdown)))

    @classmethod
    def from_file(cls, path: Path) -> Document:
        """Read a text by its extension; unknown ones are plain text."""
        return cls.from_bytes(read_bytes(path), path.suffix.lower(), str(path))

    @classmethod
    def from_bytes(cls, data: bytes, suffix: str = ".txt", name: str = "the text") -> Document:
        """As `from_file`, for what came through a pipe."""
        text = decode_text(data, name)
        if not text.strip():
            raise InputError(f"{name} is empty. Give a text with at least one step or sentence.")
        if suffix == ".json":
            return cls(tuple(_json_sentences(text, name)))
        if suffix in (".srt", ".vtt", ".ass", ".ssa"):
            return cls(tuple(_subtitle_sentences(text, name)))
        return cls.from_text(text, markdown=suffix in (".md", ".markdown"))


def _sentences(text: str, markdown: bool) -> Iterable[str]:
    """Blocks: a heading, a list item (with its continuation lines) or a paragraph."""
    headings: list[str] = []
    body: list[str] = []
    for block in _blocks(text.replace("\r\n", "\n").replace("\r", "\n"), markdown):
        heading = re.match(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*$", block)
        if heading:
            headings.append(_plain(heading[1]))
        else:
            body.extend(split_sentences(_plain(_CHECKBOX.sub("", _BULLET.sub("", block)))))
    # A title is no step, unless titles are all there is.
    return [s for s in (body or headings) if any(c.isalnum() for c in s)]


def _blocks(text: str, markdown: bool) -> Iterable[str]:
    block: list[str] = []
    lines = text.split("\n")
    # Without Markdown, one step per line is the common form; wrapped prose has long lines and blank lines.
    wrapped = markdown or _looks_wrapped(lines)
    for line in lines:
        starts = _BULLET.match(line) or re.match(r"^\s{0,3}#{1,6}\s", line)
        if block and (
            not line.strip() or starts or _RULE.match(line) or block[0].lstrip().startswith("#") or not wrapped
        ):
            yield " ".join(block)
            block = []
        if line.strip() and not _RULE.match(line):
            block.append(line.strip() if block else line.rstrip())
    if block:
        yield " ".join(block)


def _looks_wrapped(lines: list[str]) -> bool:
    """Hard-wrapped prose: most lines that another line follows do not end a sentence and are long."""
    followed = [a.strip() for a, b in pairwise(lines) if a.strip() and b.strip() and not _BULLET.match(b)]
    running = [line for line in followed if len(line) > 50 and line[-1] not in ".!?:;…"]
    return len(followed) > 0 and len(running) > 0.5 * len(followed)


def _plain(text: str) -> str:
    for pattern, kept in _MARKUP:
        text = pattern.sub(kept, text)
    return re.sub(r"\s+", " ", text).strip()


def split_sentences(text: str) -> list[str]:
    """Split a paragraph at sentence ends."""
    sentences: list[str] = []
    for part in _SENTENCE_END.split(text):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] += " " + part
        elif part.strip():
            sentences.append(part.strip())
    return sentences


def _json_sentences(text: str, name: str) -> Iterable[str]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is not valid JSON (line {error.lineno}: {error.msg}).") from None
    if isinstance(data, dict):
        for key in ("sentences", "steps", "document", "instructions", "recipeInstructions", "text"):
            if key in data:
                data = data[key]
                break
    if isinstance(data, str):
        return _sentences(data, markdown=False)
    if isinstance(data, list):
        texts = [item.get("text", item.get("sentence")) if isinstance(item, dict) else item for item in data]
        strings = [t for t in texts if isinstance(t, str)]
        if strings and len(strings) == len(texts):
            return [re.sub(r"\s+", " ", t).strip() for t in strings if t.strip()]
    raise InputError(f'{name} must hold a list of sentences, or an object with "sentences" or "steps".')


def _subtitle_sentences(text: str, name: str) -> Iterable[str]:
    """Cues are joined and split anew: a sentence often spans several cues."""
    import pysubs2  # noqa: PLC0415

    try:
        subtitles = pysubs2.SSAFile.from_string(text)
    except (pysubs2.exceptions.Pysubs2Error, ValueError) as error:
        raise InputError(f"{name} is not a readable subtitle file ({error}).") from None
    lines = [re.sub(r"\s+", " ", event.plaintext).strip() for event in subtitles if not event.is_comment]
    sentences: list[str] = []
    for line in lines:
        if sentences and not re.search(r"[.!?…。！？][\"'”’)\]]*$", sentences[-1]) and len(sentences[-1]) < 200:
            sentences[-1] += " " + line
        elif line:
            sentences.append(line)
    return [s for joined in sentences for s in split_sentences(joined) if any(c.isalnum() for c in s)]
