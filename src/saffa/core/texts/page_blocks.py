"""The visible part of a web page as blocks; menus, forms, footers, comments and adverts stay out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from saffa.core.texts.blocks import Block
from saffa.core.texts.sentences import one_line

_SKIPPED = {
    "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "button", "select", "option", "svg",
    "iframe", "object", "video", "audio", "head", "figure", "label", "input", "textarea", "canvas", "map", "dialog",
}  # fmt: skip
_BLOCKS = {
    "p", "div", "section", "article", "main", "body", "html", "center", "dd", "dt", "dl", "address", "details", "hr",
    "summary", "header", "ol", "ul", "li", "table", "tr", "td", "th", "tbody", "thead", "tfoot", "blockquote", "pre",
    "h1", "h2", "h3", "h4", "h5", "h6", "fieldset", "figcaption", "caption",
}  # fmt: skip
_ASIDE = re.compile(
    r"(?:^|[\s_-])(?:comments?|commentlist|respond|reviews?|related|sidebar|nav|navbar|menu|breadcrumbs?|footer|share|"
    r"sharing|social|cookie|consent|newsletter|subscribe|advert\w*|ads?|promo|popup|modal|widget|author-?bio|pagination|rating|"
    r"print-?button|jump|toc|disclaimer|hidden|screen-reader-text|sr-only|recommend\w*)(?=$|[\s_-])",
    re.IGNORECASE,
)
_REMARK = re.compile(r"(?:^|[\s_-])(?:admonition|callout|alert|note|tip|hint|warning|caution|info)s?(?=$|[\s_-])")
"""Classes of a box with a remark, where it stands inside of a step."""
_FOOTNOTE = re.compile(r"^\s*\[?[\d,\s]{1,8}\]?\s*$")
_HEADING = re.compile(r"^h[1-6]$")
_EMPHASIS = ("b", "strong")


def page_blocks(root: HtmlElement) -> Iterator[Block]:
    """Blocks of the page's main part, in order."""
    yield from _Walk().blocks(_main(root))


