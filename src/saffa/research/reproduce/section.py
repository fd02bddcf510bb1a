"""A section of the report: its text, tables and figures, and how it is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from saffa.core.whole_file import whole_file
from saffa.research.evaluation.markdown import Sheet

if TYPE_CHECKING:
    from saffa.research.evaluation.protocol import Bench
    from saffa.research.reproduce.context import Context


@dataclass(frozen=True)
class ReportSection:
    """A target's outcome: text for people, tables for machines, figures."""

    name: str
    title: str
    text: str
    sheets: dict[str, Sheet] = field(default_factory=dict)
    figures: tuple[Path, ...] = ()
    ran: bool = True
    """Whether there is anything beside the reasons why there is nothing."""

    def write(self, folder: Path) -> list[Path]:
        """`NAME.md`, and a CSV for every table."""
        page = folder / f"{self.name}.md"
        with whole_file(page) as part:
            part.write_text(f"# {self.title}\n\n{self.text.strip()}\n", "utf-8")
        tables = [folder / f"{stem}.csv" for stem in self.sheets]
        for path, table in zip(tables, self.sheets.values(), strict=True):
            table.write_csv(path)
        return [page, *tables, *self.figures]


class Draft:
    """A section in the making: texts in their order, then why something is absent."""

    def __init__(self, name: str, title: str, *texts: str) -> None:
        self.name, self.title, self.texts = name, title, list(texts)
        self.absent: list[str] = []
        self.sheets: dict[str, Sheet] = {}
        self.figures: list[Path] = []

    def benches(self, context: Context, wanted: Sequence[Bench]) -> list[Bench]:
        """The benches that can be used here; why others cannot is kept."""
        usable, absent = context.here(wanted)
        self.absent += absent
        return usable

    def add_table(self, stem: str, made: Sheet, *before: str) -> None:
        """Add texts and a table, which also gets a CSV file of that name."""
        self.sheets[stem] = made
        self.texts += [*before, made.markdown()]

    def section(self, *, ran: bool | None = None) -> ReportSection:
        """The section; where nothing `ran` (usually: no table and no figure is there) only the reasons for that."""
        ran = bool(self.sheets or self.figures) if ran is None else ran
        texts = [*(self.texts if ran else ()), *self.absent]
        return ReportSection(self.name, self.title, "\n\n".join(texts), self.sheets, tuple(self.figures), ran)


def not_run(what: str, reason: str) -> str:
    """A line for the page. Reasons are sentences; only words are put in lower case, never names or paths."""
    first = reason.partition(" ")[0]
    plain = reason[0].lower() + reason[1:] if first.isalpha() and first.istitle() else reason
    return f"Not run: {what}, because {plain}"


def nothing(name: str, title: str, lines: Sequence[str]) -> ReportSection:
    """The section of a target for which no data is here."""
    return ReportSection(name, title, "\n\n".join(lines), ran=False)
