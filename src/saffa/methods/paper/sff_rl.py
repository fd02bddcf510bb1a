"""SFF-RL (CVPR 2020) as a sampler: it follows the text and disregards the target speed, except as its start."""

from __future__ import annotations

from dataclasses import dataclass

from saffa.methods.paper.agent import Method
from saffa.methods.paper.saffa import Saffa


@dataclass(frozen=True, eq=False)
class SffRl(Saffa):
    """The agent before SAFFA, which walks by other rules; see `saffa.research.training.saffa.presets`."""

    name: str = "sff-rl"

    @property
    def method(self) -> Method:
        """What the agent must have been trained as."""
        return "sff-rl"
