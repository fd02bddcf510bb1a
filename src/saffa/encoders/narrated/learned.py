"""Evidence of a narration by learned weights: how much each clue says, from 217 cooking videos with known steps.

The weights are in models/narrated (`saffa train narrated` makes them); they and the network that reads passages are
the only things in the narrated encoder that have seen where steps begin and end. How long a step lasts is not known
beforehand, so several guesses are tried and each counts as far as the narration bears it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from safetensors.numpy import load_file

from saffa.core.types import Doubles, Floats
from saffa.encoders.narrated.clues import Clues
from saffa.encoders.step_hmm import StepHmm
from saffa.storage.models import WEIGHTS, ModelFolder, shipped

MODEL = "narrated"
STEP_SECONDS = (9.0, 16.0, 28.0, 50.0)
"""Guesses of how long a step lasts on average."""
USUAL_SECONDS, SPREAD = 24.0, 0.7
"""The likeliest of them, and the deviation of the logarithm."""
LARGEST_SHARE = 0.75
"""Of the video, for all steps."""
EDGE = 0.25
"""Of what is left, before the first step, and after the last."""
NO_GAP = 0.25
"""Chance that the next step follows at once."""
SHAPE = 3
"""States of a step."""
WORDINESS = 0.5
"""A step lasts as long as its sentence has words, to this power."""


@dataclass(frozen=True, eq=False)
class Weights:
    """What each clue, (CLUES,), adds to the log-odds that a step is shown."""

    clues: Floats
    constant: float

    def evidence(self, clues: Clues) -> Floats:
        """Log-odds of each group of sentences at each time, shape (T, G)."""
        evidence = np.full((clues.grid.cells, len(clues.groups)), self.constant, np.float32)
        for weight, clue in zip(self.clues, clues, strict=True):
            evidence += weight * clue
        return evidence


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """The weights that come with saffa."""
    stored = load_file(ModelFolder.open(shipped(MODEL)).path / WEIGHTS)
    return Weights(stored["clues"], float(stored["constant"][0]))


@dataclass(frozen=True, eq=False)
class StepLengths:
    """Chains of steps for several guesses of their lengths, with the logarithm of each guess's chance."""

    chains: tuple[StepHmm, ...]
    chances: tuple[float, ...]

    @classmethod
    def over(cls, cells: int, seconds: float, lengths: Doubles) -> StepLengths:
        """Chains for `cells` of so many seconds each, and groups of sentences of these lengths, shape (G,)."""
        relative = lengths**WORDINESS
        relative = relative / relative.mean()
        count, guesses = len(lengths), dict[float, float]()
        for wanted in STEP_SECONDS:
            share = min(wanted * count / (seconds * cells), LARGEST_SHARE)
            mean = share * cells * seconds / count
            guesses[share] = -0.5 * float((np.log(mean / USUAL_SECONDS) / SPREAD) ** 2)
        chains = []
        for share in guesses:
            left = (1 - share) * cells
            edge = left * (EDGE if count > 1 else 0.5)
            gap = max(1.5, (left - 2 * edge) / max(1, count - 1) / (1 - NO_GAP))
            chains.append(StepHmm.of(np.maximum(share * cells / count * relative, 1), edge, gap, NO_GAP, SHAPE))
        total = float(np.log(np.exp(list(guesses.values())).sum()))
        return cls(tuple(chains), tuple(chance - total for chance in guesses.values()))

    def posterior(self, evidence: Floats) -> tuple[Floats, float]:
        """Chance that each group is shown at each time, (T, G), and the log-likelihood of the evidence."""
        found = [chain.weighed(evidence) for chain in self.chains]
        likely = np.array([chance + told for chance, (_, told) in zip(self.chances, found, strict=True)])
        total = float(np.logaddexp.reduce(likely))
        shown = np.zeros(evidence.shape, np.float32)
        for share, (chances, _) in zip(np.exp(likely - total), found, strict=True):
            shown += np.float32(share) * chances
        return shown, total
