"""What the manifests of trained agents tell about their training."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saffa.research.evaluation.variants import Variant
from saffa.storage.models import MANIFEST

Facts = Mapping[str, Any]


def facts_of(folder: Path) -> Facts:
    """The manifest of a model folder."""
    facts: Facts = json.loads((folder / MANIFEST).read_text("utf-8"))
    return facts


def all_facts(found: Sequence[Variant]) -> list[Facts]:
    """Of those that learned something."""
    return [facts_of(one.folder) for one in found if one.folder is not None]


def seeds(found: Sequence[Variant]) -> str:
    """How many agents; a manifest with several seeds is of one agent that is their mean. A dash without weights."""
    facts = all_facts(found)
    if not facts:
        return "–"
    members = {len(one["seed"]) for one in facts if isinstance(one.get("seed"), list)}
    if not members:
        return str(len(facts))
    ensemble = f"ensemble of {'/'.join(map(str, sorted(members)))}"
    return ensemble if len(facts) == 1 else f"{len(facts)} × {ensemble}"


def duration(facts: Facts) -> str:
    """Epochs of an agent (one that was taken before the end: as many as it had), batches of FFNet, rounds of saffa+."""
    training = facts.get("training", {})
    epochs = training.get("epochs", training.get("settings", {}).get("epochs"))
    if epochs is not None:
        return f"{epochs} epochs"
    if "course" in facts:
        own = [f"{encoder}: {_rounds(course)}" for encoder, course in facts.get("own", {}).items()]
        return f"{_rounds(facts['course'])} rounds" + (f" ({', '.join(own)})" if own else "")
    return f"{training['batches']} batches" if "batches" in training else "–"


def material(facts: Facts) -> str:
    """What the manifest says of the data, up to the first comma or semicolon, with the number of videos."""
    text = re.split(r"[,;:] ", str(facts.get("data", "training videos of the bench")))[0]
    count = facts.get("training", {}).get("videos")
    return text if count is None or re.search(r"\d+ ", text) else f"{count} {text}"


def videos(facts: Facts) -> int | None:
    """Training videos, as far as the manifest tells: as a number, or as the first word about its data."""
    count = facts.get("training", {}).get("videos")
    told = re.match(r"(\d[\d,]*) (?:\w+ )*videos\b", str(facts.get("data", "")))
    return count if count is not None else int(told[1].replace(",", "")) if told else None


def _rounds(course: Facts) -> str:
    """With hindsight, then with its own walks."""
    return f"{course.get('rounds', '–')} + {course.get('probe_rounds', '–')}"
