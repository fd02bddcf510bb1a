"""The cells of an .xlsx file as text: enough for a published table, without a library for office files."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from saffa.core.errors import InputError

_CELL = re.compile(r"([A-Z]+)\d+")


def read_spreadsheet(path: Path) -> list[list[list[str]]]:
    """The rows of every sheet; empty cells are ''."""
    try:
        with ZipFile(path) as archive:
            names = sorted(n for n in archive.namelist() if re.fullmatch(r"xl/worksheets/[^/]+\.xml", n))
            shared = (
                _shared(archive.read("xl/sharedStrings.xml")) if "xl/sharedStrings.xml" in archive.namelist() else []
            )
            return [_rows(archive.read(name), shared) for name in names]
    except FileNotFoundError:
        raise InputError(f"There is no {path}.") from None
    except (OSError, BadZipFile, KeyError, IndexError, ValueError, ElementTree.ParseError) as error:
        raise InputError(f"{path} is not a readable .xlsx file ({error}).") from None


def _shared(data: bytes) -> list[str]:
    """The file's table of strings, which cells refer to by number."""
    return ["".join(part.text or "" for part in item.iter() if _tag(part) == "t") for item in _parse(data)]


def _rows(data: bytes, shared: list[str]) -> list[list[str]]:
    rows = []
    for row in (element for element in _parse(data).iter() if _tag(element) == "row"):
        cells: list[str] = []
        for cell in row:
            place = _column(cell.get("r", ""), len(cells))
            cells.extend([""] * (place - len(cells)))
            cells.append(_value(cell, shared))
        rows.append(cells)
    return rows


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    content = "".join(part.text or "" for part in cell.iter() if _tag(part) in ("v", "t"))
    return shared[int(content)] if cell.get("t") == "s" else content


def _column(reference: str, after: int) -> int:
    """A1 → 0, AB7 → 27; cells without a reference follow the one before."""
    match = _CELL.fullmatch(reference)
    if match is None:
        return after
    number = 0
    for letter in match[1]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _parse(data: bytes) -> ElementTree.Element:
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:  # office files have none; entities could grow without bound
        raise ValueError("it declares entities")
    return ElementTree.fromstring(data)


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rsplit("}", 1)[-1]
