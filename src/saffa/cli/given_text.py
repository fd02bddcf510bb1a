"""The text as given on the command line: a file, standard input, or steps in words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from saffa.core.document import Document, TextPart
from saffa.core.errors import InputError
from saffa.core.narration import NARRATION
from saffa.core.text_file import MAX_BYTES


def given_text(text: str | None, steps: Sequence[str], part: TextPart) -> str | Document:
    """The name of a file, or what came through `--text -` or `--step`."""
    if steps and text is not None:
        raise InputError("Give --text or --step, not both.")
    if steps:
        return Document.from_steps(steps)
    if text is None:
        raise InputError("There is no text to follow. Give a file with --text FILE, or each step with --step TEXT.")
    if text != "-":
        return text
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"Standard input is too large for a text (over {MAX_BYTES // 2**20} MB).")
    return Document.from_bytes(data, name="standard input", part=part)


def text_files(text: str | None) -> tuple[Path, ...]:
    """The file named by `--text`, if there is one."""
    return () if text in (None, "-", NARRATION) else (Path(text or ""),)
