"""Tables as Markdown and CSV from the same cells."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saffa.core.whole_file import whole_file


@dataclass(frozen=True)
class Sheet:
    """A heading and rows of cells, already as people read them."""

    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """A pipe table; bars inside cells are escaped."""
        lines = [self.heading, ("---",) * len(self.heading), *self.rows]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

    def write_csv(self, path: Path) -> None:
        """Write the cells as CSV, whole or not at all."""
        with whole_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([self.heading, *self.rows])


def sheet(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> Sheet:
    """A sheet of lists of cells."""
    return Sheet(tuple(heading), tuple(tuple(row) for row in rows))


def number(value: float, digits: int = 2) -> str:
    """Plain; a dash where there is none."""
    return "–" if value != value else f"{value:.{digits}f}"  # noqa: PLR0124 – nan is not itself


def spread(values: Sequence[float], digits: int = 2) -> str:
    """One value as it is; several as mean ± standard deviation (n − 1)."""
    if len(values) < 2:
        return number(values[0], digits) if values else "–"
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"
