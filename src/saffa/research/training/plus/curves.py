"""The videos that `saffa+` learns from, as curves of relevance and place in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.encoders.base import Encoder
from saffa.encoders.registry import load_encoder
from saffa.methods.plus.memory import PERIOD
from saffa.methods.plus.moves import Curve
from saffa.methods.plus.plus import Prior, places_in_text
from saffa.research.datasets import msvd_long
from saffa.research.datasets import narrated as youcook2_narrated
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.plus.crops import crops
from saffa.research.training.plus.rewards import Chance, Enough, Reward

ASSEMBLED = 120
"""Long videos put together from the clips of every fold (`plus_folds`), and from the validation clips."""
SEED = 5


@dataclass(frozen=True, eq=False)
class School:
    """Curves of one encoder, with the encoder's scale and what the frames are worth."""

    encoder: str
    curves: tuple[Curve, ...]
    prior: Prior
    reward: Reward = field(default_factory=Enough)


def curve_of(alignment: Alignment) -> Curve:
    """What the agent reads of an Alignment."""
    sentences = len(alignment.document)
    return Curve(
        alignment.times.astype(np.float64),
        alignment.relevance.astype(np.float64),
        np.asarray(alignment.sentence_weights @ places_in_text(sentences), np.float64),
        sentences,
        alignment.frames,
        float(alignment.rate),
    )


def prior_of(curves: Sequence[Curve]) -> Prior:
    """Scale of an encoder."""
    values = [np.interp(np.arange(0, c.frames / c.rate, PERIOD), c.times, c.relevance) for c in curves]
    every = np.concatenate(values)
    return Prior(float(every.mean()), float(every.std()))


def curves_of(encoder: Encoder, videos: Sequence[BenchmarkVideo]) -> list[Curve]:
    """Encode the videos; only their curves are kept."""
    return [curve_of(encoder.encode(v, v.document, v.narration)) for v in videos]


def school_of(encoder: str, curves: Sequence[Curve]) -> School:
    """With the scale of all these curves."""
    return School(encoder, tuple(curves), prior_of(curves))


def schools(data: Path, kept: Path) -> Iterator[School]:
    """The training videos of youcook2-narrated, and long videos assembled from training and validation clips of msvd.

    What judges the training clips is fitted without them; these encoders are written to `kept`. Needs PyTorch.
    """
    from saffa.research.training.saffa.cross_fitting import crossed  # noqa: PLC0415

    yield school_of("narrated", curves_of(load_encoder("narrated"), youcook2_narrated.load(data, "training")))
    msvd = curves_of(load_encoder("msvd-plus"), msvd_long.assemble(data, "val", ASSEMBLED, SEED))
    for encoder, videos in crossed(data, kept, ASSEMBLED, SEED):
        msvd += curves_of(encoder, videos)
    yield school_of("msvd-plus", msvd)


def narrated_school(videos: Sequence[BenchmarkVideo]) -> School:
    """Narrated videos and parts of them. Relevance of `narrated` is the chance of a step."""
    encoder = load_encoder("narrated")
    whole = curves_of(encoder, videos)
    parts = curves_of(encoder, list(crops(encoder, videos, SEED)))
    prior = prior_of(whole)
    return School(encoder.name, (*whole, *parts), prior, Chance.of_scale(prior))
