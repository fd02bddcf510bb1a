"""SAFFA as a sampler: an agent that walks through the video once and sees only where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from saffa.agent.agent import Agent, Method
from saffa.agent.online import PaperOnline
from saffa.agent.rollouts import rollout
from saffa.alignment import Alignment
from saffa.errors import InputError
from saffa.selection import Selection


@dataclass(frozen=True, eq=False)
class Saffa:
    """The skip-aware agent (paper §3.2), which steers towards the target speed."""

    agent: Agent = field(repr=False)
    name: str = "saffa"
    reads_text: bool = True

    def __post_init__(self) -> None:
        check_method(self.agent, "saffa")

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Frame 0, where the walk begins, and every frame that the agent lands on."""
        return select(self.agent, alignment, speed, self.name)

    def begin(self, frames: int, rate: Fraction, speed: float, encoder: str) -> PaperOnline:  # noqa: ARG002
        """A walk through a video that is being read."""
        return PaperOnline(self.agent, frames, speed)


def select(agent: Agent, alignment: Alignment, speed: float, name: str) -> Selection:
    """A rollout as a selection. The agent's own list lacks frame 0; a one-frame video has no other."""
    roll = rollout(agent, alignment, speed)
    frames = np.unique(np.concatenate([[0], roll.selected]))
    return Selection(frames, alignment.frames, float(speed), name)


def check_method(agent: Agent, method: Method) -> None:
    """InputError unless the agent is of that kind."""
    if agent.traits.method != method:
        raise InputError(f"The agent {agent.name} is for the method {agent.traits.method}, not for {method}.")
