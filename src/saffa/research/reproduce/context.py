"""What every target shares: the data, the kept runs, and which methods can run where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path

import numpy as np

from saffa.core.errors import SaffaError
from saffa.core.types import Progress
from saffa.methods.paper.embedding_track import Track
from saffa.methods.registry import methods as known_methods
from saffa.pipeline.engine import Engine, InThisProcess
from saffa.research.evaluation.kept_runs import JoinedRun, Run, RunStore
from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.protocol import (
    COIN,
    MSVD_LONG,
    NARRATED,
    PAPER_EYES,
    YOUCOOK2,
    Bench,
    Material,
    with_videos,
)
from saffa.research.evaluation.score import METHODS
from saffa.research.evaluation.variants import seeds, variants
from saffa.research.reproduce.section import not_run
from saffa.storage.models import research_hint

SPEEDS = tuple(range(2, 21))
"""Targets of the paper's figure of speed errors."""
SLOW = ("sas", "sasv2", "bot", "non-rl")
"""Baselines that take minutes per speed are measured at fewer of them."""
BLIND = ("uniform", "oracle")


@dataclass(frozen=True)
class Measured:
    """A method on a bench at a speed, one run per seed; without runs the reason stands in `absent`."""

    method: str
    runs: tuple[Run, ...] = ()
    absent: str = ""
    seeds: str = "–"
    """Seeds of its agents, as tables tell them."""

    def per_video(self) -> dict[str, Scores]:
        """Scores of each video, averaged over the seeds."""
        videos = self.runs[0].per_video
        return {video: _mean([run.per_video[video] for run in self.runs]) for video in videos}


@dataclass(frozen=True, eq=False)
class Context:
    """Data, choices and kept results of one call of `saffa reproduce`."""

    data: Path
    out: Path
    methods: tuple[str, ...] = METHODS
    speeds: tuple[int, ...] = SPEEDS
    few_speeds: tuple[int, ...] = SPEEDS
    """Those at which slow baselines are measured."""
    benches: tuple[Bench, ...] = (NARRATED, MSVD_LONG)
    """Those that were asked for."""
    named: bool = False
    """Whether the user named them: then each of them must be here."""
    encoder: str = "auto"
    """For datasets whose video files are here."""
    store: Path | None = None
    epochs: int = 0
    """How long agents that are missing are trained; 0: not at all."""
    seeds: int = 3
    videos: int = 200
    """Training videos used at most for that."""
    engine: Engine = field(default_factory=InThisProcess)
    """What scores the videos of a run."""
    progress: Progress = lambda _stage, _share: None
    note: Callable[[str], None] = lambda _: None
    tracks: dict[str, list[Track]] = field(default_factory=dict, repr=False)
    """Training videos as agents see them, by bench; filled when something is trained."""
    _materials: dict[tuple[str, str, str | None, str, bool], Material] = field(default_factory=dict, repr=False)

    @property
    def agents(self) -> Path:
        """Where agents trained by this command are."""
        return self.out / "agents"

    @property
    def all_benches(self) -> tuple[Bench, ...]:
        """The benches asked for, and msvd-long seen through the paper's encoders."""
        return (*self.benches, *(PAPER_EYES if MSVD_LONG in self.benches else ()))

    @property
    def youcook2_files(self) -> tuple[Bench, ...]:
        """YouCook2 where its videos are here and no others are named, else nothing."""
        return () if self.named else with_videos(YOUCOOK2, self.data, self.encoder)

    @property
    def coin_files(self) -> tuple[Bench, ...]:
        """COIN, a bench per domain, where its videos are here and no others are named."""
        return () if self.named else with_videos(COIN, self.data, self.encoder)

    @property
    def whole_benches(self) -> tuple[Bench, ...]:
        """Benches that have more than annotations."""
        return (*self.benches, *self.youcook2_files)

    def here(self, benches: Sequence[Bench]) -> tuple[list[Bench], list[str]]:
        """The benches that can be used, and lines that say why others cannot; an InputError for one that was named."""
        usable: list[Bench] = []
        reasons: dict[str, list[str]] = {}
        for bench in benches:
            try:
                self.material(bench).found  # noqa: B018 – loads it
                usable.append(bench)
            except SaffaError as error:
                if self.named and bench in self.all_benches:
                    raise
                files = " from its video files" if bench.from_files else ""
                reasons.setdefault(str(error), []).append(f"{bench.label}{files}")
        lines = [not_run("; ".join(labels), reason) for reason, labels in reasons.items()]
        for line in lines:
            self.note(line)
        return usable, lines

    def methods_of(self, bench: Bench) -> tuple[str, ...]:
        """The methods asked for that are of interest on a bench."""
        return tuple(one for one in self.methods if bench.methods is None or one in bench.methods)

    def material(self, bench: Bench) -> Material:
        """Loaded once."""
        key = bench.name, bench.split, bench.domain, bench.encoder, bench.wrong_texts
        if key not in self._materials:
            self._materials[key] = Material(bench, self.data, None if bench.blind else self.store)
        return self._materials[key]

    def measure(self, bench: Bench, speed: float, methods: Sequence[str] | None = None) -> list[Measured]:
        """Every method, in the order of the registry; those that cannot run keep their place and the reason."""
        return [
            self._measure(bench, speed, method) for method in (self.methods_of(bench) if methods is None else methods)
        ]

    def _measure(self, bench: Bench, speed: float, method: str) -> Measured:
        if bench.blind and method not in BLIND:
            return Measured(method, absent="needs the videos themselves, which are not here")
        try:
            chosen = variants(method, bench, self.agents)
            if not chosen:
                return Measured(method, absent=untrained(method, bench))
            material, store = self.material(bench), RunStore(self.out / "runs", self.engine)
            runs = tuple(store.perform(material, one, speed, self.progress) for one in chosen)
            return Measured(method, runs, seeds=seeds(chosen))
        except (SaffaError, ImportError) as error:
            return Measured(method, absent=str(error))

    def speeds_of(self, method: str) -> tuple[int, ...]:
        """Target speeds at which a method is measured."""
        return self.few_speeds if method in SLOW else self.speeds


