"""More narrated videos from the same recordings: parts of them, with sentences and lines left out.

A hundred-odd videos are learned by heart before they are understood: the agent kept .92 of the planner's relevance on
videos it had learned from and .87 on others. Each part has another length, place, text and course of relevance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.narration import Narration
from saffa.core.video import Cue
from saffa.encoders.base import Encoder
from saffa.research.datasets.base import BenchmarkVideo

CROPS = 6
"""Tries for each video."""
SHORTEST = 0.45
"""Part of the video that is left at least."""
WHOLE = 0.25
"""How often all of it is left, and only words are missing."""
UNTOLD = 0.1
"""Chance of a sentence to be left out."""
UNHEARD = 0.25
"""At most this part of the lines is left out."""
FEWEST_SENTENCES, FEWEST_LINES = 2, 5


def crops(encoder: Encoder, videos: Sequence[BenchmarkVideo], seed: int) -> Iterator[BenchmarkVideo]:
    """Parts of every video. Which sentences belong to a part is the encoder's opinion, not the annotators'."""
    random = np.random.default_rng(seed)
    for video in videos:
        alignment = encoder.encode(video, video.document, video.narration)
        for _ in range(CROPS):
            part = crop(video, alignment, random)
            if part is not None:
                yield part


def crop(video: BenchmarkVideo, alignment: Alignment, random: np.random.Generator) -> BenchmarkVideo | None:
    """A part drawn at random; None if too little text or speech falls into it."""
    seconds = float(video.frames / video.rate)
    length = seconds * (1.0 if random.random() < WHOLE else random.uniform(SHORTEST, 1.0))
    start = random.uniform(0.0, seconds - length)
    inside = (alignment.times >= start) & (alignment.times <= start + length)
    told = np.asarray(alignment.sentence_weights * alignment.relevance[:, None], np.float64)
    shares = told[inside].sum(0) / np.maximum(told.sum(0), 1e-9)
    kept = [i for i, share in enumerate(shares) if share > 0.5 and random.random() >= UNTOLD]
    lines = video.narration.cues if video.narration else ()
    unheard = random.uniform(0.0, UNHEARD)
    heard = [c for c in lines if c.end > start and c.start < start + length and random.random() >= unheard]
    if len(kept) < FEWEST_SENTENCES or len(heard) < FEWEST_LINES:
        return None
    first, last = int(start * video.rate), int((start + length) * video.rate)
    cut = Fraction(first) / video.rate
    return replace(
        video,
        frames=last - first,
        document=Document(tuple(video.document.sentences[i] for i in kept)),
        narration=Narration(tuple(Cue(max(c.start - cut, Fraction(0)), c.end - cut, c.text) for c in heard)),
        steps=tuple((max(a, first) - first, min(b, last) - first) for a, b in video.steps if b > first and a < last),
    )
