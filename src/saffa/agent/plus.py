"""`saffa+`: an online agent. At each frame it knows what it has seen, where it is and how many frames are left.

The best smooth selection slows down where relevance is above a price and speeds up elsewhere (the planner's
Lagrange multiplier). The planner finds the price by looking at the whole video; this agent *foretells* it with a small
network, anew every half second, from running statistics of the relevance seen so far and from the speed that the rest
of the video must have. The dynamics decide which actions still allow the wanted number of frames (`plus_limits`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from saffa.agent.dynamics import ACCELERATE, ACTIONS, DECELERATE, Dynamics
from saffa.agent.plus_limits import limits
from saffa.agent.plus_seen import FEATURES, PERIOD, Prior, Seen
from saffa.agent.policy import Mlp
from saffa.errors import InputError
from saffa.selection import wanted_frames

INPUTS = FEATURES + 2
AHEAD = 1.0
"""Slowing down takes seconds, so a rise of relevance over its recent mean is carried on by this much.
Chosen on held-out training videos."""
NAME = "saffa_plus"


@dataclass(frozen=True, eq=False)
class PlusAgent:
    """The price network, inputs (INPUTS,) → (1,), and the scale of the encoders that it has met."""

    network: Mlp = field(repr=False)
    priors: Mapping[str, Prior]

    def price(self, seen: Seen, share: float) -> float:
        """The relevance from which the next frames are worth slowing down for."""
        state = np.array([*seen.features(), *share_features(share)], np.float32)
        deviations = self.network(state).item(0)
        return seen.mean + seen.deviation * deviations

    @classmethod
    def load(cls, folder: Path) -> PlusAgent:
        """From a model folder; no PyTorch."""
        try:
            facts: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
            network = Mlp.of_tensors(load_file(folder / "weights.safetensors"), "price")
            priors = {name: Prior(*scale) for name, scale in facts["priors"].items()}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{folder} is not a saffa+ agent ({error}).") from None
        if (network.inputs, network.outputs) != (INPUTS, 1):
            raise InputError(f"{folder} is not a saffa+ agent: its network takes {network.inputs} numbers.")
        return cls(network, priors)


@lru_cache(maxsize=1)
def shipped_agent() -> PlusAgent:
    """The one in `models/`."""
    return PlusAgent.load(Path(__file__).parents[1] / "models" / NAME)


def slow_share(speed: float, ceiling: int) -> float:
    """Share of the time at 1× when the rest runs at the ceiling and `speed` results, in (0, 1)."""
    share = (1 / max(speed, 1.0) - 1 / ceiling) / (1 - 1 / ceiling)
    return min(max(share, 1e-4), 0.98)


def opened(share: float) -> float:
    """The share that is priced: nearly twice a small one.

    What may come is uncertain, and frames not spent are lost in the outro. Chosen on videos that are in no test.
    """
    return min(share * (1 + (1 - share) ** 3), 0.98)


def share_features(share: float) -> tuple[float, float]:
    """Two inputs of the network."""
    return log(share / (1 - share)) / 3, share


def walk(
    agent: PlusAgent,
    relevance_at: Callable[[float], float],
    frames: int,
    rate: float,
    speed: float,
    encoder: str = "",
) -> NDArray[np.int64]:
    """Selected frames, the first is 0. `relevance_at(seconds)` is asked for visited times only, in order."""
    dynamics = Dynamics.for_speed(speed)
    table, ceiling, last = limits(dynamics), dynamics.max_velocity, frames - 1
    state = dynamics.state(min(round(speed), ceiling), 1)
    seen = Seen(frames / rate, agent.priors.get(encoder))
    frame, left, look, price = 0, wanted_frames(frames, speed) - 1, 0.0, 0.0
    selected = [0]
    while frame < last and left > 0:
        seconds = frame / rate
        relevance = relevance_at(seconds)
        if seconds >= look:
            while seconds >= look:  # a leap over several periods counts as often
                seen.add(relevance)
                look += PERIOD
            share = slow_share((last - frame) / left, ceiling)
            price = agent.price(seen, opened(share))
        ahead = relevance + AHEAD * (relevance - seen.recent)
        first = DECELERATE if ahead > price else ACCELERATE
        best, gap = state, last
        for action in (first, *(a for a in ACTIONS if a != first)):
            reached = table.successors[state][action]
            missed = table.gap(last - frame - table.velocity[reached], reached, left - 1)
            if missed < gap:
                best, gap = reached, missed
            if not missed:
                break
        state = best
        frame = min(frame + table.velocity[state], last)
        left -= 1
        selected.append(frame)
    return np.array(selected, np.int64)
