"""A benchmark's videos with a label for every frame: what supervised methods learn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.research.datasets.store import AlignmentStore, StoredEncoder, axis_of
from saffa.research.evaluation.benchmarks import encoder_for, load_videos
from saffa.research.evaluation.metrics import truth_of
from saffa.research.training.ffnet import LabelledVideo


@dataclass(frozen=True)
class Labelled:
    """Videos, and the name of the encoder whose e_v they show."""

    videos: tuple[LabelledVideo, ...]
    encoder: str
    left_out: str = ""
    """How many of the split are missing or damaged, for people; empty if none is."""


def labelled_videos(
    benchmark: str,
    data: Path,
    split: str,
    encoder: str = "auto",
    progress: Callable[[float], None] = lambda _: None,
    *,
    domain: str | None = None,
    store: Path | None = None,
) -> Labelled:
    """Encode a split and mark the frames inside its steps; `domain` is COIN's, `store` keeps alignments."""
    found = load_videos(benchmark, data, split, encoder, domain=domain)
    sees = encoder_for(benchmark, encoder)
    if store is not None:
        sees = StoredEncoder(sees, AlignmentStore(store))
    videos, encoders = [], set[str]()
    for done, video in enumerate(found.videos):
        alignment = sees.encode(axis_of(video), video.document, video.narration)
        videos.append(labelled(alignment, truth_of(video.steps, video.frames)))
        encoders.add(alignment.encoder)
        progress((done + 1) / len(found.videos))
    if len(encoders) > 1:
        raise InputError(f"The videos were read by several encoders ({', '.join(sorted(encoders))}). Name one.")
    return Labelled(tuple(videos), encoders.pop(), found.summary())


def labelled(alignment: Alignment, truth: NDArray[np.bool_]) -> LabelledVideo:
    """Neighbouring grid times that look the same become one row: memory, with a grid as fine as the frames."""
    return LabelledVideo(*alignment.held_features(), truth)
