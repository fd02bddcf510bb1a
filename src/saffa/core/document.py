"""The text that guides the selection, as sentences: from txt, Markdown, HTML, docx, pdf, srt, vtt or json."""

from __future__ import annotations

import codecs
import errno
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from saffa.core.errors import InputError
from saffa.core.texts.blocks import Block
from saffa.core.texts.plain import plain_blocks
from saffa.core.texts.sentences import split_sentences
from saffa.core.texts.steps import Choice, all_of, choose, choose_if_sure

MAX_BYTES = 32 * 2**20
TEXT = "text file"


def read_bytes(path: Path, kind: str = TEXT) -> bytes:
    """The bytes of a text file, with a plain error for what cannot be one."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder, not a {kind}.")
        if path.exists() and not path.is_file():  # a pipe would be waited for, a device read without end
            raise InputError(f"{path} is not a regular file. Give a {kind}, or pipe a text in with --text -.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InputError(f"{path} is too large for a text (over {MAX_BYTES // 2**20} MB).")
        return data
    except FileNotFoundError:
        words = kind == TEXT and " " in path.name
        hint = (
            " To give the words themselves, pipe them in with --text - or use --step TEXT "
            "(in Python: give a list of sentences)."
            if words
            else ""
        )
        raise InputError(f"There is no {kind} {str(path).rstrip('.')}.{hint}") from None
    except OSError as error:
        if kind == TEXT and error.errno == errno.ENAMETOOLONG:
            raise InputError(
                "--text takes the name of a file; pipe the words themselves in with --text -, or use --step TEXT."
            ) from None
        raise InputError(f"Cannot read the {kind} {path}: {error.strerror}.") from None


def decode_text(data: bytes, name: str) -> str:
    """UTF-8, UTF-16 (with or without a mark) or Windows-1252; refuses what is not text."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                raise InputError(f"{name} is not a readable text file.") from None
    text = _without_mark(data)
    control = sum(ord(c) < 32 and c not in "\t\n\r\f\x1b" for c in text[:4096])
    if control > 0.02 * len(text[:4096]):
        raise InputError(f"{name} is not a text file (it holds binary data).")
    return text


def _without_mark(data: bytes) -> str:
    head = data[:4096]
    if len(data) % 2 == 0 and head.count(0) > len(head) // 4:  # ASCII-range text in UTF-16 is half zeros
        encoding = "utf-16-le" if sum(b == 0 for b in head[1::2]) > sum(b == 0 for b in head[::2]) else "utf-16-be"
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


__all__ = ["MAX_SENTENCES", "Document", "TextPart", "split_sentences"]
MAX_SENTENCES = 10_000
TextPart = Literal["steps", "all"]
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd", ".qmd")
_WEBPAGE = (".html", ".htm", ".xhtml")
_ARCHIVE = (".mhtml", ".mht")
_SUBTITLES = (".srt", ".vtt", ".ass", ".ssa")
_CUE = re.compile(rb"\d{1,6}\s+\d{1,2}:\d{2}:\d{2}[,.]\d{3} +-->")
_MARKDOWN_SIGN = re.compile(
    r"^#{1,6}\s|^ {0,3}\|?[ :]*-{3,}[-| :]*\||\*\*\S|__\S|\]\(|\[\[|^ {0,3}(?:```|~~~|>|---|===|\+\+\+|;;;)|^\s*[-*+] |"
    r"<[a-zA-Z/!]",
    re.MULTILINE,
)
"""What Markdown is written for; without any of it, a text is as plain as one in a txt file."""
_WIKI_HEADING = re.compile(r"^={2,4}[^=\n]{1,200}={2,4} *$", re.MULTILINE)
_SURELY_MARKDOWN = re.compile(r"^#{1,6} \S.*$(?s:.*?)^#{1,6} \S|^ {0,3}\|?[ :]*-+[ :]*\|[-| :]*$", re.MULTILINE)
_UNREADABLE = {".doc": "Word 97", ".rtf": "rich text", ".pages": "Pages", ".odt": "OpenDocument", ".epub": "e-book"}


