"""How fast each level of a video plays so that the whole meets the target (method_bot.md §3.5, 3.6 and 5).

Level by level, T_s frames above it and T_ns others must together play at S_b (the target, then the speed of the level
below): S_s for the former, S_ns for the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from saffa.research.baselines.ranges import Range
from saffa.research.baselines.swarm import Swarm

FASTEST = 100
TOLERANCE = 0.5
"""Of the speed that a pair gives together (length-fair); the graph's search for weights corrects the rest."""
PENALTIES = Swarm(
    particles=30,
    iterations=30,
    stall=None,
    low=10.0,
    high=100.0,
    inertia=0.99,
    damping=0.99,
    pull=2.0,
    first_speed=0.0,
    speed_limit=18.0,
)
"""The search for (λ1, λ2) of the released code."""

Allotment = Literal["length-fair", "as-code"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """What a level has to divide: frames above it, the others, and the speed of both together."""

    semantic: int
    rest: int
    speed: float

    @property
    def p(self) -> float:
        """Share of the frames above the level."""
        return self.semantic / (self.semantic + self.rest)

    def achieved(self, fast_s: Floats, fast_ns: Floats) -> Floats:
        """Speed of both together."""
        together: Floats = (self.semantic + self.rest) / (self.semantic / fast_s + self.rest / fast_ns)
        return together

    def fitness(self, fast_s: Floats, fast_ns: Floats) -> Floats:
        """2 |S_s - p S_b| + (1 - p) |S_ns - S_s|."""
        cost: Floats = 2 * np.abs(fast_s - self.p * self.speed) + (1 - self.p) * np.abs(fast_ns - fast_s)
        return cost


def level_speeds(
    ranges: Sequence[Range], target: float, allotment: Allotment = "length-fair", tolerance: float = TOLERANCE
) -> list[float]:
    """Speed of level 0, 1, …, K. Without levels the whole video plays at the target."""
    levels = max(r.level for r in ranges)
    handed, base = sum(r.frames for r in ranges), target
    speeds: list[float] = []
    for level in range(1, levels + 1):
        semantic = sum(r.frames for r in ranges if r.level >= level)
        share = Share(semantic, handed - semantic, base)
        if share.rest == 0:  # nothing to take the time from
            base, fast_ns = share.speed, share.speed
        else:
            base, fast_ns = length_fair(share, tolerance) if allotment == "length-fair" else as_code(share)
        speeds.append(fast_ns)
        handed = semantic
    return [*speeds, base]


def length_fair(share: Share, tolerance: float = TOLERANCE) -> tuple[float, float]:
    """(S_s, S_ns) of least fitness among pairs that play at S_b ± tolerance; none: the nearest to S_b."""
    fast_s, fast_ns = _pairs(share)
    kept = fast_ns <= 2 * share.speed
    fast_s, fast_ns = fast_s[kept], fast_ns[kept]
    off = np.abs(share.achieved(fast_s, fast_ns) - share.speed)
    cost = share.fitness(fast_s, fast_ns)
    fair = off <= tolerance
    best = int(np.where(fair, cost, np.inf).argmin()) if fair.any() else int(off.argmin())
    return float(fast_s[best]), float(fast_ns[best])


def as_code(share: Share, seed: int = 0) -> tuple[float, float]:
    """As released: weights λ1, λ2 by a swarm whose fitness does not look at the length (short videos come out slow)."""
    fast_s, fast_ns = _pairs(share)
    wanted = (share.semantic + share.rest) / share.speed
    off = np.abs(wanted - share.semantic / fast_s - share.rest / fast_ns)

    def pair(penalties: Floats) -> int:
        return int((off + penalties[0] * (fast_ns - fast_s) + penalties[1] * fast_s).argmin())

    cost = share.fitness(fast_s, fast_ns)
    best = pair(PENALTIES.minimise(lambda places: cost[[pair(penalties) for penalties in places]], 2, seed))
    return float(fast_s[best]), float(fast_ns[best])


def _pairs(share: Share) -> tuple[Floats, Floats]:
    """All whole S_s ≤ S_ns with S_ns ≥ S_b and S_s > p S_b."""
    highest = max(FASTEST, ceil(2 * share.speed))
    fast_s, fast_ns = np.meshgrid(np.arange(1.0, highest + 1), np.arange(1.0, highest + 1), indexing="ij")
    kept = (fast_s <= fast_ns) & (fast_ns >= share.speed) & (fast_s > share.p * share.speed)
    return fast_s[kept], fast_ns[kept]
