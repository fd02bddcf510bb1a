"""Run a named benchmark from its data folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from saffa.core.errors import InputError
from saffa.core.selection import check_speed
from saffa.core.types import Share
from saffa.methods.base import Sampler, Settings
from saffa.methods.registry import load_sampler
from saffa.methods.registry import methods as all_methods
from saffa.pipeline.engine import Engine
from saffa.research.datasets.registry import Dataset, WantedVideos, encoder_name, find_dataset, load_videos
from saffa.research.datasets.store import NamedEncoder
from saffa.research.evaluation.score import Report, evaluate, sampler_for
from saffa.research.evaluation.texts import with_texts


def run_benchmark(
    benchmark: str | Dataset,
    wanted: WantedVideos,
    speed: float,
    methods: Sequence[str],
    *,
    encoder: str = "auto",
    texts: str = "whole",
    wrong_texts: bool = False,
    auc: bool = False,
    store: Path | None = None,
    agent: str | None = None,
    engine: Engine | None = None,
    progress: Share = lambda _: None,
) -> Report:
    """Load the videos, score the methods.

    `texts` gives each video some of its steps as text and truth, `wrong_texts` the text of another. `auc` adds the
    frame AUC, `store` is a folder of alignments that `saffa data extract` made, `agent` one in place of those that come
    with saffa, `engine` what does the work.
    """
    if not methods:
        raise InputError("--methods names no method.")
    if encoder == "none":
        _check_blind(methods)
    if wanted.shuffled_documents + wrong_texts + wanted.other_half > 1:
        raise InputError("Choose one of --shuffled-documents, --wrong-texts and --other-half.")
    found = load_videos(benchmark, replace(wanted, blind=encoder == "none"))
    videos = with_texts(found.videos, texts, wrong=wrong_texts)
    named = NamedEncoder(encoder_name(benchmark, encoder), store)
    named.load()  # what is wrong with it is said before any work
    samplers = {method: _sampler(method, agent) for method in methods}
    rows, scores = evaluate(
        videos, named, methods, check_speed(speed), progress, auc=auc, samplers=samplers, engine=engine
    )
    return Report(
        find_dataset(benchmark).name, wanted.split, speed, rows, scores, len(found.missing), dict(found.damaged)
    )


def _sampler(method: str, agent: str | None) -> Sampler:
    known = all_methods()
    if agent is None or method not in known or "agent" not in known[method].uses:
        return sampler_for(method)
    return load_sampler(method, Settings(agent=agent))


def _check_blind(methods: Sequence[str]) -> None:
    for method in methods:
        if method != "oracle" and sampler_for(method).reads_text:
            raise InputError(f"The method {method} needs an encoder; --encoder none is for uniform and oracle.")
