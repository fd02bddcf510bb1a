"""All sections as one page (docs/results.md), with its figures in a folder of the page's name beside it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from saffa.evaluation.reproduce.context import Section
from saffa.outputs import whole_file

PREFACE = "preface.md"
COMMAND = "saffa reproduce {name} --data DATA -o report"


def write_page(sections: Sequence[Section], folder: Path, page: Path) -> None:
    """Preface, sections with the command that makes each, figures as PNG."""
    pictures = page.parent / page.stem
    pictures.mkdir(parents=True, exist_ok=True)
    parts = [files(__package__).joinpath(PREFACE).read_text("utf-8").strip()]
    for section in sections:
        text = re.sub(r"^## ", "### ", section.text.strip(), flags=re.MULTILINE)
        for name in re.findall(r"\]\(([^)/]+\.png)\)", text):
            shutil.copyfile(folder / name, pictures / name)
            text = text.replace(f"]({name})", f"]({page.stem}/{name})")
        parts.append(f"## {section.title}\n\n`{COMMAND.format(name=section.name)}`\n\n{text}")
    with whole_file(page) as part:
        part.write_text("\n\n".join(parts) + "\n", "utf-8")
