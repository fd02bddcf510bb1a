"""Markdown as blocks, through markdown-it-py; front matter stays out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from saffa.core.errors import InputError
from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import part_of
from saffa.core.texts.sentences import looks_wrapped, one_line, without_markup
from saffa.core.texts.typed import WIKI_LINK, with_bullets, with_listed_moments

MAX_LINES = 100_000
"""More lines than any text of the permitted number of sentences has; a line costs about 50 microseconds."""
_CAREFUL = 200_000
"""Characters up to which words inside a line are parsed by the rules of CommonMark, which costs 20 µs each."""
_FENCES = {"---": ("---", "..."), "+++": ("+++",), ";;;": (";;;",)}
_MANY = 3  # lines of a paragraph that can be a list without marks
_EMBEDDED = re.compile(r"data:[\w/+.-]*;base64,[A-Za-z0-9+/=]*")
_TAG = re.compile(r"<[^<>]*>")
_YAML_KEY = re.compile(r"^([A-Za-z_][\w -]{0,40}):\s*(.*)$")
_NOISE = re.compile(
    r"\{[%{][^{}]{0,200}[}%]\}|\[\^[\w-]{1,20}\]:?|^:::.*$|\{[#.:][^{}\n]{0,80}\}|%%[^%]{0,2000}%%|!\[\[[^\[\]\n]{1,200}\]\]|"
    r"(?<=\S) \^[\w-]{1,40}$",
    re.MULTILINE,
)
"""Template commands, footnote marks, containers, attributes, comments, embedded notes: readers see nothing of them."""
_HIGHLIGHT = re.compile(r"==(?=[^\s=])([^=\n]{1,300})(?<=[^\s=])==")


def markdown_blocks(text: str, name: str) -> list[Block]:
    """Blocks of a Markdown text. If there is nothing but front matter, the steps listed there."""
    front, body = _front_matter(_EMBEDDED.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    if body.count("\n") > MAX_LINES:
        raise InputError(f"{name} has more than {MAX_LINES:,} lines; give only the part with the steps.")
    body = _HIGHLIGHT.sub(r"\1", WIKI_LINK.sub(r"\1", _NOISE.sub("", body)))
    body = "\n".join(with_bullets(with_listed_moments(body.split("\n"))))
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    careful = len(body) <= _CAREFUL
    tokens = (parser if careful else parser.disable("inline")).parse(body)
    blocks = list(_Reader(_words if careful else _quick_words).blocks(tokens))
    return blocks if any(block.has_words for block in blocks) else _listed_in_front(front)


def _front_matter(text: str) -> tuple[str, str]:
    """The settings between `---` lines (YAML) or `+++` lines (TOML) at the top, and the rest."""
    lines = text.lstrip("\ufeff\n").split("\n")
    closing = _FENCES.get(lines[0].rstrip())
    if closing is None:
        return "", text
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() in closing:
            front = lines[1:place]
            known = any(_YAML_KEY.match(one) or "=" in one or one.startswith(("{", "#")) for one in front)
            return ("\n".join(front), "\n".join(lines[place + 1 :])) if known or place == 1 else ("", text)
    return "", text


def _listed_in_front(front: str) -> list[Block]:
    """The list under a key such as `instructions:` of YAML front matter."""
    found: list[Block] = []
    taking = False
    for line in front.split("\n"):
        key = _YAML_KEY.match(line)
        if key:
            taking = part_of(key[1]) == "steps" and not key[2]
        elif taking and line.lstrip().startswith("- "):
            found.append(Block("item", without_markup(line.lstrip()[2:].strip("\"' ")), number=len(found) + 1))
    return found


class _Reader:
    """Walks through the tokens of a Markdown text, remembering the lists and quotations it is inside of."""

    def __init__(self, words: Callable[[Token], str]) -> None:
        self._words = words
        self._lists: list[tuple[int | None, int]] = []  # number of the next item, None for bullets; group
        self._quotes = 0
        self._group = 0
        self._item: list[str] | None = None  # paragraphs of the item at hand
        self._row: list[str] | None = None
        self._header = False

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """Blocks in the order of the text."""
        for place, token in enumerate(tokens):
            if token.type == "inline":
                yield from self._inline(token, tokens[place - 1])
            elif token.type in ("fence", "code_block"):
                yield Block("code", one_line(token.content))
            elif token.type == "html_block":
                yield from self._html(token.content)
            else:
                yield from self._structure(token)

    def _structure(self, token: Token) -> Iterator[Block]:
        kind = token.type
        if kind in ("ordered_list_open", "bullet_list_open"):
            yield from self._finished_item()
            self._group += not self._lists
            start = int(token.attrGet("start") or 1) if kind == "ordered_list_open" else None
            self._lists.append((start, self._lists[-1][1] if self._lists else self._group))
        elif kind in ("ordered_list_close", "bullet_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._item = []
        elif kind == "list_item_close":
            yield from self._finished_item()
        elif kind in ("blockquote_open", "blockquote_close"):
            self._quotes += 1 if kind == "blockquote_open" else -1
        elif kind == "table_open":
            self._group += 1
        elif kind in ("thead_open", "thead_close"):
            self._header = kind == "thead_open"
        elif kind == "tr_open":
            self._row = []
        elif kind == "tr_close" and self._row is not None:
            cells, self._row = tuple(self._row), None
            yield Block("row", " ".join(cells), group=self._group, cells=cells, bold=self._header)

    def _inline(self, token: Token, opening: Token) -> Iterator[Block]:
        words = self._words(token)
        if opening.type == "heading_open":
            yield from self._finished_item()
            yield Block("heading", words, int(opening.tag[1]))
        elif self._row is not None:
            self._row.append(words)
        elif self._quotes:
            yield Block("quote", words)
        elif self._item is not None:
            self._item.append(words)
            self._link = _is_wrapped_in(token, "link")
        elif not self._lists:
            yield from _paragraphs(token, words)

    def _finished_item(self) -> Iterator[Block]:
        """The item whose own words are complete: it ends, or a list inside it begins."""
        if self._item and self._lists:
            number, group = self._lists[-1]
            words = " ".join(self._item)
            yield Block("item", words, len(self._lists) - 1, group, number, link=self._link)
            self._lists[-1] = (None if number is None else number + 1, group)
        self._item = None

    def _html(self, content: str) -> Iterator[Block]:
        """HTML among the Markdown: its words, without tags and comments."""
        if not content.lstrip().startswith(("<!--", "<script", "<style")):
            for line in content.split("\n"):
                words = without_markup(_TAG.sub(" ", line))
                if words:
                    yield Block("paragraph", words)


def _words(token: Token) -> str:
    """Words of a line that was parsed: pictures stay out, links keep their text."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
    return one_line("".join(parts))


