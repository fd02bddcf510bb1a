"""PDF files as blocks: the text layer through pypdf, its lines joined again to items and paragraphs."""

from __future__ import annotations

import io
import logging
from dataclasses import replace

from saffa.core.errors import InputError
from saffa.core.texts.blocks import Block
from saffa.core.texts.plain import plain_blocks

MAX_PAGES = 200
_MAX_CHARACTERS = 2_000_000


def pdf_blocks(data: bytes, name: str) -> list[Block]:
    """Blocks of the text layer; InputError for a locked file, a scan or a damaged one."""
    from pypdf import PdfReader  # noqa: PLC0415
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks on damaged files are no news for the user
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(
                f"{name} is locked with a password. Save it without one, or copy the text into a txt file."
            )
        if len(reader.pages) > MAX_PAGES:
            raise InputError(f"{name} has more than {MAX_PAGES} pages; give only those with the steps.")
        text = "\n\n".join(page.extract_text() or "" for page in reader.pages)[:_MAX_CHARACTERS]
    except InputError:
        raise
    except (PyPdfError, ImportError) as error:  # ImportError: a cipher that needs another package
        locked = isinstance(error, ImportError)
        wrong = "is locked with a password" if locked else "is damaged"
        raise InputError(f"{name} {wrong} and cannot be read. Copy the text into a txt file.") from None
    except Exception:  # a damaged file breaks pypdf in many ways
        raise InputError(f"{name} is damaged and cannot be read. Copy the text into a txt file.") from None
    if not any(c.isalnum() for c in text):
        raise InputError(f"{name} holds pictures of text only. Type the steps into a txt file, or use --step.")
    blocks = plain_blocks(text)
    spaced = any(not line.strip() for line in text.strip().split("\n"))
    return blocks if spaced else [replace(block, apart=True) for block in blocks]  # nothing tells where a line is alone
