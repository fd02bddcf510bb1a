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


class PlusWalk:
    """One walk: told the relevance at the frame it stands on, it says where to land next."""

    def __init__(self, agent: PlusAgent, frames: int, rate: float, speed: float, encoder: str = "") -> None:
        dynamics = Dynamics.for_speed(speed)
        self._agent, self._rate, self._last = agent, rate, frames - 1
        self._table, self._ceiling = limits(dynamics), dynamics.max_velocity
        self._state = dynamics.state(min(round(speed), self._ceiling), 1)
        self._seen = Seen(frames / rate, agent.priors.get(encoder))
        self._left = wanted_frames(frames, speed) - 1
        self._look = self._price = 0.0

    def step(self, frame: int, relevance: float) -> int | None:
        """The next frame, or None when the walk is over."""
        if frame >= self._last or self._left <= 0:
            return None
        seconds, seen = frame / self._rate, self._seen
        if seconds >= self._look:
            while seconds >= self._look:  # a leap over several periods counts as often
                seen.add(relevance)
                self._look += PERIOD
            share = slow_share((self._last - frame) / self._left, self._ceiling)
            self._price = self._agent.price(seen, opened(share))
        ahead = relevance + AHEAD * (relevance - seen.recent)
        self._state = self._move(frame, DECELERATE if ahead > self._price else ACCELERATE)
        self._left -= 1
        return min(frame + self._table.velocity[self._state], self._last)

    def _move(self, frame: int, first: int) -> int:
        """The state after the wished action, or after the one that keeps nearest to the wanted number of frames."""
        table, distance, best, gap = self._table, self._last - frame, self._state, self._last
        for action in (first, *(a for a in ACTIONS if a != first)):
            reached = table.successors[self._state][action]
            missed = table.gap(distance - table.velocity[reached], reached, self._left - 1)
            if missed < gap:
                best, gap = reached, missed
            if not missed:
                break
        return best


def walk(
    agent: PlusAgent,
    relevance_at: Callable[[float], float],
    frames: int,
    rate: float,
    speed: float,
    encoder: str = "",
) -> NDArray[np.int64]:
    """Selected frames, the first is 0. `relevance_at(seconds)` is asked for visited times only, in order."""
    run = PlusWalk(agent, frames, rate, speed, encoder)
    selected, frame = [0], run.step(0, relevance_at(0.0))
    while frame is not None:
        selected.append(frame)
        frame = run.step(frame, relevance_at(frame / rate))
    return np.array(selected, np.int64)
