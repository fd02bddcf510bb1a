"""Run methods over a benchmark and score them: the rows of every table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.types import Floats, Share
from saffa.encoders.base import Encoder
from saffa.encoders.narrated.encoder import middle_preference
from saffa.methods.base import Sampler, Settings, watched
from saffa.methods.registry import load_sampler
from saffa.pipeline.engine import Engine, InThisProcess, values_of
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.dataset import FileVideo
from saffa.research.datasets.store import NamedEncoder, axis_of
from saffa.research.evaluation.metrics import Scores, overall_performance, score, truth_of
from saffa.research.evaluation.roc import frame_auc, mean_area

METHODS = (
    "uniform",
    "middle",
    "ffnet",
    "sas",
    "sasv2",
    "bot",
    "non-rl",
    "sff-rl",
    "saffa-published",
    "saffa",
    "plan",
    "plan-balanced",
    "oracle",
)


@dataclass(frozen=True)
class Row:
    """One method on one benchmark; percent as in the paper, `watchable_steps` as a share."""

    method: str
    n: int
    precision: float
    recall: float
    f1: float
    os: float
    op: float
    os_abs_error: float
    watchable_steps: float
    step_hit: float
    f1_even: float
    seconds_per_video: float
    auc: float | None = None
    """Mean over videos of the frame AUC of the relevance that the method saw; only where asked for. nan (JSON: null) if
    no video has both frames of steps and others."""

    watching_per_video: float | None = None
    """Seconds in which a method looks at the pictures of video files before it samples; None without files."""

    def to_json(self) -> dict[str, Any]:
        """Plain values, without those that were not asked for or are not there."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Report:
    """All rows of a run, and the scores of every video by method and id."""

    benchmark: str
    split: str
    speed: float
    rows: tuple[Row, ...]
    per_video: dict[str, dict[str, Scores]]
    missing: int = 0
    """Videos of a dataset that are not on this machine."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Videos that are here but could not be used, with the reason."""

    def to_json(self) -> dict[str, Any]:
        """The form that `saffa evaluate --json` writes; what is missing is named only where something is."""
        facts = asdict(self) | {"rows": [row.to_json() for row in self.rows]}
        for method, videos in facts["per_video"].items():
            for video, scores in videos.items():
                own = self.per_video[method][video]
                scores["op"] = overall_performance(own.f1, own.os, self.speed)
                scores["os_abs_error"] = abs(own.os - self.speed)
        return {key: value for key, value in facts.items() if value or key not in ("missing", "skipped")}


