"""Which shot shows which sentence, when the sentences are told in the order in which they are shown.

A hidden chain runs through the shots: background, sentence 1, background, sentence 2, … A shot shows one sentence or
none; a sentence may go on over the next shot, and may be left out, both at a price. Without evidence every shot is
about equally likely to be part of the text, so a document that has nothing to do with the video gives no preference
to any place in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ShotOrder:
    """Evidence is `sharpness` · (similarity − `threshold`), in nats against "no sentence". Tuned on msvd-long val."""

    sharpness: float = 8.0
    threshold: float = 0.1
    go_on: float = -3.0
    """Log weight of a sentence that goes on in the next shot."""
    leave_out: float = -2.0
    """Log weight of a sentence that no shot shows."""

    def posterior(self, similarity: Floats) -> Floats:
        """Probability that shot m shows sentence k, (M, K), from similarities (M, K)."""
        shots, sentences = similarity.shape
        evidence = np.zeros((shots, 2 * sentences + 1))  # even states: nothing of the text; odd: a sentence
        evidence[:, 1::2] = self.sharpness * (similarity - self.threshold)
        begin, move, end = self._chain(sentences)
        forward, backward = np.empty_like(evidence), np.empty_like(evidence)
        forward[0], backward[-1] = begin + evidence[0], end
        for m in range(1, shots):
            forward[m] = _log_sum(forward[m - 1][:, None] + move, 0) + evidence[m]
        for m in range(shots - 2, -1, -1):
            backward[m] = _log_sum(move + (evidence[m + 1] + backward[m + 1])[None], 1)
        both = forward + backward
        posterior: Floats = np.exp(both - _log_sum(both, 1)[:, None])
        return posterior[:, 1::2]

    def _chain(self, sentences: int) -> tuple[Floats, Floats, Floats]:
        """Log weights to begin in a state, to move between states (from, to), and to end in one."""
        states = 2 * sentences + 1
        told = (np.arange(states) + 1) // 2  # sentences done with when in a state
        shows = np.arange(states) % 2 == 1
        move = np.full((states, states), -np.inf)
        for i in range(states):
            move[i, i] = self.go_on if shows[i] else 0.0
            if shows[i]:
                move[i, i + 1] = 0.0
            later = np.flatnonzero(shows & (told > told[i]))
            move[i, later] = self.leave_out * (told[later] - told[i] - 1)
        begin = np.where(shows, self.leave_out * (told - 1.0), -np.inf)
        begin[0] = 0.0
        return begin, move, self.leave_out * (sentences - told.astype(np.float64))


def _log_sum(x: Floats, axis: int) -> Floats:
    most = x.max(axis, keepdims=True)
    total: Floats = (most + np.log(np.exp(x - most).sum(axis, keepdims=True))).squeeze(axis)
    return total
