"""The words of a narration with a time for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saffa.core.video import Cue
from saffa.encoders.words import words


@dataclass(frozen=True, eq=False)
class SpokenWords:
    """Words in the order they are said, and when: `times` in seconds, shape (W,)."""

    words: tuple[str, ...]
    times: NDArray[np.float32]

    @classmethod
    def of(cls, cues: Sequence[Cue], duration: float) -> SpokenWords:
        """Spread each cue's words over its time by their length; words that a rolling caption repeats count once."""
        spoken: list[str] = []
        times: list[float] = []
        previous: list[str] = []
        for cue in sorted(cues, key=lambda c: (c.start, c.end)):
            current = words(cue.text)
            fresh = current[repeated(previous, current) :]
            previous = current
            if fresh:
                length = np.array([len(w) + 1 for w in fresh], np.float64)
                centre = (np.cumsum(length) - length / 2) / length.sum()
                spoken.extend(fresh)
                times.extend(float(cue.start) + max(0.0, float(cue.end - cue.start)) * centre)
        return cls(tuple(spoken), np.clip(np.array(times, np.float32), 0, max(0.0, duration)))


def repeated(previous: list[str], current: list[str]) -> int:
    """How many first words of a cue only repeat the end of the last one: three or more, or all of the last."""
    for n in range(min(len(previous), len(current)), 0, -1):
        if previous[-n:] == current[:n] and (n >= 3 or n == len(previous)):
            return n
    return 0
