"""All targets, and all sections as one page (docs/results/paper.md) with its figures in a folder beside it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

from saffa.core.whole_file import whole_file
from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED, Bench
from saffa.research.reproduce.ablation import ablation
from saffa.research.reproduce.asr import asr
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.curves import roc
from saffa.research.reproduce.document_map import tsne
from saffa.research.reproduce.encoder_documents import attention, h0, mrr, products
from saffa.research.reproduce.grid import grid
from saffa.research.reproduce.pairs import significance
from saffa.research.reproduce.section import ReportSection
from saffa.research.reproduce.selections import selections
from saffa.research.reproduce.speedup import speedup_error
from saffa.research.reproduce.tables import table
from saffa.research.reproduce.this_copy import command, this_copy
from saffa.research.reproduce.times import times

PREFACE = "preface.md"
THIS_COPY = "<!-- this copy -->"
"""Where the preface wants what the page was made with."""


def write_page(context: Context, sections: Sequence[ReportSection], page: Path) -> None:
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


@dataclass(frozen=True)
class Target:
    """How a section is made, and which of the benches that can be named it has a use for."""

    run: Callable[[Context], ReportSection]
    uses: tuple[Bench, ...] = (NARRATED, MSVD_LONG)


TARGETS = {
    "table1": Target(partial(table, name="table1"), (NARRATED,)),
    "table2": Target(partial(table, name="table2"), (MSVD_LONG,)),
    "significance": Target(significance),
    "speedup-error": Target(speedup_error),
    "times": Target(times),
    "selections": Target(selections),
    "ablation": Target(ablation),
    "grid": Target(grid),
    "roc": Target(roc),
    "attention": Target(attention, (MSVD_LONG,)),
    "products": Target(products, (MSVD_LONG,)),
    "mrr": Target(mrr, (MSVD_LONG,)),
    "h0": Target(h0, (MSVD_LONG,)),
    "tsne": Target(tsne, (MSVD_LONG,)),
    "asr": Target(asr, (NARRATED,)),
}
