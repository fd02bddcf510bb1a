"""COIN from its owners' files: `DIR/coin/` with

COIN.json                        steps, labels, subsets
taxonomy.xlsx or taxonomy.csv    which target belongs to which domain (columns Domains, Targets)
videos in any folder below, named ID.mp4, .mkv, .webm, …

or with the compact `coin.json`, which has all of this in one file.

The paper's protocol: one agent per domain, subsets training and testing; two domains are left out because FFNet, whose
speed is the target there, does not accelerate them (paper §4.3).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from saffa.core.errors import InputError
from saffa.research.datasets.dataset import (
    AnnotatedVideo,
    compact_video,
    first_file,
    published_steps,
    read_entries,
    subset_of,
)
from saffa.research.datasets.entry import Entry, positive, text

FOLDER = "coin"
PUBLISHED, COMPACT = "COIN.json", "coin.json"
SUBSETS = ("training", "testing")
DOMAINS = {
    "NC": "Nursing and Care",
    "V": "Vehicle",
    "LP": "Leisure and Performance",
    "G": "Gadgets",
    "EA": "Electrical Appliance",
    "FD": "Furniture and Decoration",
    "SC": "Science and Craft",
    "PF": "Pets and Fruit",
    "DS": "Drink and Snack",
    "D": "Dish",
    "S": "Sport",
    "H": "Housework",
}
LARGEST_TABLE = 1 << 26
"""Bytes that a taxonomy may unpack to."""
DROPPED = ("Nursing and Care", "Leisure and Performance")


def load(folder: Path) -> list[AnnotatedVideo]:
    """All videos, those of the dropped domains too; `group` is the domain."""
    path = first_file(folder / FOLDER, (PUBLISHED, COMPACT), "annotation file of COIN")
    entries, published = read_entries(path)
    if not published:
        return [_compact(entry) for entry in entries]
    taxonomy = first_file(folder / FOLDER, ("taxonomy.xlsx", "taxonomy.csv"), "taxonomy of COIN")
    domains = read_taxonomy(taxonomy)
    return [_published(entry, domains, taxonomy) for entry in entries]


def domain_of(name: str) -> str:
    """A domain by its code or name."""
    names = {known.lower(): known for known in DOMAINS.values()}
    found = DOMAINS.get(name.upper()) or names.get(name.lower())
    if found is None:
        listed = ", ".join(f"{code} ({domain})" for code, domain in DOMAINS.items())
        raise InputError(f"COIN has no domain {name!r}. Use one of: {listed}.")
    return found


def in_protocol(videos: Sequence[AnnotatedVideo], domain: str | None = None) -> list[AnnotatedVideo]:
    """Videos of a domain; without one, of all domains that the paper evaluates."""
    if domain is None:
        return [video for video in videos if video.group not in DROPPED]
    wanted = domain_of(domain)
    return [video for video in videos if video.group == wanted]


def read_taxonomy(path: Path) -> dict[str, str]:
    """Target → domain, from the sheet that has both; the owners' file has another one with the steps of the targets."""
    sheets = _sheets(path) if path.suffix == ".xlsx" else [_table(path)]
    for rows in sheets:
        head = next((i for i, row in enumerate(rows) if {"Domains", "Targets"} <= set(row)), None)
        if head is not None:
            return _domains(path, rows[head], rows[head + 1 :])
    raise InputError(f"{path} has no columns Domains and Targets.")


def _sheets(path: Path) -> list[list[list[str]]]:
    """The cells of every sheet of a spreadsheet as text; empty ones are ''."""
    try:
        from openpyxl import load_workbook  # noqa: PLC0415 – only for owners of COIN
    except ImportError:
        raise InputError(f"Reading {path} needs openpyxl: pip install 'saffa[report]', or save it as .csv.") from None
    try:
        with ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > LARGEST_TABLE:
                raise InputError(f"{path} is too large for a taxonomy; is it the right file?")
        book = load_workbook(path, read_only=True, data_only=True)
        rows = [sheet.iter_rows(values_only=True) for sheet in book.worksheets]
        return [[["" if cell is None else str(cell) for cell in row] for row in sheet] for sheet in rows]
    except (OSError, BadZipFile, KeyError, IndexError, ValueError, TypeError, ParseError) as error:
        raise InputError(f"{path} is not a readable .xlsx file ({error}).") from None


def _table(path: Path) -> list[list[str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None


def _domains(path: Path, head: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, str]:
    left, right = head.index("Domains"), head.index("Targets")
    found: dict[str, str] = {}
    domain = ""
    for row in rows:
        domain = (row[left].strip() if left < len(row) else "") or domain  # merged cells: a name counts until the next
        target = row[right].strip() if right < len(row) else ""
        if target and domain not in DOMAINS.values():
            raise InputError(f"{path}: target {target}: column 'Domains' has {domain!r}, which is no domain of COIN.")
        if target:
            found[target] = domain
    return found


def _published(entry: Entry, domains: dict[str, str], taxonomy: Path) -> AnnotatedVideo:
    target = entry.read("class", text)
    if target not in domains:
        raise entry.wrong("class", f"{target!r} is no target of {taxonomy}")
    places, lines = published_steps(entry, "annotation", "label")
    return AnnotatedVideo(
        id=entry.video,
        subset=subset_of(entry, "subset", SUBSETS),
        group=domains[target],
        task=target,
        duration=entry.read("duration", positive),
        segments=places,
        sentences=lines,
    )


def _compact(entry: Entry) -> AnnotatedVideo:
    domain = entry.read("domain", text)
    if domain not in DOMAINS.values():
        raise entry.wrong("domain", f"{domain!r} is no domain of COIN")
    return compact_video(entry, subset_of(entry, "official_subset", SUBSETS), domain, entry.read("task", text))