def _quick_words(token: Token) -> str:
    return without_markup(token.content)


def _paragraphs(token: Token, words: str) -> Iterator[Block]:
    """A paragraph, or one for each line where lines were broken on purpose."""
    if _is_captioned_picture(token):
        yield Block("aside", words)
        return
    lines = [without_markup(line) for line in token.content.split("\n")]
    broken = [child.type == "hardbreak" for child in token.children or () if child.type.endswith("break")]
    if broken and len(lines) == len(broken) + 1 and (all(broken) or _one_thing_each(lines)):
        yield from (Block("paragraph", line) for line in lines)
    else:
        yield Block("paragraph", words, bold=_is_wrapped_in(token, "strong"), link=_is_wrapped_in(token, "link"))


def _is_captioned_picture(token: Token) -> bool:
    """Whether the paragraph is a picture with emphasised words below it."""
    inside = [
        c.type
        for c in token.children or ()
        if not (c.type.endswith("break") or (c.type == "text" and not c.content.strip()))
    ]
    return len(inside) > 2 and inside[:2] == ["image", "em_open"] and inside[-1] == "em_close"


def _one_thing_each(lines: list[str]) -> bool:
    """Whether lines stand below each other for a reason: many that all begin like sentences or amounts."""
    begun = all(line and not line[0].islower() for line in lines)
    return len(lines) >= _MANY and begun and not looks_wrapped(lines, [False] * len(lines))


def _is_wrapped_in(token: Token, kind: str) -> bool:
    """Whether all words of the line stand inside one `strong` or `link`."""
    inside = [c for c in token.children or () if c.content.strip() or c.type != "text"]
    while inside and inside[-1].type == "text" and inside[-1].content.strip() in (":", "."):
        inside = inside[:-1]
    return (
        len(inside) >= 2
        and inside[0].type == f"{kind}_open"
        and inside[-1].type == f"{kind}_close"
        and (sum(c.type == f"{kind}_open" for c in inside) == 1)
    )
