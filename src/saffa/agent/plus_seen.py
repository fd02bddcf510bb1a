"""What `saffa+` remembers of the video so far: running statistics of relevance, nothing of what is to come."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from math import exp, log, sqrt

PERIOD = 0.5
"""Seconds between two looks at the relevance."""
SCALES = (4.0, 1 / 20, 1 / 6)
"""Of the smoothed relevances: seconds, then shares of the video."""
QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.97)
FEATURES = 21
REACH = 8.0  # features are kept within so many deviations


@dataclass(frozen=True)
class Prior:
    """Mean and deviation of an encoder's relevance over its training videos: how much is a lot."""

    mean: float
    deviation: float


class Seen:
    """Relevance at the visited times, every PERIOD seconds; `prior` is None for an encoder never met in training."""

    def __init__(self, duration: float, prior: Prior | None) -> None:
        self.duration = duration
        self.prior = prior
        self.mean = self.deviation = self.now = 0.0
        self._count = 0
        self._sum = self._squares = 0.0
        self._sorted: list[float] = []
        self._smooth = [0.0] * len(SCALES)
        spans = (SCALES[0], *(scale * duration for scale in SCALES[1:]))
        self._rates = [1 - exp(-PERIOD / max(span, PERIOD)) for span in spans]

    def add(self, relevance: float) -> None:
        """One more look."""
        self._count += 1
        self._sum += relevance
        self._squares += relevance * relevance
        insort(self._sorted, relevance)
        for k, rate in enumerate(self._rates):
            self._smooth[k] += max(rate, 1 / self._count) * (relevance - self._smooth[k])
        self.now = relevance
        self.mean = self._sum / self._count
        spread = sqrt(max(self._squares / self._count - self.mean**2, 0.0))
        # Early on little has been seen: a small spread must not blow small changes up.
        floor = self.prior.deviation / 3 if self.prior else 0.05 * (self._sorted[-1] - self._sorted[0])
        self.deviation = max(spread, floor, 1e-6)

    @property
    def recent(self) -> float:
        """Relevance smoothed over the last seconds."""
        return self._smooth[0]

    def features(self) -> list[float]:
        """FEATURES numbers: relevance in deviations from the running mean, place and length, then the known scale."""
        last = self._count - 1
        mean, scale = self.mean, 1 / self.deviation
        values = [self.now, *self._smooth, self._sorted[0], self._sorted[-1]]
        values += [self._sorted[int(q * last)] for q in QUANTILES]
        out = [min(max((value - mean) * scale, -REACH), REACH) for value in values]
        place = self._count * PERIOD / self.duration
        out += [place, place * place, log(self._count / 50), log(self.duration / 300)]
        if self.prior is None:
            return out + [0.0] * 6
        mean, scale = self.prior.mean, 1 / self.prior.deviation
        absolute = (self.mean, self.now, self._smooth[1], self._sorted[-1])
        return [*out, *((value - mean) * scale for value in absolute), self.deviation * scale, 1.0]
