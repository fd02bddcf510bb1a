"""Run a named benchmark from its data folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from saffa.core.errors import InputError
from saffa.core.selection import check_speed
from saffa.encoders.base import Encoder
from saffa.encoders.registry import load_encoder
from saffa.research.datasets import assembled, msvd_long, narrated
from saffa.research.datasets.dataset import DATASETS, Found, annotated, open_files, without_files
from saffa.research.datasets.store import AlignmentStore, StoredEncoder
from saffa.research.evaluation.score import Report, evaluate, sampler_for
from saffa.research.evaluation.texts import with_texts
from saffa.storage.cache import user_cache

BENCHMARKS = (narrated.COOKING, *narrated.OTHERS, "msvd-long", "assembled", *DATASETS)

SHIPPED_ENCODER = "msvd-plus"
"""For msvd-long, whose videos are given in a feature space of their own."""


def run_benchmark(
    benchmark: str,
    data: Path,
    split: str,
    speed: float,
    methods: Sequence[str],
    *,
    encoder: str = "auto",
    shuffled_documents: bool = False,
    texts: str = "whole",
    wrong_texts: bool = False,
    other_half: bool = False,
    auc: bool = False,
    domain: str | None = None,
    store: Path | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Report:
    """Load the videos, score the methods.

    `shuffled_documents` gives each video the text of another (msvd-long's control), `texts` some of its steps as text
    and truth, `wrong_texts` the text of another, `other_half` the steps that the text leaves out. `auc` adds the frame
    AUC, `domain` is COIN's, `store` a folder of alignments that `saffa data extract` made.
    """
    if not methods:
        raise InputError("--methods names no method.")
    if encoder == "none":
        _check_blind(methods)
    if shuffled_documents + wrong_texts + other_half > 1:
        raise InputError("Choose one of --shuffled-documents, --wrong-texts and --other-half.")
    control = {"shuffled_documents": shuffled_documents, "other_half": other_half}
    found = load_videos(benchmark, data, split, encoder, domain=domain, **control)
    videos = with_texts(found.videos, texts, wrong=wrong_texts)
    loaded = encoder_for(benchmark, encoder)
    if store is not None:
        loaded = StoredEncoder(loaded, AlignmentStore(store))
    rows, scores = evaluate(videos, loaded, methods, check_speed(speed), progress, auc=auc)
    return Report(benchmark, split, speed, rows, scores, len(found.missing), dict(found.damaged))


def load_videos(
    benchmark: str,
    data: Path,
    split: str,
    encoder: str = "auto",
    *,
    shuffled_documents: bool = False,
    other_half: bool = False,
    domain: str | None = None,
) -> Found:
    """The videos of a split that can be used, at least one."""
    if benchmark not in BENCHMARKS:
        raise InputError(f"Unknown benchmark {benchmark!r}. Use one of: {', '.join((*BENCHMARKS, 'image-text'))}.")
    if shuffled_documents and benchmark not in ("msvd-long", "assembled"):
        raise InputError("--shuffled-documents is for msvd-long and assembled only.")
    if other_half and benchmark not in narrated.OTHERS:
        raise InputError(f"--other-half is for {', '.join(narrated.OTHERS)} only.")
    if domain is not None and benchmark != "coin":
        raise InputError("--domain is for coin only.")
    if benchmark == "msvd-long":
        found = Found(tuple(msvd_long.load(data, split, shuffled_documents=shuffled_documents)))
    elif benchmark == "assembled":
        found = Found(tuple(assembled.load(data, split, shuffled_documents=shuffled_documents)))
    elif benchmark in (narrated.COOKING, *narrated.OTHERS):
        found = Found(tuple(narrated.load(data, split, benchmark, other_half=other_half)))
    else:
        entries = annotated(benchmark, data, split, domain)
        folder = data / DATASETS[benchmark]
        found = without_files(entries) if encoder == "none" else open_files(entries, folder)
    if not found.videos:
        part = "" if domain is None else f" in the domain {domain}"
        raise InputError(f"{benchmark} has no videos{part} in the split {split!r}.")
    return found


def encoder_for(benchmark: str, encoder: str, *, keep: bool = True) -> Encoder:
    """By name; `auto` on msvd-long is the encoder of its features. Without `keep` it remembers no video it has seen."""
    name = SHIPPED_ENCODER if benchmark == "msvd-long" and encoder == "auto" else encoder
    return load_encoder(name, cache=user_cache() if keep else None)


def _check_blind(methods: Sequence[str]) -> None:
    for method in methods:
        if method != "oracle" and sampler_for(method).reads_text:
            raise InputError(f"The method {method} needs an encoder; --encoder none is for uniform and oracle.")
