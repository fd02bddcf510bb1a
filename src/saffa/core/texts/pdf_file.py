"""PDF files as blocks: the text layer through pypdf, its lines joined again to items and paragraphs."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from dataclasses import replace

from saffa.core.errors import InputError
from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import step_number
from saffa.core.texts.lines import is_tip
from saffa.core.texts.plain import plain_blocks

MAX_PAGES = 200
_MAX_CHARACTERS = 2_000_000
_MARGIN = 2  # lines at the top and the bottom of a page that may say on each page what the book is called
_PAGE_NUMBER = re.compile(
    r"^\W*(?:page|seite|pagina|página|p\.)?\s*\d{1,4}(?:\s*(?:/|of|von|de|di|sur)\s*\d{1,4})?\W*$", re.I
)
_BULLETS = tuple("•●▪■◦○‣⁃·\x7f\uf0b7\uf0a7\uf076")
_FULL = 0.75  # of the longest line of the page: no shorter line was cut for its length
_CUT_LINE = 20  # characters of a line that can have been cut for its length, even in a narrow column


def pdf_blocks(data: bytes, name: str) -> list[Block]:
    """Blocks of the text layer; InputError for a locked file, a scan or a damaged one."""
    from pypdf import PdfReader  # noqa: PLC0415
    from pypdf.errors import DependencyError  # noqa: PLC0415

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks on damaged files are no news for the user
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(
                f"{name} is locked with a password. Save it without one, or copy the text into a txt file."
            )
        if len(reader.pages) > MAX_PAGES:
            raise InputError(f"{name} has more than {MAX_PAGES} pages; give only those with the steps.")
        pages = [(page.extract_text() or "").split("\n") for page in reader.pages]
        text = "\n\n".join(_rejoined(page) for page in _without_margins(pages))[:_MAX_CHARACTERS]
    except InputError:
        raise
    except (DependencyError, ImportError):  # a cipher that needs another package, with or without a password
        raise InputError(
            f"{name} is encrypted. Save it without protection, or copy the text into a txt file."
        ) from None
    except Exception:  # a damaged file breaks pypdf in many ways
        raise InputError(f"{name} is damaged and cannot be read. Copy the text into a txt file.") from None
    if not any(c.isalnum() for c in text):
        raise InputError(f"{name} holds pictures of text only. Type the steps into a txt file, or use --step.")
    blocks = plain_blocks(text)
    spaced = any(not line.strip() for line in text.strip().split("\n"))
    return blocks if spaced else [replace(block, apart=True) for block in blocks]  # nothing tells where a line is alone


def _without_margins(pages: list[list[str]]) -> list[list[str]]:
    """Pages without the lines that stand at the edge of several of them, and without their numbers."""
    edges = Counter(mark for page in pages for mark in {_mark(page[at]) for at in _edge(page)})
    kept = []
    for page in pages:
        alone = sum(bool(_PAGE_NUMBER.match(line)) for line in page) == 1  # more of them count the steps
        gone = {at for at in _edge(page) if edges[_mark(page[at])] > 1 and _mark(page[at])}
        gone |= {at for at in _edge(page) if alone and _PAGE_NUMBER.match(page[at])}
        kept.append([line for at, line in enumerate(page) if at not in gone])
    return kept


def _edge(page: list[str]) -> set[int]:
    """Places of the first and last lines of a page."""
    return {*range(min(_MARGIN, len(page))), *range(max(0, len(page) - _MARGIN), len(page))}


def _mark(line: str) -> str:
    """A line without its digits, so that `Page 3` and `Page 4` are one; empty for steps, which are numbered too."""
    return "" if step_number(line.strip()) else " ".join(re.sub(r"\d+", "#", line).split())


def _begins_item(line: str) -> bool:
    """Whether the line is the first one of a list item or of a counted step."""
    return line.strip().startswith((*_BULLETS, "- ", "[ ]", "[x]")) or step_number(line.strip()) is not None


def _rejoined(lines: list[str]) -> str:
    """Lines as a text, in which one goes on with the line above that was cut for its length.

    That is sure of a line that begins with a small letter, and likely below a full line of a numbered item.
    """
    parts: list[str] = []
    mark = ""
    full = _FULL * max((len(line.strip()) for line in lines), default=0)
    counted, above_length = False, 0  # of the piece at hand and of its last line
    for found in lines:
        if found.strip() in _BULLETS:  # set apart from its words by the layout
            mark = "- "
            continue
        line, mark = f"{mark}{found}", ""
        above = parts[-1].rstrip() if parts else ""
        begins = _begins_item(line)
        cut = len(above) >= _CUT_LINE and above[-1] not in ".!?:;-" and not begins
        if cut and (line.strip()[:1].islower() or (counted and above_length >= full and line.strip())):
            parts[-1] = f"{above} {line.strip()}"
        else:
            parts.append(line)
            counted = begins or is_tip(line)
        above_length = len(line.strip())
    return "\n".join(parts)
