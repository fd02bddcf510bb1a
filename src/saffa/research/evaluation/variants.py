"""A method on a bench may have several trained agents, one per seed: find them all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saffa.core.whole_file import file_sha256
from saffa.methods.base import Sampler, Settings
from saffa.methods.paper.compact import NAME
from saffa.methods.registry import load_sampler
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.score import sampler_for
from saffa.storage.models import MANIFEST, RUN_AGENT, shipped_models

SEEDED = ("saffa-published", "sff-rl", "ffnet", "saffa")
"""Methods that come with trained weights."""


@dataclass(frozen=True, eq=False)
class Variant:
    """A method ready to run. `weights` is a hash of what it learned, empty if it learns nothing."""

    method: str
    sampler: Sampler
    seed: int | None = None
    agent: str = ""
    weights: str = ""
    alias: str = ""
    folder: Path | None = None
    """Folder of its weights and their manifest."""

    @property
    def name(self) -> str:
        """The variant's name in file names."""
        return self.alias or (self.method if self.seed is None else f"{self.method}-seed{self.seed}")


def variants(method: str, bench: Bench, agents: Path) -> list[Variant]:
    """One per trained agent (in `agents/SHORT/METHOD-N`, else shipped), or one for a method that needs none.

    Agents that come with saffa are `models/METHOD-SHORT` and, of further seeds, `METHOD-SHORT-N` (saffa as published:
    `saffa-SHORT`); the compact agent is one for all benches.
    """
    if method not in SEEDED:
        return [Variant(method, sampler_for(method))]
    base = NAME if method == "saffa" else f"{method.removesuffix('-published')}-{bench.short}"
    runs = {_number(run.name.removeprefix(method)): run for run in (agents / bench.short).glob(f"{method}-[0-9]*")}
    own = {seed: run / RUN_AGENT for seed, run in runs.items() if (run / RUN_AGENT / MANIFEST).is_file()}
    shipped = (*shipped_models(base), *shipped_models(f"{base}-[0-9]*"))
    found = own or {_number(model.name.removeprefix(base)): model.path for model in shipped}
    return [agent_variant(method, seed, path) for seed, path in sorted(found.items())]


def agent_variant(method: str, seed: int, path: Path, name: str = "") -> Variant:
    """A method with the agent in a model folder."""
    files = sorted(file for file in path.iterdir() if file.is_file())
    weights = hashlib.sha256("".join(file_sha256(file) for file in files).encode()).hexdigest()
    sampler = load_sampler(method, Settings(agent=str(path)))
    return Variant(method, sampler, seed, path.name, weights, name, path)


def _number(rest: str) -> int:
    """`-2` → 2; the one without a number is seed 0."""
    digits = rest.lstrip("-")
    return int(digits) if digits.isdigit() else 0


Facts = Mapping[str, Any]


def facts_of(folder: Path) -> Facts:
    """The manifest of a model folder."""
    facts: Facts = json.loads((folder / MANIFEST).read_text("utf-8"))
    return facts


def all_facts(found: Sequence[Variant]) -> list[Facts]:
    """Manifests of the agents that learned something."""
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
    """Epochs of an agent (one that was taken before the end: as many as it had), batches of FFNet."""
    training = facts.get("training", {})
    epochs = training.get("epochs", training.get("settings", {}).get("epochs"))
    if epochs is not None:
        return f"{epochs} epochs"
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