def words_of(element: HtmlElement) -> str:
    """All words inside an element, with a line break for each `br` and each block inside."""
    parts: list[str] = []
    _collect(element, parts)
    lines = (one_line(line) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _collect(element: HtmlElement, parts: list[str]) -> None:
    """Depth is bounded by the parser, so that recursion is safe."""
    if not isinstance(element.tag, str) or element.tag in _SKIPPED:
        return
    breaks = element.tag in _BLOCKS or element.tag == "br"
    parts.append("\n" if breaks else "")
    parts.append((element.text or "").replace("\n", " "))
    for child in element:
        _collect(child, parts)
        parts.append((child.tail or "").replace("\n", " "))
    parts.append("\n" if breaks else "")


def _main(root: HtmlElement) -> HtmlElement:
    """`main` or the only `article` where a page has one, else its body."""
    for name in ("main", "article"):
        found = list(root.iter(name))
        if len(found) == 1 and len(words_of(found[0])) > 100:
            return found[0]
    bodies = list(root.iter("body"))
    return bodies[0] if bodies else root


class _Walk:
    """Walks through the elements of a page, remembering the lists it is inside of."""

    def __init__(self) -> None:
        self._lists: list[int | None] = []
        self._group = 0
        self._inline: list[str] = []

    def blocks(self, element: HtmlElement) -> Iterator[Block]:
        """Blocks inside an element."""
        if not isinstance(element.tag, str) or element.tag in _SKIPPED or _is_aside(element):
            return
        if _HEADING.match(element.tag):
            yield Block("heading", one_line(words_of(element)), int(element.tag[1]))
        elif element.tag in ("ol", "ul"):
            yield from self._list(element)
        elif element.tag == "table":
            yield from self._table(element)
        elif element.tag == "blockquote":
            yield Block("quote", one_line(words_of(element)))
        elif element.tag == "pre":
            yield Block("code", one_line(words_of(element)))
        elif any(isinstance(child.tag, str) and child.tag in _BLOCKS for child in element.iterdescendants()):
            yield from self._mixed(element)
        else:
            yield from _paragraphs(element)

    def _mixed(self, element: HtmlElement) -> Iterator[Block]:
        """An element that holds blocks, and perhaps words between them."""
        run = [element.text or ""]
        for child in element:
            holds_blocks = isinstance(child.tag, str) and (
                child.tag in _BLOCKS or any(True for _ in child.iterdescendants(*_BLOCKS))
            )
            if holds_blocks:
                yield from _lines("".join(run))
                run = [""]
                yield from self.blocks(child)
            elif isinstance(child.tag, str):
                _collect(child, run)
            run.append((child.tail or "").replace("\n", " "))
        yield from _lines("".join(run))

    def _list(self, element: HtmlElement) -> Iterator[Block]:
        self._group += not self._lists
        self._lists.append(_start(element) if element.tag == "ol" else None)
        for child in element:
            if child.tag == "li":
                yield from self._item(child)
            elif isinstance(child.tag, str):
                yield from self.blocks(child)
        self._lists.pop()

    def _item(self, element: HtmlElement) -> Iterator[Block]:
        """The item's own words, then the lists inside it."""
        inner = [e for e in element.iterdescendants("ol", "ul") if next(e.iterancestors("li")) is element]
        beside = [e for e in element.iterdescendants() if _stands_beside(e)]
        own: list[str] = [element.text or ""]
        for child in element:
            _collect_own(child, own, {*inner, *beside})
            own.append(child.tail or "")
        number = self._lists[-1]
        words = _without_number(one_line("".join(own)), number)
        link = (
            any(True for _ in element.iter("a")) and one_line("".join(words_of(a) for a in element.iter("a"))) == words
        )
        if words:
            yield Block("item", words, len(self._lists) - 1, self._group, number, link=link)
        if number is not None:
            self._lists[-1] = number + 1
        outer = [e for e in beside if not any(a in beside for a in e.iterancestors())]
        yield from (Block("quote" if e.tag != "pre" else "code", w) for e in outer if (w := one_line(words_of(e))))
        for one in inner:
            yield from self._list(one)

    def _table(self, element: HtmlElement) -> Iterator[Block]:
        self._group += 1
        if _is_layout(element):
            for cell in element.iterdescendants("td", "th"):
                if next(cell.iterancestors("table")) is element:
                    yield from self._mixed(cell)
            return
        for row in element.iter("tr"):
            cells = tuple(one_line(words_of(cell)) for cell in row if cell.tag in ("td", "th"))
            header = any(cell.tag == "th" for cell in row) and not any(cell.tag == "td" for cell in row)
            yield Block("row", " ".join(cells), group=self._group, cells=cells, bold=header)


def _stands_beside(element: HtmlElement) -> bool:
    """Whether an element inside of a list item is no part of the step: code, a note, the mark of a footnote."""
    if not isinstance(element.tag, str) or element.tag not in ("pre", "div", "p", "span", "sup", "blockquote"):
        return False
    if element.tag == "sup":
        return bool(_FOOTNOTE.match(element.text_content()))
    return element.tag in ("pre", "blockquote") or bool(_REMARK.search(element.get("class") or ""))


def _without_number(words: str, number: int | None) -> str:
    """Words of an item without its number, where the page writes that out as well."""
    return words.removeprefix(f"{number} ") if number is not None else words


def _is_layout(table: HtmlElement) -> bool:
    """Whether a table only places things on the page: lists, other tables or several lines stand in its cells."""
    if any(True for _ in table.iterdescendants("table", "ol", "ul")):
        return True
    return any(sum(1 for _ in cell.iterdescendants("br", "p", "div")) >= 3 for cell in table.iterdescendants("td"))


def _collect_own(element: HtmlElement, parts: list[str], lists: set[HtmlElement]) -> None:
    """Words of an item without those of the lists inside it."""
    if not isinstance(element.tag, str) or element in lists or element.tag in _SKIPPED or _is_aside(element):
        return
    parts.append(" " if element.tag in _BLOCKS or element.tag == "br" else "")
    parts.append(element.text or "")
    for child in element:
        _collect_own(child, parts, lists)
        parts.append(child.tail or "")
    parts.append(" " if element.tag in _BLOCKS else "")


def _is_aside(element: HtmlElement) -> bool:
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    hidden = element.get("hidden") is not None or "display:none" in (element.get("style") or "").replace(" ", "")
    return hidden or (element.tag not in ("body", "main", "article", "html") and bool(_ASIDE.search(named[:500])))


def _start(element: HtmlElement) -> int:
    given = element.get("start") or "1"
    return int(given) if given.isascii() and given.isdigit() and len(given) < 6 else 1


def _paragraphs(element: HtmlElement) -> Iterator[Block]:
    children = [child for child in element if isinstance(child.tag, str) and child.tag != "br"]
    lone = len(children) == 1 and not (element.text or "").strip() and not (children[0].tail or "").strip(" \n\t:")
    bold = lone and children[0].tag in _EMPHASIS
    link = lone and children[0].tag == "a"
    yield from (Block("paragraph", line, bold=bold, link=link) for line in words_of(element).split("\n") if line)


def _lines(text: str) -> Iterator[Block]:
    yield from (Block("paragraph", words) for line in text.split("\n") if (words := one_line(line)))
