"""Word files (docx) as blocks: paragraphs with their styles, numbered and bulleted lists, tables."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

from lxml import etree

from saffa.core.errors import InputError
from saffa.core.texts.blocks import Block
from saffa.core.texts.sentences import one_line

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MAX_BYTES = 64 * 2**20
_HEADING_STYLE = re.compile(
    r"^(?:heading|berschrift|überschrift|titre|ttulo|título|titolo|kop|rubrik)\s*(\d)", re.IGNORECASE
)
_TITLES = {"title": 0, "titel": 0, "titre": 0, "subtitle": 6, "untertitel": 6, "soustitre": 6}
"""Their levels as headings: a title stands above all others, nothing stands below a subtitle."""
_INNER_LIST = re.compile(r"^(list.*?)\s?([2-5])$", re.IGNORECASE)
_LIST_STYLE = re.compile(r"^list", re.IGNORECASE)


def word_blocks(data: bytes, name: str) -> list[Block]:
    """Blocks of the document's body, in order."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            body = _part(archive, "word/document.xml", name)
            numbering = _part(archive, "word/numbering.xml", name) if _has(archive, "word/numbering.xml") else None
    except (zipfile.BadZipFile, KeyError, OSError, zlib.error, RuntimeError, EOFError, ValueError, struct.error):
        raise InputError(f"{name} is not a readable Word file. Save it again as docx, or as txt.") from None
    except etree.LxmlError:
        raise InputError(f"{name} is damaged. Save it again as docx, or as txt.") from None
    return list(_blocks(body, _bulleted(numbering)))


def _has(archive: zipfile.ZipFile, member: str) -> bool:
    return member in archive.namelist()


def _part(archive: zipfile.ZipFile, member: str, name: str) -> etree._Element:
    """The parsed XML of one member, unpacked up to a limit, without entities or files from elsewhere."""
    with archive.open(member) as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise InputError(f"{name} is too large for a text.")
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))


def _depth(text: str | None) -> int:
    """Depth in a list, which Word counts to 8; 0 for what is no such number."""
    return int(text) if text in tuple("012345678") else 0


def _bulleted(numbering: etree._Element | None) -> dict[str, set[int]]:
    """For each list of the file, the depths at which it has bullets instead of numbers."""
    if numbering is None:
        return {}
    shapes: dict[str, set[int]] = {}
    for shape in numbering.iter(f"{_W}abstractNum"):
        bullets = {
            _depth(level.get(f"{_W}ilvl"))
            for level in shape.iter(f"{_W}lvl")
            for form in level.iter(f"{_W}numFmt")
            if form.get(f"{_W}val") in ("bullet", "none")
        }
        shapes[shape.get(f"{_W}abstractNumId") or ""] = bullets
    links = (
        (number.get(f"{_W}numId") or "", number.find(f"{_W}abstractNumId")) for number in numbering.iter(f"{_W}num")
    )
    return {key: shapes.get(link.get(f"{_W}val") or "", set()) for key, link in links if link is not None}


def _blocks(root: etree._Element, bulleted: dict[str, set[int]]) -> Iterator[Block]:
    counts: dict[str, int] = {}
    lists: dict[str, int] = {}
    table = 1000
    for element in root.iter(f"{_W}p", f"{_W}tr", f"{_W}tbl"):
        if element.tag == f"{_W}tbl":
            table += 1
        elif element.tag == f"{_W}tr":
            cells = tuple(one_line(_words(cell)) for cell in element.iter(f"{_W}tc"))
            first = element.getprevious() is None or element.getprevious().tag != f"{_W}tr"
            counted = bool(cells) and cells[0].strip(" .)").isdigit()  # from its first row on: it has no header
            yield Block("row", " ".join(cells), group=table, cells=cells, bold=first and not counted)
        elif not any(True for _ in element.iterancestors(f"{_W}tc")):
            yield from _paragraph(element, bulleted, counts, lists)


def _paragraph(
    element: etree._Element, bulleted: dict[str, set[int]], counts: dict[str, int], lists: dict[str, int]
) -> Iterator[Block]:
    style = _value(element, "pStyle")
    words = _words(element)
    heading = _HEADING_STYLE.match(style)
    key = _value(element, "numId")
    if heading or style.lower() in _TITLES:
        yield Block("heading", one_line(words), int(heading[1]) if heading else _TITLES[style.lower()])
    elif (key and key != "0") or _LIST_STYLE.match(style):
        inner = _INNER_LIST.search(style)
        depth = int(inner[2]) - 1 if inner and not key else _depth(_value(element, "ilvl"))
        name = key or _INNER_LIST.sub(r"\1", style)  # a list inside another one has a style of its own
        group = lists.setdefault(name, len(lists) + 1)
        numbered = depth not in bulleted.get(key, set()) if key else "number" in style.lower()
        counts[name] = counts.get(name, 0) + 1
        yield Block("item", one_line(words), depth, group, counts[name] if numbered else None)
    else:
        bold = _is_bold(element)
        yield from (Block("paragraph", one_line(line), bold=bold) for line in words.split("\n") if line.strip())


def _value(element: etree._Element, name: str) -> str:
    found = next(element.iter(_W + name), None)
    return "" if found is None else found.get(f"{_W}val") or ""


def _words(element: etree._Element) -> str:
    parts = []
    for run in element.iter(f"{_W}t", f"{_W}br", f"{_W}tab", f"{_W}p"):
        if run.tag == f"{_W}t":
            parts.append(run.text or "")
        else:
            parts.append("\n" if run.tag != f"{_W}tab" else " ")
    return "".join(parts).strip()


def _is_bold(element: etree._Element) -> bool:
    runs = [run for run in element.iter(f"{_W}r") if _words(run)]
    marks = [next(run.iter(f"{_W}b"), None) for run in runs]
    return bool(runs) and all(mark is not None and mark.get(f"{_W}val") not in ("0", "false") for mark in marks)