@dataclass(frozen=True)
class Scored:
    """What one method did on one video: its scores, seconds of choosing and of looking, the frame AUC if asked for."""

    scores: Scores
    seconds: float
    looking: float
    area: float


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked about every video."""

    encoder: Encoder | NamedEncoder
    samplers: Mapping[str, Sampler]
    speed: float
    auc: bool = False


def evaluate(
    videos: Sequence[BenchmarkVideo],
    encoder: Encoder | NamedEncoder,
    methods: Sequence[str],
    speed: float,
    progress: Share = lambda _: None,
    *,
    auc: bool = False,
    samplers: Mapping[str, Sampler] | None = None,
    engine: Engine | None = None,
) -> tuple[tuple[Row, ...], dict[str, dict[str, Scores]]]:
    """Score each method on each video. Encoding is shared by the methods and counted in none of them.

    `samplers` are those of the methods if they are not the shipped ones (agents of other seeds). Engines of other
    processes need the encoder by its name; scores are the same, and times those of a busy machine.
    """
    question = Question(encoder, samplers or {method: sampler_for(method) for method in methods}, speed, auc)
    found = values_of(engine or InThisProcess(), partial(score_video, question), videos, progress)
    rows = []
    for method in methods:
        own = [one[method] for one in found]
        row = summarise(method, [one.scores for one in own], speed, sum(one.seconds for one in own) / len(own))
        if any(isinstance(video, FileVideo) for video in videos):
            row = replace(row, watching_per_video=sum(one.looking for one in own) / len(own))
        rows.append(replace(row, auc=mean_area([one.area for one in own])) if auc else row)
    by_id = {m: {video.id: one[m].scores for video, one in zip(videos, found, strict=True)} for m in methods}
    return tuple(rows), by_id


def score_video(question: Question, video: BenchmarkVideo) -> dict[str, Scored]:
    """Every method on one video."""
    axis = axis_of(video)
    encoder = question.encoder.load() if isinstance(question.encoder, NamedEncoder) else question.encoder
    alignment = encoder.encode(axis, video.document, video.narration)
    found = {}
    for method, sampler in question.samplers.items():
        seen = GUIDES[method](video) if method in GUIDES else alignment
        began = time.perf_counter()
        ready = watched(sampler, axis, video.narration)
        watching = time.perf_counter()  # as encoding, no part of sampling's time
        frames = ready.select(seen, question.speed).frames
        ended = time.perf_counter()
        area = method_auc(method, seen, video) if question.auc else nan
        own = score(frames, video, seen.sentence_at((frames / float(video.rate)).tolist()))
        found[method] = Scored(own, ended - watching, watching - began, area)
    return found


def method_auc(method: str, seen: Alignment, video: BenchmarkVideo) -> float:
    """Frame AUC of what a method is guided by; `uniform` is guided by nothing: one half."""
    truth = truth_of(video.steps, video.frames)
    return frame_auc(np.zeros(video.frames) if method == "uniform" else seen.relevance_per_frame(), truth)


def sampler_for(method: str) -> Sampler:
    """Benchmark names of methods: `plan` is the paper's objective, `plan-balanced` the default for people."""
    if method not in (*METHODS, "saffa+"):  # another name of saffa
        raise InputError(f"Unknown method {method!r}. Use some of: {', '.join(METHODS)}.")
    if method == "plan" or method in GUIDES:
        return load_sampler("plan", Settings(balance=0.0))
    return load_sampler("plan" if method == "plan-balanced" else method)


def oracle_alignment(video: BenchmarkVideo) -> Alignment:
    """Relevance = the true steps, each taken for its own sentence: the ceiling for any encoder."""
    weights = np.full((video.frames, len(video.document)), 1e-6, np.float32)
    for sentence, (start, end) in enumerate(video.steps[: len(video.document)]):
        weights[start:end, sentence] = 1
    relevance = truth_of(video.steps, video.frames).astype(np.float32)
    return _made_up(video, relevance, weights / weights.sum(1, keepdims=True), "truth")


def middle_alignment(video: BenchmarkVideo) -> Alignment:
    """Relevance = nearness to the middle of the video: a good guess that knows neither text nor speech."""
    weights = np.full((video.frames, len(video.document)), 1 / len(video.document), np.float32)
    progress = ((np.arange(video.frames) + 0.5) / video.frames).astype(np.float32)
    return _made_up(video, middle_preference(progress), weights, "middle")


def _made_up(video: BenchmarkVideo, relevance: Floats, weights: Floats, name: str) -> Alignment:
    nothing = np.zeros((video.frames, 1), np.float32)
    return Alignment(
        times=(np.arange(video.frames) / float(video.rate)).astype(np.float32),
        e_v=nothing,
        e_d=nothing,
        relevance=np.asarray(relevance, np.float32),
        sentence_weights=weights,
        document=video.document.sentences,
        frames=video.frames,
        rate=video.rate,
        encoder=name,
    )


GUIDES: dict[str, Callable[[BenchmarkVideo], Alignment]] = {"middle": middle_alignment, "oracle": oracle_alignment}
"""Rows of the planner with a relevance that no encoder gave."""


def summarise(method: str, scores: Sequence[Scores], speed: float, seconds: float) -> Row:
    """Means over the videos; OP from the means, |OS − S*| per video."""
    mean = {key: _mean([asdict(s)[key] for s in scores]) for key in asdict(scores[0])}
    op = overall_performance(mean["f1"], mean["os"], speed)
    error = float(np.mean([abs(s.os - speed) for s in scores]))
    return Row(method=method, n=len(scores), op=op, os_abs_error=error, seconds_per_video=seconds, **mean)


def _mean(values: Sequence[float]) -> float:
    """Mean over the videos that have a value; nan if none has."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan
