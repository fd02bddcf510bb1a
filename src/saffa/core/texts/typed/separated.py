"""Tables kept as text: lines of cells between semicolons, tabs, bars or commas, one column of which holds steps."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from saffa.core.texts.blocks import Block
from saffa.core.texts.headings import part_of
from saffa.core.texts.sentences import one_line

_SEPARATORS = ("\t", ";", "|", ",")
_LEAST_ROWS = 3
_LONGEST_ROW = 2_000  # characters


def separated_rows(lines: Sequence[str]) -> list[Block]:
    """The rows of a table of steps; none if the lines are no table, or if nothing tells that it holds steps."""
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) < _LEAST_ROWS or any(len(line) > _LONGEST_ROW for line in filled):
        return []
    for separator in _SEPARATORS:
        if separator not in filled[0] or separator not in filled[1]:
            continue
        bare = (line.strip("|") for line in filled) if separator == "|" else filled
        rows = [_cells(line, separator) for line in bare]
        if len({len(row) for row in rows}) == 1 and _tells_steps(rows):
            headed = not rows[0][0].isdigit()
            return [Block("row", " ".join(row), cells=row, bold=headed and n == 0) for n, row in enumerate(rows)]
    return []


def _cells(line: str, separator: str) -> tuple[str, ...]:
    return tuple(one_line(cell) for cell in next(csv.reader([line], delimiter=separator), []))


def _tells_steps(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first column counts the rows, or the header names the steps."""
    numbers = [row[0].strip(" .)") for row in rows]
    numbers = numbers if numbers[0].isdigit() else numbers[1:]
    counted = numbers == [str(number) for number in range(1, len(numbers) + 1)]
    return counted or any(part_of(cell) == "steps" for cell in rows[0])
