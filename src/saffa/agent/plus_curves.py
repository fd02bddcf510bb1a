"""The videos that `saffa+` learns from, as curves of relevance and place in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from saffa.agent.plus import Prior, places_in_text
from saffa.agent.plus_crops import crops
from saffa.agent.plus_memory import PERIOD
from saffa.agent.plus_moves import Curve
from saffa.agent.plus_rewards import Pay, pay_for
from saffa.alignment import Alignment
from saffa.data import msvd_clips, youcook2_narrated
from saffa.data.base import BenchmarkVideo
from saffa.encoders import load_encoder
from saffa.encoders.base import Encoder

ASSEMBLED = 120
"""Long videos put together from the clips of every fold (`plus_folds`), and from the validation clips."""
SEED = 5


@dataclass(frozen=True, eq=False)
class School:
    """Curves of one encoder, with the encoder's scale and what its relevance is worth."""

    encoder: str
    curves: tuple[Curve, ...]
    prior: Prior
    pay: Pay


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


def school_of(encoder: str, curves: Sequence[Curve], videos: Sequence[BenchmarkVideo]) -> School:
    """With the scale of all these curves, and their worth by the steps of the videos that they are of."""
    return School(encoder, tuple(curves), prior_of(curves), pay_for(curves, [video.steps for video in videos]))


def schools(data: Path, kept: Path) -> Iterator[School]:
    """The training videos of youcook2-narrated and parts of them, and long videos assembled from msvd's clips.

    The clips are those of training and validation. What judges the training clips is fitted without them; these
    encoders are written to `kept`. Needs PyTorch.
    """
    from saffa.agent.plus_folds import crossed  # noqa: PLC0415

    narrated, whole = load_encoder("narrated"), youcook2_narrated.load(data, "training")
    own = school_of("narrated", curves_of(narrated, whole), whole)
    parts = curves_of(narrated, list(crops(narrated, whole, SEED)))
    yield replace(own, curves=(*own.curves, *parts))
    clips = list(msvd_clips.assemble(data, "val", ASSEMBLED, SEED))
    msvd = curves_of(load_encoder("msvd-plus"), clips)
    for encoder, videos in crossed(data, kept, ASSEMBLED, SEED):
        msvd += curves_of(encoder, videos)
        clips += videos
    yield school_of("msvd-plus", msvd, clips)