@dataclass(frozen=True)
class Document:
    """The sentences of a text, in order. `note` says in one line how they were chosen, empty if all were taken."""

    sentences: tuple[str, ...]
    note: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.sentences:
            raise InputError("The text has no sentences. Give at least one step or sentence.")
        if len(self.sentences) > MAX_SENTENCES:
            raise InputError(f"The text has {len(self.sentences)} sentences; at most {MAX_SENTENCES} are supported.")

    def __len__(self) -> int:
        return len(self.sentences)

    @classmethod
    def from_text(cls, text: str, *, markdown: bool = False, part: TextPart = "steps") -> Document:
        """Lists give a sentence per item, paragraphs are split to sentences, headings stay out if there is a body."""
        return cls.from_bytes(text.encode("utf-8", "replace"), ".md" if markdown else ".txt", part=part)

    @classmethod
    def from_steps(cls, steps: Iterable[str]) -> Document:
        """One sentence for each step that was given in words."""
        return cls(tuple(" ".join(step.split()) for step in steps if step.strip()))

    @classmethod
    def from_file(cls, path: Path, *, part: TextPart = "steps") -> Document:
        """Read a text by its extension; unknown ones are plain text."""
        return cls.from_bytes(read_bytes(path), path.suffix.lower(), str(path), part)

    @classmethod
    def from_bytes(
        cls, data: bytes, suffix: str = ".txt", name: str = "the text", part: TextPart = "steps"
    ) -> Document:
        """Sentences of a file's bytes; `suffix` tells the format, unless the bytes do."""
        choice = _choice(data, _format(data, suffix), name, part)
        return cls(choice.sentences, choice.note)


def _format(data: bytes, suffix: str) -> str:
    """The extension that fits the bytes: a web page, a PDF or a Word file is known by its first ones."""
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"%pdf-"):
        return ".pdf"
    if start.startswith((b"<!doctype html", b"<html")):
        return ".html"
    if suffix in (".txt", ""):
        if start.startswith(b"pk\x03\x04"):
            return ".docx"
        if start.startswith(b"webvtt") or _CUE.match(start):
            return ".vtt" if start.startswith(b"webvtt") else ".srt"
    return suffix


def _choice(data: bytes, suffix: str, name: str, part: TextPart) -> Choice:
    """The sentences of a file; formats are read by modules of their own, loaded when needed."""
    if suffix in _UNREADABLE:
        raise InputError(f"{name} is a {_UNREADABLE[suffix]} file, which cannot be read; save it as docx, pdf or txt.")
    if suffix == ".pdf":
        from saffa.core.texts.pdf_file import pdf_blocks  # noqa: PLC0415

        return _part(pdf_blocks(data, name), part, sure=True)
    if suffix == ".docx":
        from saffa.core.texts.word_file import word_blocks  # noqa: PLC0415

        return _part(word_blocks(data, name), part)
    if suffix in _WEBPAGE + _ARCHIVE:
        from saffa.core.texts.webpage import page_choice  # noqa: PLC0415

        return page_choice(data, name, everything=part == "all", archive=suffix in _ARCHIVE)
    return _choice_of_text(decode_text(data, name), suffix, name, part)


def _choice_of_text(text: str, suffix: str, name: str, part: TextPart) -> Choice:
    if not text.strip():
        raise InputError(f"{name} is empty. Give a text with at least one step or sentence.")
    if suffix == ".json":
        from saffa.core.texts.json_text import json_choice  # noqa: PLC0415

        return json_choice(text, name, everything=part == "all")
    if suffix in _SUBTITLES:
        from saffa.core.texts.spoken_text import subtitle_sentences  # noqa: PLC0415

        return Choice(tuple(subtitle_sentences(text, name)))
    if _is_markdown(text, named=suffix in _MARKDOWN):
        from saffa.core.texts.markdown import markdown_blocks  # noqa: PLC0415

        return _part(markdown_blocks(text, name), part)
    return _part(plain_blocks(text), part, sure=True)


def _is_markdown(text: str, named: bool) -> bool:
    """Whether a text is to be read as Markdown: `named` so and with any sign of it, or with two headings or a table."""
    if named:
        return _MARKDOWN_SIGN.search(text) is not None
    return _SURELY_MARKDOWN.search(text) is not None and _WIKI_HEADING.search(text) is None


def _part(blocks: Sequence[Block], part: TextPart, sure: bool = False) -> Choice:
    """All of the blocks' sentences, or the steps among them; `sure` leaves nothing out on a guess."""
    if part == "all":
        return all_of(blocks)
    return choose_if_sure(blocks) if sure else choose(blocks)
