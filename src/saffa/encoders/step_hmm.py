"""The order of the steps: a hidden Markov chain  intro, step 1, gap, step 2, …, step N, outro.

It knows that steps come in the order of the text, that a longer sentence describes a longer step, that steps
may follow each other at once, and that a silence between two mentions of a step belongs to it. Given evidence
for each sentence at each time, it tells how likely each step is being shown.

`wander` makes the order soft: at any time the video goes on anywhere in the text with that chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from saffa.core.types import Doubles, Floats, Ints

STEP_SHARE = 0.5
"""Share of the video spent in steps; the rest is talk."""
EDGE_SHARE = 0.16
"""Share of the video before the first step, and after the last."""
NO_GAP = 0.2
"""Chance that the next step follows at once."""
STEP_SHAPE, EDGE_SHAPE = 4, 2
"""A stretch of m cells is made of this many states of m/shape cells each: durations are neither 0 nor endless."""


@dataclass(frozen=True)
class StepHmm:
    """States in order: the sentence each shows (-1: none), its chance to stay, its chance to jump over a gap."""

    shows: Ints
    stay: Doubles
    jump: Doubles
    wander: float = 0.0

    @classmethod
    def over(cls, cells: int, lengths: Doubles, wander: float = 0.0) -> StepHmm:
        """Chain for a video of `cells` grid cells and sentences of these lengths, shape (N,)."""
        gap = max(1.5, (1 - STEP_SHARE - 2 * EDGE_SHARE) * cells / max(1, len(lengths) - 1) / (1 - NO_GAP))
        means = STEP_SHARE * cells * lengths / lengths.sum()
        return cls.of(means, EDGE_SHARE * cells, gap, NO_GAP, STEP_SHAPE, wander)

    @classmethod
    def of(cls, means: Doubles, edge: float, gap: float, no_gap: float, shape: int, wander: float = 0.0) -> StepHmm:
        """Chain of steps of these mean lengths, (N,), between two edges and with gaps; all in cells."""
        last = len(means) - 1
        shows: list[int] = []
        stay: list[float] = []
        jump: list[float] = []

        def add(sentence: int, mean: float, shape: int, leap: float = 0.0) -> None:
            count = max(1, min(shape, int(mean)))
            shows.extend([sentence] * count)
            stay.extend([1 - count / max(mean, count)] * count)
            jump.extend([0.0] * (count - 1) + [leap])

        add(-1, edge, EDGE_SHAPE)
        for k, mean in enumerate(means):
            add(k, float(mean), shape, no_gap if k < last else 0.0)
            if k < last:
                add(-1, gap, 1)
        add(-1, edge, EDGE_SHAPE)
        return cls(np.array(shows, np.int64), np.array(stay), np.array(jump), wander)

    def posterior(self, evidence: Floats) -> Floats:
        """Probability that sentence k is shown at t, shape (T, N), from log-likelihood ratios of that shape."""
        return self.weighed(evidence)[0]

    def weighed(self, evidence: Floats) -> tuple[Floats, float]:
        """The `posterior`, and the log-likelihood of the evidence."""
        chain = evidence, np.maximum(evidence.max(1), 0.0), self.shows, self.stay, self.jump, self.wander
        forward = np.zeros((len(evidence), len(self.shows)), np.float32)
        shown = np.zeros(evidence.shape, np.float32)
        likelihood = _forward(*chain, forward, *np.zeros((3, len(self.shows))))
        back = np.full(len(self.shows), _TINY)
        back[-1] = 1.0
        ends = float(forward[-1].astype(np.float64) @ back)
        _backward(*chain, forward, shown, np.zeros(len(self.shows)), back)
        return shown, float(likelihood + np.log(ends))


_TINY = 1e-9  # a start or end elsewhere than at the ends of the chain
_FLOOR = 1e-30  # keeps every state reachable where evidence is overwhelming


# Compiled loops get the arrays that they fill: to compile numpy's own functions takes longer than the loops.


@njit(cache=True)
def _likelihoods(evidence: Floats, top: float, shows: Ints, out: Doubles) -> None:
    """Likelihood of one time's evidence in each state, up to a common factor."""
    for i in range(len(shows)):
        out[i] = np.exp((evidence[shows[i]] if shows[i] >= 0 else 0.0) - top)


@njit(cache=True)
def _forward(
    evidence: Floats,
    tops: Floats,
    shows: Ints,
    stay: Doubles,
    jump: Doubles,
    wander: float,
    forward: Floats,
    likely: Doubles,
    now: Doubles,
    before: Doubles,
) -> float:
    """Fill in the probability of each state given the evidence so far, (T, states); the evidence's log-likelihood."""
    states = len(shows)
    likelihood = 0.0
    for t in range(len(evidence)):
        _likelihoods(evidence[t], tops[t], shows, likely)
        total = 0.0
        for i in range(states):
            if t == 0:
                reached = 1.0 if i == 0 else _TINY
            else:
                reached = before[i] * stay[i]
                if i > 0:
                    reached += before[i - 1] * (1 - stay[i - 1]) * (1 - jump[i - 1])
                if i > 1:
                    reached += before[i - 2] * (1 - stay[i - 2]) * jump[i - 2]
                reached = (1 - wander) * reached + wander / states
            now[i] = reached * likely[i]
            total += now[i]
        likelihood += np.log(total) + tops[t]
        for i in range(states):
            before[i] = max(now[i] / total, _FLOOR)
            forward[t, i] = before[i]
    return likelihood


@njit(cache=True)
def _backward(
    evidence: Floats,
    tops: Floats,
    shows: Ints,
    stay: Doubles,
    jump: Doubles,
    wander: float,
    forward: Floats,
    posterior: Floats,
    likely: Doubles,
    back: Doubles,
) -> None:
    """Add the evidence to come, and sum the states of each sentence, shape (T, N)."""
    states = len(shows)
    for t in range(len(evidence) - 1, -1, -1):
        if t < len(evidence) - 1:
            _likelihoods(evidence[t + 1], tops[t + 1], shows, likely)
            mean = 0.0
            for i in range(states):
                likely[i] *= back[i]
                mean += likely[i]
            anywhere = wander * (mean / states)
            total = 0.0
            for i in range(states):
                back[i] = likely[i] * stay[i]
                if i + 1 < states:
                    back[i] += likely[i + 1] * (1 - stay[i]) * (1 - jump[i])
                if i + 2 < states:
                    back[i] += likely[i + 2] * (1 - stay[i]) * jump[i]
                back[i] = (1 - wander) * back[i] + anywhere
                total += back[i]
            for i in range(states):
                back[i] = max(back[i] / total, _FLOOR)
        total = 0.0
        for i in range(states):
            total += forward[t, i] * back[i]
        for i in range(states):
            if shows[i] >= 0:
                posterior[t, shows[i]] += forward[t, i] * back[i] / total
