"""Runs that are kept: one method (of one seed) on one bench at one speed, with the scores of every video.

A run is used again only if nothing it depends on has changed: videos, encoder, weights, speed and the code of the
sampler and of the metrics. So every command can be broken off and started again, and never shows a stale number.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from saffa.core.strict_json import json_text
from saffa.core.types import Progress, Share
from saffa.core.whole_file import whole_file
from saffa.pipeline.engine import Engine, InThisProcess
from saffa.research.datasets.dataset import FileVideo
from saffa.research.datasets.registry import find_dataset
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.protocol import Material
from saffa.research.evaluation.score import Row, evaluate, summarise
from saffa.research.evaluation.variants import Variant
from saffa.storage.fingerprint import code_print


@dataclass(frozen=True)
class Run:
    """Scores by video; `sampling` is seconds per frame of the source, encoding and watching are not in it."""

    method: str
    seed: int | None
    speed: float
    per_video: dict[str, Scores]
    sampling: float
    watching: float | None = field(default=None, kw_only=True)
    """Seconds per frame of looking at pictures before sampling; None without files, or where it was not measured."""

    @property
    def row(self) -> Row:
        """Means over the videos."""
        return summarise(self.method, list(self.per_video.values()), self.speed, 0.0)


@dataclass(frozen=True)
class JoinedRun(Run):
    """Runs of several benches as one; `targets` has the speed that was wanted of each video, `speed` is their mean."""

    targets: dict[str, float]

    @classmethod
    def of(cls, runs: Sequence[Run], speed: float) -> JoinedRun:
        """Join runs of one method on several benches."""
        scores = {video: s for run in runs for video, s in run.per_video.items()}
        targets = {video: run.speed for run in runs for video in run.per_video}
        sampling = sum(run.sampling for run in runs) / len(runs)
        watching = [run.watching for run in runs if run.watching is not None]
        mean = sum(watching) / len(watching) if len(watching) == len(runs) else None
        return cls(runs[0].method, runs[0].seed, speed, scores, sampling, targets, watching=mean)

    @property
    def row(self) -> Row:
        """Means over the videos; |OS − S*| is that of each video's own target."""
        errors = [abs(scores.os - self.targets[video]) for video, scores in self.per_video.items()]
        return replace(super().row, os_abs_error=sum(errors) / len(errors))


@dataclass(frozen=True)
class RunStore:
    """Runs as JSON files in a folder."""

    folder: Path
    engine: Engine = field(default_factory=InThisProcess)

    def perform(self, material: Material, variant: Variant, speed: float, progress: Progress) -> Run:
        """The kept run if it still holds, else a new one."""
        bench = material.bench
        seen = f"-{material.encoder.name}" if find_dataset(bench.name).files or bench.eyes else ""
        place = f"{bench.name}-{bench.split}{f'-{bench.short}' if bench.domain else ''}{seen}"
        place += "-wrong-texts" if bench.wrong_texts else ""
        path = self.folder / place.replace("/", "_") / f"{variant.name}-{speed:g}.json"
        key = run_key(material, variant, speed)
        kept = _read(path, key)
        if kept is not None:
            return kept
        stage = f"{bench.key} {variant.name} {speed:g}×"
        run = _score(material, variant, speed, partial(progress, stage), self.engine)
        path.parent.mkdir(parents=True, exist_ok=True)
        facts = {"key": key, "benchmark": bench.name, "split": bench.split, "agent": variant.agent, **asdict(run)}
        with whole_file(path) as part:
            part.write_text(json_text(facts, indent=None) + "\n", "utf-8")
        return run


def run_key(material: Material, variant: Variant, speed: float) -> str:
    """Hash of everything that decides the scores."""
    files = any(isinstance(video, FileVideo) for video in material.videos)
    modules = type(variant.sampler).__module__, "saffa.research.evaluation.metrics"
    code = code_print(*modules, without="" if files else "media")
    parts = [variant.method, variant.weights, f"{speed:g}", code, material.print]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _score(material: Material, variant: Variant, speed: float, progress: Share, engine: Engine) -> Run:
    """A new run. In this process the encoder that is loaded serves all runs."""
    encoder = material.encoder if isinstance(engine, InThisProcess) else material.named_encoder
    method, videos = variant.method, material.videos
    asked = {method: variant.sampler}
    rows, scores = evaluate(videos, encoder, (method,), speed, progress, samplers=asked, engine=engine)
    row, per_frame = rows[0], len(videos) / sum(video.frames for video in videos)
    watching = None if row.watching_per_video is None else row.watching_per_video * per_frame
    return Run(method, variant.seed, speed, scores[method], row.seconds_per_video * per_frame, watching=watching)


def _read(path: Path, key: str) -> Run | None:
    try:
        facts: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if facts["key"] != key:
            return None
        scores = {video: Scores(**_numbers(values)) for video, values in facts["per_video"].items()}
        told = facts["method"], facts["seed"], facts["speed"], scores, facts["sampling"]
        return Run(*told, watching=facts.get("watching"))  # older ones do not tell
    except (OSError, ValueError, KeyError, TypeError):
        return None  # never written, or cut off


def _numbers(values: dict[str, float | None]) -> dict[str, float]:
    """JSON has null where there is no number."""
    return {key: nan if value is None else value for key, value in values.items()}


def encoding_time(material: Material, videos: int = 10) -> float:
    """Seconds per frame of the source that the bench's encoder takes, over the first videos; nothing is remembered."""
    chosen, encoder = material.videos[:videos], material.bare_encoder()
    encoder.encode(axis_of(chosen[0]), chosen[0].document, chosen[0].narration)  # loads what it needs
    began = time.perf_counter()
    for video in chosen:
        encoder.encode(axis_of(video), video.document, video.narration)
    return (time.perf_counter() - began) / sum(video.frames for video in chosen)
