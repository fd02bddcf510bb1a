"""A method on a bench may have several trained agents, one per seed: find them all."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from saffa.methods.base import Sampler, Settings, load_sampler
from saffa.methods.plus.plus import PlusAgent
from saffa.methods.plus.saffa_plus import SaffaPlus
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.score import sampler_for
from saffa.storage.models import MANIFEST, RUN_AGENT, shipped_models
from saffa.storage.published_models import file_sha256

PLUS = "saffa_plus"
SEEDED = ("saffa", "sff-rl", "ffnet", "saffa+")
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
    """Of its weights and their manifest."""

    @property
    def name(self) -> str:
        """For files."""
        return self.alias or (self.method if self.seed is None else f"{self.method}-seed{self.seed}")


def variants(method: str, bench: Bench, agents: Path) -> list[Variant]:
    """One per trained agent (in `agents/SHORT/METHOD-N`, else shipped), or one for a method that needs none.

    Agents that come with saffa are `models/METHOD-SHORT` and, of further seeds, `METHOD-SHORT-N`; saffa+ is one for all
    benches, `saffa_plus` and `saffa_plus-N`.
    """
    if method not in SEEDED:
        return [Variant(method, sampler_for(method))]
    base = PLUS if method == "saffa+" else f"{method}-{bench.short}"
    runs = {_number(run.name.removeprefix(method)): run for run in (agents / bench.short).glob(f"{method}-[0-9]*")}
    own = {seed: run / RUN_AGENT for seed, run in runs.items() if (run / RUN_AGENT / MANIFEST).is_file()}
    shipped = (*shipped_models(base), *shipped_models(f"{base}-[0-9]*"))
    found = own or {_number(model.name.removeprefix(base)): model.path for model in shipped}
    return [agent_variant(method, seed, path) for seed, path in sorted(found.items())]


def agent_variant(method: str, seed: int, path: Path, name: str = "") -> Variant:
    """A method with the agent in a model folder."""
    files = sorted(file for file in path.iterdir() if file.is_file())
    weights = hashlib.sha256("".join(file_sha256(file) for file in files).encode()).hexdigest()
    if method == "saffa+":
        return Variant(method, SaffaPlus(PlusAgent.load(path)), seed, path.name, weights, folder=path)
    sampler = load_sampler(method, Settings(agent=str(path)))
    return Variant(method, sampler, seed, path.name, weights, name, path)


def _number(rest: str) -> int:
    """`-2` → 2; the one without a number is seed 0."""
    digits = rest.lstrip("-")
    return int(digits) if digits.isdigit() else 0
