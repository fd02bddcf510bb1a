"""How likely each spoken word is while a step is shown, against ordinary talk.

While step k is shown, a word is drawn with probability MATCH near one of the words of sentence k (chance rising with
exp(SHARPNESS · cosine) in WordLlama space), else it is ordinary talk. Ordinary talk is this very narration, so a word
that is said all the time is no evidence, in any domain, and no word table is needed. Nothing here is trained; the
constants were chosen on the training videos of youcook2-narrated (docs/method/narrated.md).
"""

from __future__ import annotations

import numpy as np

from saffa.core.types import Floats, Ints
from saffa.encoders.narrated.grid import Grid, smooth
from saffa.encoders.narrated.lexicon import LAG, Lexicon
from saffa.encoders.step_hmm import STEP_SHARE
from saffa.encoders.words import unit

MATCH = 0.3
"""Share of the words in a step that echo its sentence."""
SHARPNESS = 8.0
"""How quickly that echo fades with the angle between words."""
TRUST, TRUSTED_WORDS = 0.4, 55.0
"""Neighbouring words are not independent: temper their evidence, and let a step gather no more than so many
words' worth of it, or the talk of six hours would drown the order of the steps."""
BLUR = 2.0
"""Seconds: word times inside a line are guesses."""


def word_evidence(lexicon: Lexicon, sentences: list[Ints], block: int = 1024) -> Floats:
    """Log-likelihood ratio of each word under each sentence against the narration as a whole, shape (V, N).

    `near[w, j] = exp(S cos(w, j))`, divided by its mean over the narration, tells how much likelier w is near
    document word j than anywhere. Words never said keep 0. Blocks of document words bound the memory.
    """
    evidence = np.zeros((len(lexicon.vectors), len(sentences)), np.float32)
    uttered, counts = np.unique(lexicon.said, return_counts=True)
    if not len(uttered):
        return evidence
    frequency = (counts / counts.sum()).astype(np.float32)
    directions = unit(lexicon.vectors)
    written = np.unique(np.concatenate(sentences))
    shares = word_shares(sentences, written, np.linalg.norm(lexicon.vectors, axis=1))
    echo = np.zeros((len(uttered), len(sentences)), np.float32)
    for a in range(0, len(written), block):
        near = np.exp(SHARPNESS * (directions[uttered] @ directions[written[a : a + block]].T))
        echo += (near / (frequency @ near)) @ shares[a : a + block]
    echo[:, shares.sum(0) == 0] = 1.0  # a sentence without words says nothing
    evidence[uttered] = np.log(1 - MATCH + MATCH * echo)
    return evidence


def word_shares(sentences: list[Ints], written: Ints, importance: Floats) -> Floats:
    """Weight of each distinct document word in each sentence, shape (J, N); columns sum to 1, or 0 if empty."""
    shares = np.zeros((len(written), len(sentences)), np.float32)
    for k, sentence in enumerate(sentences):
        distinct = np.unique(sentence)
        shares[np.searchsorted(written, distinct), k] = importance[distinct]
    return np.asarray(shares / np.maximum(shares.sum(0), 1e-9), np.float32)


def gathered(grid: Grid, evidence: Floats, said: Ints, times: Floats) -> Floats:
    """Evidence of the words in each cell, late by LAG, tempered and blurred, shape (T, N)."""
    words_per_step = STEP_SHARE * len(said) / evidence.shape[1]
    trust = TRUST * min(1.0, TRUSTED_WORDS / max(words_per_step, 1.0))
    cells = np.zeros((grid.cells, evidence.shape[1]), np.float32)
    place = grid.places(times + LAG)
    for a in range(0, len(said), 4096):  # in parts: words × sentences would be large
        np.add.at(cells, place[a : a + 4096], trust * evidence[said[a : a + 4096]])
    return smooth(cells, BLUR / grid.seconds)
