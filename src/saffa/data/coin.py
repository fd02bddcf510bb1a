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

from saffa.data.annotations import (
    AnnotatedVideo,
    Entry,
    first_file,
    positive,
    positive_or_none,
    read_entries,
    segments,
    sentences,
    steps_of,
    text,
)
from saffa.data.spreadsheet import read_spreadsheet
from saffa.errors import InputError

FOLDER = "coin"
PUBLISHED, COMPACT = "COIN.json", "coin.json"
SPLITS = {"train": "training", "training": "training", "test": "testing", "testing": "testing"}
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
DROPPED = ("Nursing and Care", "Leisure and Performance")


def load(folder: Path) -> list[AnnotatedVideo]:
    """All videos, those of the dropped domains too; `group` is the domain."""
    path = first_file(folder / FOLDER, (PUBLISHED, COMPACT), "annotation file of COIN")
    entries, published = read_entries(path)
    if not published:
        return [_compact(Entry(path, key, data), key) for key, data in entries.items()]
    taxonomy = first_file(folder / FOLDER, ("taxonomy.xlsx", "taxonomy.csv"), "taxonomy of COIN")
    domains = read_taxonomy(taxonomy)
    return [_published(Entry(path, key, data), key, domains, taxonomy) for key, data in entries.items()]


def split_of(name: str) -> str:
    """The subset of a `--split`."""
    if name not in SPLITS:
        raise InputError(f"coin has the splits training and testing, not {name!r}.")
    return SPLITS[name]


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
    if domain is not None:
        return [video for video in videos if video.group == domain_of(domain)]
    return [video for video in videos if video.group not in DROPPED]


def read_taxonomy(path: Path) -> dict[str, str]:
    """Target → domain."""
    if path.suffix == ".xlsx":
        rows = read_spreadsheet(path)
    else:
        try:
            with path.open(newline="", encoding="utf-8-sig") as file:
                rows = list(csv.reader(file))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"Cannot read {path}: {error}.") from None
    head = next((i for i, row in enumerate(rows) if {"Domains", "Targets"} <= set(row)), None)
    if head is None:
        raise InputError(f"{path} has no columns Domains and Targets.")
    left, right = rows[head].index("Domains"), rows[head].index("Targets")
    found: dict[str, str] = {}
    domain = ""
    for row in rows[head + 1 :]:
        domain = (row[left].strip() if left < len(row) else "") or domain  # merged cells: a name counts until the next
        if right < len(row) and row[right].strip():
            found[row[right].strip()] = domain
    return found


def _published(entry: Entry, key: str, domains: dict[str, str], taxonomy: Path) -> AnnotatedVideo:
    target = entry.read("class", text)
    if target not in domains:
        raise entry.wrong("class", f"{target!r} is no target of {taxonomy}")
    places, lines = entry.read("annotation", lambda steps: steps_of(steps, "label"))
    return AnnotatedVideo(
        id=key,
        subset=_subset(entry, "subset"),
        group=domains[target],
        task=target,
        duration=entry.read("duration", positive),
        segments=places,
        sentences=lines,
    )


def _compact(entry: Entry, key: str) -> AnnotatedVideo:
    places, lines = entry.read("segments", segments), entry.read("sentences", sentences)
    if len(places) != len(lines):
        raise entry.wrong("sentences", f"{len(lines)} sentences for {len(places)} segments")
    frames = entry.read("frames", positive_or_none)
    domain = entry.read("domain", text)
    if domain not in DOMAINS.values():
        raise entry.wrong("domain", f"{domain!r} is no domain of COIN")
    return AnnotatedVideo(
        id=key,
        subset=_subset(entry, "official_subset"),
        group=domain,
        task=entry.read("task", text),
        duration=entry.read("duration", positive),
        segments=places,
        sentences=lines,
        frames=None if frames is None else int(frames),
        rate=entry.read("fps", positive_or_none),
    )


def _subset(entry: Entry, field: str) -> str:
    subset = entry.read(field, text)
    if subset not in SUBSETS:
        raise entry.wrong(field, f"{subset!r} is none of {', '.join(SUBSETS)}")
    return subset
