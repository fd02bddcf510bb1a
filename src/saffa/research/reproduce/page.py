"""All sections as one page (docs/results.md); what it shows or links to is in a folder of the page's name beside it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from saffa.core.whole_file import whole_file
from saffa.research.reproduce.context import Context, Section
from saffa.research.reproduce.this_copy import command, this_copy

PREFACE = "preface.md"
THIS_COPY = "<!-- this copy -->"
"""Where the preface wants what the page was made with."""


def write_page(context: Context, sections: Sequence[Section], page: Path) -> None:
    """Preface, sections with the command that makes each; the figures and tables that they link to are copied."""
    beside = page.parent / page.stem
    beside.mkdir(parents=True, exist_ok=True)
    preface = files(__package__).joinpath(PREFACE).read_text("utf-8").strip()
    parts = [preface.replace(THIS_COPY, this_copy(context))]
    for section in sections:
        text = re.sub(r"^## ", "### ", section.text.strip(), flags=re.MULTILINE)
        for name in re.findall(r"\]\(([^)/]+\.(?:png|csv))\)", text):
            shutil.copyfile(context.out / name, beside / name)
            text = text.replace(f"]({name})", f"]({page.stem}/{name})")
        parts.append(f"## {section.title}\n\n`{command(context, section.name)}`\n\n{text}")
    with whole_file(page) as part:
        part.write_text("\n\n".join(parts) + "\n", "utf-8")