def untrained(method: str, bench: Bench) -> str:
    """Why a method that learns cannot run."""
    command = "ffnet" if method == "ffnet" else "agent"
    return f"no trained agent for {bench.key} ({method}-{bench.short}, or `saffa train {command}`).{research_hint()}"


def _mean(scores: Sequence[Scores]) -> Scores:
    columns = [astuple(s) for s in scores]
    return Scores(*(float(value) for value in np.mean(columns, axis=0)))


OWN = {
    "middle": "Middle (no text)",
    "plan": "Planner (balance 0)",
    "plan-balanced": "Planner (default)",
    "oracle": "Oracle (true steps)",
}
WATCHING = {"sas": "SAS (image classifier for YOLO)", "sasv2": "SASv2 (image classifier for YOLO)"}
"""On video files the descriptor is that of pictures; other names are for features (docs/method/baselines.md)."""


def label(method: str, bench: Bench | None = None, *, ran: bool = True) -> str:
    """A method's name in a table of this bench; one that did not run is the paper's own, without stand-ins."""
    known = known_methods()
    name = OWN.get(method) or (known[method].label if method in known else method)
    if bench is not None and bench.from_files:
        name = WATCHING.get(method, name)
    return name if ran or method not in SLOW else name.partition(" (")[0]


def absences(measured: Sequence[Measured]) -> str:
    """A line for each method that could not run."""
    return "\n".join(f"- {label(one.method)}: not run, {one.absent.rstrip('.')}." for one in measured if one.absent)


GUIDE = "ffnet"


@dataclass(frozen=True)
class Domains:
    """Each domain at its target speed with its methods, and all of them as one bench."""

    parts: tuple[tuple[Bench, list[Measured]], ...]
    whole: Bench
    joined: tuple[Measured, ...]


def by_domain(context: Context, benches: Sequence[Bench], measure: Callable[[Bench], list[Measured]]) -> Domains:
    """At least one domain. The target of the whole is the mean over the videos of theirs."""
    parts = []
    together: dict[str, list[Measured]] = {}
    speeds: list[float] = []
    for bench in benches:
        own = guided(context, bench)
        measured = measure(own)
        parts.append((own, measured))
        speeds += [own.speed] * len(context.material(own).videos)
        for one in measured:
            together.setdefault(one.method, []).append(one)
    whole = replace(benches[0], speed=float(np.mean(speeds)), domain=None, short=benches[0].name)
    joined = tuple(_joined(method, found, whole.speed) for method, found in together.items())
    return Domains(tuple(parts), whole, joined)


def guided(context: Context, bench: Bench) -> Bench:
    """The bench at FFNet's mean output speed, rounded, whether or not FFNet has a row; as it is where none is trained.

    The target must not depend on which methods somebody wants to see.
    """
    (guide,) = context.measure(bench, bench.speed, (GUIDE,))
    if not guide.runs:
        return bench
    return replace(bench, speed=max(1, round(float(np.mean([run.row.os for run in guide.runs])))))


def _joined(method: str, parts: Sequence[Measured], speed: float) -> Measured:
    """One run over the videos of all domains, with as many seeds as every domain has; absent if a domain lacks it."""
    lacking = [part.absent for part in parts if part.absent]
    if lacking:
        return Measured(method, absent=lacking[0])
    least = min(parts, key=lambda part: len(part.runs))
    runs = [JoinedRun.of([part.runs[seed] for part in parts], speed) for seed in range(len(least.runs))]
    return Measured(method, tuple(runs), seeds=least.seeds)
